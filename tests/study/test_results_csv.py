"""An exported CSV file reads as its store does, has the same bytes every time, and damage is reported."""

import gzip
import lzma
from pathlib import Path

import pytest

from oddlearn.errors import InvalidInputError, StoreError
from oddlearn.study.result_rows import COLUMNS, write_csv
from oddlearn.study.result_store import ResultStore, read_results
from tests.study.examples import chance_grid, result

ENDINGS = (".csv", ".csv.gz", ".csv.xz")


@pytest.fixture
def results():
    constant = result(flows="", n_nodes=0, objective=1 / 3)
    found = [*chance_grid(["wine", "iris"], seeds=(1,), kept=0.3), constant]
    return sorted(found, key=lambda one: one.trial)


@pytest.mark.parametrize("ending", ENDINGS)
def test_results_come_back_to_the_last_digit(tmp_path, results, ending):
    path = tmp_path / "new folder" / f"study{ending}"
    write_csv(results, path)
    assert read_results(path) == results
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_store_and_its_csv_file_read_the_same(tmp_path, results):
    with ResultStore.open(tmp_path / "study.sqlite") as store:
        for one in reversed(results):
            store.add(one, "{}")
    assert read_results(tmp_path / "study.sqlite") == results


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_results_give_the_same_bytes_in_any_order(tmp_path, results, ending):
    paths = [tmp_path / f"{name}{ending}" for name in "ab"]
    write_csv(results, paths[0])
    write_csv(results[::-1], paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_committed_results_are_all_read():
    committed = Path(__file__).parents[2] / "benchmarks" / "results" / "study_1s.csv.xz"
    lines = lzma.decompress(committed.read_bytes()).count(b"\n")
    assert len(read_results(committed)) == lines - 1 > 13_500


def test_no_results_are_a_csv_file_too(tmp_path):
    write_csv([], tmp_path / "none.csv")
    assert read_results(tmp_path / "none.csv") == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_was_cut_short_is_told(tmp_path, results, ending):
    path = tmp_path / f"study{ending}"
    write_csv(results, path)
    whole = path.read_bytes()
    for kept in (0, 1, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:kept])
        with pytest.raises(StoreError, match=r"is damaged|is not a results file"):
            read_results(path)


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.xz"])
def test_no_changed_byte_goes_unnoticed(tmp_path, results, ending):
    path = tmp_path / f"study{ending}"
    write_csv(results, path)
    whole = path.read_bytes()
    # the first ten bytes of gzip hold a time and a system, which say nothing of the content
    for place in range(10, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        with pytest.raises(StoreError, match=r"is damaged|is not a results file"):
            read_results(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [("univariate", "oblique"), ("0.1", "zero"), ("1-2-4-8", "1-9"), (",10,", ","), ("iris", "iris\0,")],
)
def test_a_value_that_makes_no_sense_is_told(tmp_path, old, new):
    path = tmp_path / "study.csv"
    write_csv([result()], path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(StoreError, match=r"study.csv is damaged \(.*\): get it again."):
        read_results(path)


def test_a_line_that_is_cut_off_or_twice_there_is_told(tmp_path):
    path = tmp_path / "study.csv"
    write_csv([result(), result("wine")], path)
    names, first, second = path.read_text().splitlines()
    short = second.rsplit(",", 3)[0]
    for lines, reason in (
        ((names, first, short), f"line 3: {len(COLUMNS) - 3} fields, and {len(COLUMNS)} are expected"),
        ((names, "", first), f"line 2: 0 fields, and {len(COLUMNS)} are expected"),
        ((names, first, second, first), "A trial occurs twice: iris, seed 1, .*, auto, 1 s"),
        ((names, first.replace(",0.7,", ",75,"), second), "line 2: test is 75.0, and not an accuracy .*"),
    ):
        path.write_text("\n".join((*lines, "")))
        with pytest.raises(StoreError, match=rf"study.csv is damaged \({reason}\): get it again."):
            read_results(path)


def test_a_store_is_known_by_its_first_bytes(tmp_path, results):
    with ResultStore.open(tmp_path / "study.sqlite") as store:
        for one in results:
            store.add(one, "{}")
    for ending in ENDINGS:
        path = (tmp_path / "study.sqlite").rename(tmp_path / f"study{ending}")
        assert read_results(path) == results
        path.rename(tmp_path / "study.sqlite")


def test_another_table_is_told(tmp_path):
    for name, content in (
        ("a.csv", b"a,b\n1,2\n"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n")),
        ("a.csv.xz", lzma.compress(b"")),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(StoreError, match=f"is not a results file .*its columns should be {COLUMNS[0]}, "):
            read_results(tmp_path / name)


def test_a_file_that_is_not_there_is_told(tmp_path):
    for path in (tmp_path / "study.csv.xz", tmp_path / "study.sqlite", tmp_path):
        with pytest.raises(
            StoreError, match=f"There is no file {path}: give a store or an exported CSV file"
        ):
            read_results(path)


def test_a_name_says_how_a_csv_file_is_written(tmp_path):
    with pytest.raises(InvalidInputError, match=r"study.zip must end in .csv, .csv.gz or .csv.xz"):
        write_csv([], tmp_path / "study.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_csv_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch, results):
    path = tmp_path / "study.csv.xz"
    write_csv(results, path)
    before = path.read_bytes()

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(StoreError, match=r"cannot be written \(No space left on device\): give a file"):
        write_csv(results[1:], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
