"""``oddlearn paper`` as a user meets it: what it tells, what it refuses, how it ends."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from oddlearn.errors import StudyError
from oddlearn.study import trial_runner
from oddlearn.study.result_rows import write_csv
from oddlearn.study.result_store import ResultStore, read_results
from oddlearn.study.trial_runner import ProgressLines, show_progress
from tests.cli.commands import refused, run
from tests.cli.test_process import HEARING, needs_signals
from tests.study.examples import chance_grid, result

# 25 trials on data that need no file
ONE = ("--dataset", "iris", "--seeds", "1", "--split", "univariate", "--part", "grid")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Work in a folder of its own, without a data directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ODDLEARN_DATA", raising=False)


@pytest.fixture
def quick(monkeypatch):
    """Train nothing: every trial comes to the same, and those in the list returned fail."""
    failing = []

    def fake(trial, directory):
        if trial.alpha in failing:
            raise ValueError(f"alpha {trial.alpha} is no good.")
        return result().outcome, "x" * 3000  # as long as a small model

    monkeypatch.setattr(trial_runner, "run_trial", fake)
    return failing


@pytest.fixture
def store():
    """Return a store with the grid of one data set and seed."""
    path = Path("study.sqlite")
    with ResultStore.open(path) as opened:
        for one in chance_grid(["iris"], seeds=(1,)):
            opened.add(one, "{}")
    return path


@pytest.mark.parametrize("command", ["", "run", "status", "tables", "figures", "export"])
def test_help_teaches_by_examples(capsys, command):
    with pytest.raises(SystemExit) as ended:
        run(capsys, "paper", *command.split(), "--help")
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert f"examples:\n  oddlearn paper {command}" in told


def test_paper_alone_shows_its_commands(capsys):
    code, out, _ = run(capsys, "paper")
    assert code == 0
    assert all(f"    {command} " in out for command in ("run", "status", "tables", "figures", "export"))


@pytest.mark.usefixtures("quick")
def test_a_run_tells_how_far_it_is_and_how_to_read_the_results(capsys):
    code, out, err = run(capsys, "paper", "run", *ONE)
    assert (code, out) == (0, "")
    first, *_, last_line, end = err.splitlines()
    assert first == "grid: 1 of 25 (iris)"
    assert last_line == "grid: 25 of 25, about 0 s left (iris)"
    assert end == "25 trials ran. Results: 'oddlearn paper tables study.sqlite'."
    assert run(capsys, "paper", "run", *ONE)[2].startswith("0 trials ran.")


def test_the_time_left_is_judged_by_the_pace_since_the_first_result(capsys, monkeypatch):
    clock = iter([1000.0, 1001.0, 1020.0, 1021.0, 1100.0])
    monkeypatch.setattr("oddlearn.study.trial_runner.time.perf_counter", lambda: next(clock))
    lines = ProgressLines("grid")
    for done in (1, 2, 11, 12, 51):
        lines(done, 1001, result())
    assert capsys.readouterr().err.splitlines() == [
        "grid: 1 of 1,001 (iris)",
        "grid: 11 of 1,001, about 33 min left (iris)",
        "grid: 51 of 1,001, about 32 min left (iris)",
    ]


def test_on_a_terminal_a_bar_is_drawn(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_progress("grid", 4) as told:
        told(3, 4, result("wine"))
    drawn = capsys.readouterr().err
    assert "grid  wine" in drawn
    assert "3/4" in drawn


@pytest.mark.usefixtures("quick")
def test_parts_follow_each_other_and_stability_its_grid(capsys):
    # parkinsons is one of the 18 data sets of the stability part; nothing is read from its file
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("oddlearn.cli.study_runs.load", lambda *_: None)
        run(capsys, "paper", "run", "--dataset", "parkinsons", "--seeds", "4", "--split", "multivariate")
    results = read_results(Path("study.sqlite"))
    kinds = [(one.trial.method, one.trial.stability > 0, one.trial.seconds) for one in results]
    assert kinds.count(("auto", False, 1.0)) == 25
    assert kinds.count(("construct", False, 0.05)) == 25
    assert kinds.count(("auto", True, 1.0)) == 4
    # one of the hundred of the long sample
    assert kinds.count(("auto", False, 60.0)) == 1
    assert len(kinds) == 55


def test_trials_that_fail_are_told_at_the_end_and_tried_again(capsys, quick):
    quick += [0.1, 0.5]
    sentence = refused(capsys, "paper", "run", *ONE)
    named = "iris, seed 1, univariate ODD 1-2-4-8, alpha 0.1 (ValueError: alpha 0.1 is no good); iris, "
    assert sentence.startswith(f"oddlearn: 10 of 25 trials failed, all others are saved: {named}")
    assert sentence.endswith("; 7 more. Run the same command to try them again.")
    quick.remove(0.5)
    assert refused(capsys, "paper", "run", *ONE).startswith("oddlearn: 5 of 10 trials failed")
    quick.clear()
    assert run(capsys, "paper", "run", *ONE)[2].splitlines()[-1].startswith("5 trials ran.")


def test_a_process_that_is_lost_is_told(capsys, monkeypatch):
    def lost(*_):
        raise StudyError("A process was ended.")

    monkeypatch.setattr("oddlearn.cli.study_runs.run_trials", lost)
    assert refused(capsys, "paper", "run", *ONE) == "oddlearn: A process was ended."


@needs_signals
def test_ctrl_c_ends_a_run_at_once_and_keeps_what_is_done():
    # trials of half a second, which is all spent: one is in the middle of its own
    arguments = ["paper", "run", "--jobs", "2", "--dataset", "breast-cancer-diagnostic", "--seeds", "1"]
    arguments += ["--part", "step-one", "--seconds", "10", "--split", "multivariate"]
    command = [sys.executable, "-c", HEARING, *arguments]
    study = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    first = study.stderr.readline()
    os.killpg(study.pid, signal.SIGINT)  # as a terminal does: processes that work are told, too
    _, err = study.communicate(timeout=60)
    assert first == "step-one: 1 of 25 (breast-cancer-diagnostic)\n"
    assert study.returncode == 130
    assert err.splitlines() == [
        "Finished trials are saved. Run the same command to resume.",
        "oddlearn: interrupted; no file was left half-written.",
    ]
    with closing(sqlite3.connect("study.sqlite")) as connection:
        (kept,) = connection.execute("SELECT COUNT(*) FROM results").fetchone()
    assert 1 <= kept < 25


def test_status_counts_what_is_missing(capsys, store):
    scope = ("--dataset", "iris", "--seeds", "1,2")
    code, out, _ = run(capsys, "paper", "status", *scope)
    assert code == 0
    assert [line.split()[:4] for line in out.splitlines()[1:6]] == [
        ["grid", "100", "50", "50"],
        ["step-one", "100", "0", "100"],
        ["stability", "0", "0", "0"],
        ["monks", "0", "0", "0"],
        ["long", "2", "0", "2"],
    ]
    assert out.splitlines()[6].startswith("The stability part depends on the results of the grid on the 18")
    told = json.loads(run(capsys, "paper", "status", *scope, "--json")[1])
    assert told["store"] == str(store)
    assert told["parts"][1] == {"part": "step-one", "trials": 100, "missing": 100, "seconds_left": 5.0}


@pytest.mark.usefixtures("store")
def test_what_is_asked_for_twice_counts_once_and_parts_keep_their_order(capsys):
    twice = ("--dataset", "iris", "--dataset", "iris", "--seeds", "1,1", "--part", "monks", "--part", "grid")
    told = json.loads(run(capsys, "paper", "status", *twice, "--part", "grid", "--json")[1])
    assert [(part["part"], part["trials"]) for part in told["parts"]] == [("grid", 50), ("monks", 0)]


def test_tables_of_a_store_and_of_its_csv_file_are_the_same(capsys, store):
    told = run(capsys, "paper", "export", "study.csv.xz")[1]
    size = Path("study.csv.xz").stat().st_size
    assert told.startswith(f"study.csv.xz: 50 results, {size / 1e3:,.0f} kB.")
    for kind, sign in (("text", "Table 1: "), ("markdown", "### Table 1: "), ("csv", "runs,skeleton,from,")):
        from_store = run(capsys, "paper", "tables", "--format", kind)
        assert from_store == run(capsys, "paper", "tables", "study.csv.xz", "--format", kind)
        assert from_store[0] == 0
        assert any(line.startswith(sign) for line in from_store[1].splitlines())


@pytest.mark.parametrize(("kind", "ending"), [("text", "txt"), ("markdown", "md"), ("csv", "csv")])
def test_tables_are_written_to_files_of_their_own(capsys, store, kind, ending):
    code, out, _ = run(capsys, "paper", "tables", store, "--format", kind, "--output", "new/folder")
    assert code == 0
    names = out.splitlines()
    assert f"new/folder/performance.{ending}" in names
    assert sorted(map(str, Path("new/folder").iterdir())) == sorted(names)
    told = run(capsys, "paper", "tables", store, "--format", kind)[1]
    assert "\n".join(Path(name).read_text() for name in names).rstrip("\n") + "\n" == told


def test_tables_of_a_store_without_results_say_so(capsys):
    ResultStore.open(Path("study.sqlite")).close()
    code, out, _ = run(capsys, "paper", "tables")
    assert code == 0
    assert "None of the 13500 trials of the grid has run yet." in out


def test_figures_are_drawn_from_a_csv_file(capsys):
    pytest.importorskip("matplotlib")
    write_csv([result("parkinsons", is_optimal=True)], Path("study.csv"))
    code, out, err = run(capsys, "paper", "figures", "study.csv", "--output", "drawn")
    assert (code, err) == (0, "")
    assert "drawn/proved_over_time.svg" in out.splitlines()
    assert all(Path(name).stat().st_size > 1000 for name in out.splitlines())


def test_without_results_no_figure_is_drawn_and_that_is_said(capsys):
    pytest.importorskip("matplotlib")
    ResultStore.open(Path("study.sqlite")).close()
    code, out, err = run(capsys, "paper", "figures")
    assert (code, out) == (0, "")
    assert err == "No figure was drawn: none of the trials that they show has run.\n"


def test_a_csv_file_is_not_replaced_unasked(capsys, store):
    Path("study.csv").write_text("mine")
    assert "study.csv exists already: give --force" in refused(capsys, "paper", "export", "study.csv")
    assert Path("study.csv").read_text() == "mine"
    assert run(capsys, "paper", "export", "study.csv", "--force")[0] == 0
    assert len(read_results(Path("study.csv"))) == 50


@pytest.mark.usefixtures("quick")
def test_a_full_disk_ends_the_run_in_a_sentence_and_the_next_start_goes_on(capsys, monkeypatch):
    opened = ResultStore.open

    def small(path, **given):
        found = opened(path, **given)
        # SQLite's own limit on the pages of a file raises what a full disk does
        found._connection.execute("PRAGMA max_page_count = 5")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(ResultStore, "open", small)
        sentence = refused(capsys, "paper", "run", *ONE)
    assert sentence == (
        "oddlearn: The store study.sqlite cannot be used (database or disk is full): make room, then start "
        "again; finished trials are kept."
    )
    kept = len(read_results(Path("study.sqlite")))
    assert 1 <= kept < 25
    assert run(capsys, "paper", "run", *ONE)[2].splitlines()[-1].startswith(f"{25 - kept} trials ran.")
