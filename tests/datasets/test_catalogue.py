"""The catalogue says of every data set what its file holds, and helps with misspelt names."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from oddlearn.datasets import CATALOGUE, find_entry, load
from oddlearn.errors import InvalidInputError


def test_there_are_54_data_sets_in_order_and_18_are_selected():
    names = [known.name for known in CATALOGUE]
    assert names == sorted(set(names)) and len(names) == 54
    assert sum(known.is_selected for known in CATALOGUE) == 18


def test_every_entry_has_a_source_a_licence_and_a_whole_checksum():
    for known in CATALOGUE:
        assert known.source.startswith("https://archive.ics.uci.edu")
        assert known.licence.startswith("file: MIT; original: ")
        assert len(bytes.fromhex(known.sha256)) == 32
    assert len({known.sha256 for known in CATALOGUE}) == 54


def test_every_file_has_the_checksum_and_the_size_of_its_entry(published):
    for known in CATALOGUE:
        dataset = load(known.name, published)
        assert dataset.X.shape == (known.n, known.d)
        assert len(dataset.feature_names) == known.d
        assert np.array_equal(np.unique(dataset.codes), np.arange(known.classes))


def test_sizes_and_selection_are_those_of_the_paper(published):
    table = published.parents[1] / "paper" / "table_datasets.csv"
    if not table.is_file():
        pytest.skip(f"The paper's table of data sets is not at {table}.")
    with table.open(newline="") as lines:
        printed = {tuple(row.values()) for row in csv.DictReader(lines)}
    ours = {(e.paper_name, str(e.n), str(e.d), str(e.classes), str(int(e.is_selected))) for e in CATALOGUE}
    assert ours == printed


def test_an_entry_is_found_by_its_name():
    assert (find_entry("iris").n, find_entry("iris").d, find_entry("iris").classes) == (150, 4, 3)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("irs", "'iris'"),
        ("IRIS", "'iris'"),
        ("monks4", "'monks"),
        ("breast-cancer-diag", "'breast-cancer-diagnostic'"),
    ],
)
def test_a_misspelt_name_gets_the_close_ones(given, meant):
    with pytest.raises(InvalidInputError, match=f"no data set '{given}' .did you mean {meant}.*CATALOGUE"):
        find_entry(given)


def test_a_name_like_no_other_gets_no_guess():
    with pytest.raises(InvalidInputError, match=r"no data set 'qqq': .*CATALOGUE lists all 54"):
        find_entry("qqq")


@pytest.mark.parametrize("given", [None, 3, b"iris"])
def test_a_name_is_text(given):
    with pytest.raises(InvalidInputError, match="is text such as 'iris'"):
        find_entry(given)


def test_importing_oddlearn_leaves_the_catalogue_unread_and_reading_it_loads_nothing_heavy():
    script = (
        "import sys, oddlearn; assert 'oddlearn.datasets' not in sys.modules; "
        "import oddlearn.datasets; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"sklearn", "pooch", "requests", "pandas"}
