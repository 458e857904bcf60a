"""kill -9 in the middle of a run costs the trials in flight, and nothing else."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from oddlearn.cli.main import main
from oddlearn.study.result_store import read_results
from oddlearn.study.tables import build_tables
from oddlearn.study.tables.proof_tables import build_performance_table

# 25 trials that all end by proof, as soon as the search has a certain objective: they come to the same
# however often they run
OF_IRIS = ("--dataset", "iris", "--seeds", "1", "--split", "multivariate")
WANTED = (*OF_IRIS, "--part", "grid", "--seconds", "60")
N_WANTED = 25

# enough to see that they are kept, few enough that most are missing
ENOUGH = 3

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")


def run_here(path):
    assert main(["paper", "run", "--store", str(path), *WANTED]) == 0


def rows_of(path):
    """Return all that the store has, by key."""
    with closing(sqlite3.connect(path)) as connection:
        return {row[0]: row for row in connection.execute("SELECT * FROM results")}


def count(path):
    """Return how many rows there are so far; none while the file is being made."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT COUNT(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def run_and_kill(path):
    """Start a run with two processes that work, and kill all of them once a few trials are written."""
    command = [sys.executable, "-m", "oddlearn", "paper", "run", "--store", str(path), "--jobs", "2", *WANTED]
    study = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while count(path) < ENOUGH and study.poll() is None:
            time.sleep(0.01)
    finally:
        os.killpg(study.pid, signal.SIGKILL)
        study.wait()
    assert study.returncode == -signal.SIGKILL


def test_a_killed_run_is_taken_up_where_it_was(tmp_path, capsys):
    killed, whole = tmp_path / "killed" / "study.sqlite", tmp_path / "whole.sqlite"
    killed.parent.mkdir()
    run_and_kill(killed)
    # what was written is in a log beside the file still; looking at a copy leaves it there
    assert killed.with_name("study.sqlite-wal").stat().st_size > 0
    shutil.copytree(killed.parent, tmp_path / "copy")
    before = rows_of(tmp_path / "copy" / "study.sqlite")
    assert ENOUGH <= len(before) < N_WANTED

    capsys.readouterr()
    run_here(killed)
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"{N_WANTED - len(before)} trials ran.")
    after = rows_of(killed)
    assert len(after) == N_WANTED
    assert {key: after[key] for key in before} == before
    assert [path.name for path in killed.parent.iterdir()] == ["study.sqlite"]

    run_here(whole)
    found, expected = read_results(killed), read_results(whole)
    assert [(one.trial, one.outcome.objective) for one in found] == [
        (one.trial, one.outcome.objective) for one in expected
    ]
    assert all(one.outcome.is_optimal for one in found)
    assert build_performance_table(found) == build_performance_table(expected)

    exported = tmp_path / "study.csv.xz"
    assert main(["paper", "export", str(exported), "--store", str(killed)]) == 0
    assert build_tables(read_results(exported)) == build_tables(found)
