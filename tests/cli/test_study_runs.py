"""What ``oddlearn paper`` reports of a store or a CSV file before it works on it."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from oddlearn.cli import study_runs
from oddlearn.study import trial_runner
from oddlearn.study.result_rows import write_csv
from oddlearn.study.result_store import ResultStore
from oddlearn.study.tables import Table
from tests.cli.commands import refused, run
from tests.study.examples import TREE, result

# 25 trials on data that need no file
ONE = ("--dataset", "iris", "--seeds", "1", "--split", "univariate", "--part", "grid")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Work in a folder of its own, without a data directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ODDLEARN_DATA", raising=False)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Train nothing: every trial comes to the same."""
    monkeypatch.setattr(trial_runner, "run_trial", lambda trial, directory: (result().outcome, "{}"))


@pytest.mark.parametrize(
    ("store", "sentence"),
    [
        (".", "The store . cannot be used (unable to open database file): give a file in a folder that"),
        ("no/study.sqlite", "The store no/study.sqlite cannot be used (unable to open database file): give"),
        ("new.csv", "A store cannot be named new.csv, as .csv is the suffix of an exported CSV file: give"),
    ],
)
def test_the_store_is_looked_at_before_the_data(capsys, store, sentence):
    told = refused(capsys, "paper", "run", *ONE, "--store", store, "--data", "nowhere")
    assert told.startswith(f"oddlearn: {sentence}")
    assert list(Path().iterdir()) == []


def test_results_of_other_versions_are_kept_and_told(capsys, monkeypatch):
    for version, alpha in (("0.0.1", 0.1), ("0.0.2", 0.2)):
        monkeypatch.setattr("oddlearn.study.result_store.__version__", version)
        with ResultStore.open(Path("study.sqlite")) as store:
            store.add(result(alpha=alpha), "{}")
    for module in ("oddlearn", "oddlearn.study.result_store"):
        monkeypatch.setattr(f"{module}.__version__", "0.0.3")
    line = (
        "Note: the store study.sqlite has results of oddlearn 0.0.1 and 0.0.2, and this is oddlearn 0.0.3: "
        "all results are used."
    )
    for command in (["status", *ONE, "--json"], ["tables"], ["tables", "--output", "tables"], ["run", *ONE]):
        code, _, err = run(capsys, "paper", *command)
        assert code == 0
        assert err.splitlines()[0] == line
        assert err.count("Note: ") == 1
    assert err.splitlines()[-1].startswith("23 trials ran.")
    told = run(capsys, "paper", "status", *ONE)[2]
    assert told.startswith("Note: the store study.sqlite has results of oddlearn 0.0.1, 0.0.2 and 0.0.3, and")


def test_results_of_this_version_alone_need_no_word(capsys):
    assert "Note" not in run(capsys, "paper", "run", *ONE)[2]
    code, out, err = run(capsys, "paper", "status", *ONE, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["parts"][0]["missing"] == 0
    assert run(capsys, "paper", "tables")[2] == ""


@pytest.mark.parametrize("command", ["tables", "figures"])
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (TREE, "junk", "flows is 'junk', and not nodes such as 0:1:c0:80 with spaces between"),
        (TREE, "0:5:6:7 1:9:9:7", "flows has an arc from node 0 to 5, which is no node below it"),
        (",0.7,", ",nan,", "test is nan, and not an accuracy from 0 to 1"),
        (",True,branch_and_bound,", ",yes,branch_and_bound,", "is_optimal is 'yes', and not True or False"),
    ],
)
def test_a_csv_file_changed_by_hand_is_rejected_in_a_sentence(capsys, command, old, new, reason):
    write_csv([result("monks3", is_optimal=True, solver="branch_and_bound")], Path("study.csv"))
    text = Path("study.csv").read_text()
    assert old in text
    Path("study.csv").write_text(text.replace(old, new))
    told = refused(capsys, "paper", command, "study.csv")
    assert told == f"oddlearn: study.csv is damaged (line 2: {reason}): get it again."


def test_in_a_narrow_terminal_lines_run_over_and_no_number_is_cut():
    rows = (("a b c", "0.12345678", "0.87654321"),)
    table = Table("name", "A title", ("what", "many", "more"), rows, notes=())
    console = Console(file=io.StringIO(), width=20)
    study_runs._print_table(table, console)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert lines[-2 if not lines[-1] else -1].split() == ["a", "b", "c", "0.12345678", "0.87654321"]
    assert console.width == 20
