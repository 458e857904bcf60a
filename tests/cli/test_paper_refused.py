"""What ``oddlearn paper`` refuses: one sentence each, and nothing is overwritten."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from oddlearn.datasets.dataset import load_bundled
from oddlearn.study.result_store import ResultStore
from tests.cli.commands import refused

# 25 trials on data that need no file
ONE = ("--dataset", "iris", "--seeds", "1", "--split", "univariate", "--part", "grid")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Work in a folder of its own, without a data directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ODDLEARN_DATA", raising=False)


def other_database():
    with closing(sqlite3.connect("study.sqlite")) as connection:
        connection.execute("CREATE TABLE people (name)")


def other_version():
    ResultStore.open(Path("study.sqlite")).close()
    with closing(sqlite3.connect("study.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("command", ["run", "status", "tables", "figures", "export"])
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Path("study.sqlite").write_text("my notes"), "study.sqlite is not a store of a study: give"),
        (other_database, "study.sqlite is a database, but not a store of a study: give another file."),
        (other_version, "The store study.sqlite is of version 99, and this oddlearn reads version 2: give"),
    ],
)
def test_a_file_that_is_no_store_is_refused_and_left_alone(capsys, command, make, sentence):
    make()
    before = Path("study.sqlite").read_bytes()
    given = {"export": ["x.csv"], "run": ONE}.get(command, [])
    assert refused(capsys, "paper", command, *given).startswith(f"oddlearn: {sentence}")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == {"study.sqlite": before}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tables"], "There is no file study.sqlite: give a store or an exported CSV file of a study."),
        (
            ["figures", "x.csv.xz"],
            "There is no file x.csv.xz: give a store or an exported CSV file of a study.",
        ),
        (
            ["status"],
            "There is no store study.sqlite: create one with 'oddlearn paper run --store study.sqlite'.",
        ),
        (
            ["export", "x.csv"],
            "There is no file study.sqlite: give a store or an exported CSV file of a study.",
        ),
        (["export", "x.zip"], "The file x.zip must end in .csv, .csv.gz or .csv.xz."),
        (
            ["run", "--store", "no/study.sqlite", *ONE],
            "The store no/study.sqlite cannot be used (unable to open database file): give a file in a "
            "folder that exists and can be written.",
        ),
        (
            ["run", "--dataset", "irises"],
            "There is no data set 'irises' (did you mean 'iris'?): oddlearn.datasets.CATALOGUE lists all "
            "54 of them.",
        ),
        (["run", *ONE, "--seconds", "none"], "--seconds none: every trial needs a time limit, such as 1."),
        (
            ["run", "--seeds", "1,-2"],
            "argument --seeds: '-2' is not a seed: give a whole number from 0 to 4294967295. See 'oddlearn "
            "paper run --help'.",
        ),
        (
            ["run", "--seeds", ","],
            "argument --seeds: ',' has no seeds: give whole numbers, such as 1,2,3. See 'oddlearn paper run "
            "--help'.",
        ),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence_and_nothing_is_written(capsys, arguments, sentence):
    assert refused(capsys, "paper", *arguments) == f"oddlearn: {sentence}"
    assert list(Path().iterdir()) == []


def test_data_that_are_missing_or_changed_are_told_before_any_work(capsys):
    assert "nowhere is not a directory" in refused(capsys, "paper", "run", *ONE, "--data", "nowhere")
    Path("data").mkdir()
    assert "data has no file iris.csv" in refused(capsys, "paper", "run", *ONE, "--data", "data")
    rows = load_bundled("iris").X.tolist()
    Path("data/iris.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    changed = Path("data/iris.csv").read_bytes()
    sentence = refused(capsys, "paper", "run", *ONE, "--data", "data")
    assert "is not the file that the paper's authors published (its SHA-256 begins with" in sentence
    assert Path("data/iris.csv").read_bytes() == changed
    assert [path.name for path in Path().iterdir()] == ["data"]
