"""Small parts: held-out rows, files written whole, training metadata in a model file, solvers."""

import json
import os

import numpy as np
import pytest

import oddlearn
from oddlearn.cli.stored_model import (
    FIELD,
    ColumnRoles,
    add_training_metadata,
    read_model,
    read_training_metadata,
)
from oddlearn.cli.training_rows import holdout_mask
from oddlearn.errors import ModelFileError
from oddlearn.table import files
from oddlearn.table.csv_reader import CsvDialect
from tests.cli.commands import run


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.99])
def test_of_every_class_a_share_is_held_out_and_never_its_last_row(share):
    labels = np.repeat(["a", "b", "c"], [40, 7, 1])
    taken = holdout_mask(labels, share, seed=3)
    for label, count in (("a", 40), ("b", 7), ("c", 1)):
        assert taken[labels == label].sum() == min(round(share * count), count - 1)


def test_rows_held_out_depend_on_the_seed_alone():
    labels = np.repeat(["a", "b"], [5, 7])
    assert np.flatnonzero(holdout_mask(labels, 0.4, seed=0)).tolist() == [0, 2, 5, 6, 7]
    assert not np.array_equal(holdout_mask(labels, 0.4, seed=0), holdout_mask(labels, 0.4, seed=1))


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "sub" / "file.txt"
    files.write_whole(path, "first")
    assert path.read_text() == "first"

    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        files.write_whole(path, "second")
    assert path.read_text() == "first"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_is_as_readable_as_others(tmp_path):
    files.write_whole(tmp_path / "written", "x")
    (tmp_path / "plain").write_text("x")
    modes = [(tmp_path / name).stat().st_mode for name in ("written", "plain")]
    assert modes[0] == modes[1]


def test_what_the_system_refuses_is_said(capsys, trained, monkeypatch, tmp_path):
    def fail(*arguments, **options):
        raise OSError(28, "No space left on device", str(tmp_path / "model.c"))

    monkeypatch.setattr("tempfile.mkstemp", fail)
    target = tmp_path / "model.c"
    code, out, err = run(capsys, "export", trained / "model.json", "--to", "c", "--output", target)
    assert (code, out) == (2, "")
    assert err == f"oddlearn: {target}: No space left on device.\n"


def test_training_metadata_survive_in_a_file_that_is_still_a_model(trained):
    model = oddlearn.load(trained / "model.json")
    roles = ColumnRoles(
        "y", "weight", ("id",), ("sex", "age"), True, 0.1, 7, CsvDialect(";", None, ("income",), ("unknown",))
    )
    stored = read_model(str(trained / "model.json"))
    text = add_training_metadata(model.to_json(), roles, stored.metrics)
    assert read_training_metadata(text) == roles
    assert read_training_metadata(model.to_json()) is None
    assert oddlearn.from_json(text).to_json() == model.to_json()


def test_training_metadata_that_cannot_be_read_are_refused(trained):
    document = json.loads((trained / "model.json").read_text())
    damages = (
        {"target": 3},
        {"seed": "x"},
        {"dropped": None},
        {"seed": -1},
        {"test_size": 1},
        {"dialect": 3},
    )
    for damage in damages:
        text = json.dumps({FIELD: {**document[FIELD], **damage}})
        with pytest.raises(ModelFileError, match="training_metadata"):
            read_training_metadata(text)


@pytest.mark.parametrize("name", ["target", "seed", "dialect"])
def test_incomplete_training_metadata_are_refused(trained, name):
    stored = json.loads((trained / "model.json").read_text())[FIELD]
    rest = {field: value for field, value in stored.items() if field != name}
    with pytest.raises(ModelFileError, match="training_metadata"):
        read_training_metadata(json.dumps({FIELD: rest}))


def test_solvers_are_listed_with_what_is_installed(capsys, monkeypatch):
    code, out, _ = run(capsys, "solvers", "--json")
    assert code == 0
    listed = json.loads(out)
    solvers = {part["name"]: part for part in listed["solvers"]}
    assert solvers["branch_and_bound"]["version"] == oddlearn.__version__
    assert solvers["highs"]["installed"]
    monkeypatch.setattr("importlib.metadata.version", _none_installed)
    code, told, _ = run(capsys, "solvers")
    assert code == 0
    assert '(not installed: pip install "oddlearn[scip]")' in told


def _none_installed(package):
    import importlib.metadata

    raise importlib.metadata.PackageNotFoundError(package)


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        run(capsys, "--version")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"oddlearn {oddlearn.__version__}\n"
