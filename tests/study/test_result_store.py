"""A row is there for good once it is written, and a file that is no store is left alone."""

import os
import sqlite3
from functools import partial

import pytest

import oddlearn
from oddlearn.errors import StoreError
from oddlearn.study import result_store
from oddlearn.study.result_store import SCHEMA, ResultStore
from tests.study.examples import chance_grid, result


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def filled(path, results):
    with ResultStore.open(path) as store:
        for one in results:
            store.add(one, f"model of {one.trial.key}")
    return path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_results_and_models_come_back_as_they_were(path):
    results = chance_grid(["iris"], seeds=(1,), kept=0.5)
    results.append(result(is_tree=True, stability=0.1, scaling="all", flows="", n_nodes=0, objective=1 / 3))
    with ResultStore.open(filled(path, results)) as store:
        assert store.results() == sorted(results, key=lambda one: one.trial)
        assert store.keys() == {one.trial.key for one in results}
        key = results[0].trial.key
        assert store.model(key) == f"model of {key}"
        assert store.model("absent") is None
        assert {type(store.results()[0].trial.is_tree), type(store.results()[0].outcome.is_optimal)} == {bool}


def test_a_trial_is_written_once(path):
    filled(path, [result(objective=0.2)])
    filled(path, [result(objective=0.9)])
    with ResultStore.open(path) as store:
        assert store.results() == [result(objective=0.2)]


def test_a_row_names_the_version_that_wrote_it(path):
    filled(path, [result()])
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT version FROM results").fetchall() == [(oddlearn.__version__,)]
    connection.close()


def test_a_row_is_seen_by_others_while_the_writer_is_at_work(path):
    with ResultStore.open(path) as writer:
        assert writer._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert writer._connection.execute("PRAGMA synchronous").fetchone() == (2,)
        writer.add(result(), "{}")
        with ResultStore.open(path, create=False) as reader:
            assert reader.results() == [result()]


def test_no_store_is_made_by_who_only_reads(path):
    for _ in range(2):
        with pytest.raises(StoreError, match=r"There is no store .*study.sqlite: create one with 'oddlearn"):
            ResultStore.open(path, create=False)
        path.touch()  # an empty file is none either
    assert path.read_bytes() == b""


def test_a_store_whose_making_was_cut_off_is_made_anew(path):
    path.touch()
    filled(path, [result()])
    with ResultStore.open(path) as store:
        assert len(store.keys()) == 1


def database(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def make_newer(path):
    filled(path, [result()])
    database(path, f"PRAGMA user_version = {SCHEMA + 1}")


def make_narrower(path):
    filled(path, [result()])
    database(path, "ALTER TABLE results DROP COLUMN flows")


NO_STORE = "is a database, but not a store of a study: give another file."

MISFITS = {
    "text": (lambda path: path.write_text("dataset,seed\n" * 100), "is not a store of a study: give another"),
    "image": (
        lambda path: path.write_bytes(bytes(range(256)) * 50),
        "is not a store of a study: give another",
    ),
    "another database": (lambda path: database(path, "CREATE TABLE people (name)"), NO_STORE),
    "another's results": (lambda path: database(path, "CREATE TABLE results (key)"), NO_STORE),
    "narrower": (make_narrower, NO_STORE),
    "newer": (make_newer, f"is of version {SCHEMA + 1}, and this oddlearn reads version {SCHEMA}: give"),
}


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("misfit", MISFITS)
def test_a_file_that_is_no_store_is_told_and_not_touched(path, misfit, create):
    make, sentence = MISFITS[misfit]
    make(path)
    before = contents(path.parent)
    with pytest.raises(StoreError, match=sentence):
        ResultStore.open(path, create=create)
    assert contents(path.parent) == before


def test_a_missing_folder_and_a_folder_in_place_of_a_file_are_told(tmp_path):
    for path in (tmp_path / "absent" / "study.sqlite", tmp_path):
        with pytest.raises(StoreError, match=r"unable to open database file\): give a file in a folder that"):
            ResultStore.open(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("trouble", "advice"),
    [
        ("attempt to write a readonly database", "give a file that can be written, in a folder that can"),
        ("database or disk is full", "make room, then start again; finished trials are kept"),
        ("disk I/O error", "make room, then start again; finished trials are kept"),
        ("something new", "give another file"),
    ],
)
def test_what_a_disk_does_is_told_in_a_sentence(path, monkeypatch, trouble, advice):
    class Troubled(sqlite3.Connection):
        def execute(self, statement, *values):
            if statement.startswith("INSERT"):
                raise sqlite3.OperationalError(trouble)
            return super().execute(statement, *values)

    filled(path, [result()])
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Troubled))
    with ResultStore.open(path) as store:
        with pytest.raises(StoreError) as told:
            store.add(result(seed=2), "{}")
        assert store.results() == [result()]
    assert str(told.value) == f"The store {path} cannot be used ({trouble}): {advice}."


def test_a_full_disk_keeps_what_was_written(path):
    # SQLite's own limit on the pages of a file raises what a full disk does
    filled(path, [result()])
    with ResultStore.open(path) as store:
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"database or disk is full\): make room, then start again"):
            store.add(result(seed=2), "x" * 20_000)
    with ResultStore.open(path) as store:
        assert store.results() == [result()]


def test_a_store_that_another_process_keeps_is_told(path, monkeypatch):
    monkeypatch.setattr(result_store, "LOCK_TIMEOUT_SECONDS", 0.05)
    filled(path, [result()])
    with ResultStore.open(path) as store:
        other = sqlite3.connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"database is locked\): another process writes to it"):
            store.add(result(seed=2), "{}")
        assert store.results() == [result()]
        other.close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="Root may write everywhere.")
def test_a_folder_that_may_not_be_written_is_told(path):
    filled(path, [result()])
    path.parent.chmod(0o500)
    with pytest.raises(StoreError, match="can be written"):
        ResultStore.open(path)
    with ResultStore.open(path, create=False) as store:
        assert store.results() == [result()]
    path.parent.chmod(0o700)


@pytest.mark.parametrize("is_cut_off", [False, True])
def test_a_store_in_a_read_only_folder_can_be_read(path, monkeypatch, is_cut_off):
    writer = ResultStore.open(path)
    writer.add(result(), "{}")
    if not is_cut_off:
        writer.close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = contents(path.parent)
    with ResultStore.open(path, create=False) as store:
        assert store.results() == [result()]
        with pytest.raises(StoreError, match="readonly"):
            store.add(result(seed=2), "{}")
    assert contents(path.parent).keys() == before.keys()
    assert contents(path.parent)["study.sqlite"] == before["study.sqlite"]
    writer.close()


def test_damaged_pages_are_told(path):
    filled(path, chance_grid(["iris"], seeds=(1,)))
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with ResultStore.open(path) as store, pytest.raises(StoreError, match=r"malformed\): it is damaged"):
        store.results()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("split = 'oblique'", "split is 'oblique'"),
        ("seed = 1", "A trial occurs twice: iris, seed 1, univariate ODD 1-2-4-8, alpha 0.1, auto, 1 s"),
        ("is_optimal = 7", "is_optimal is 7, and not True or False"),
        ("iterations = 1.5", "iterations is 1.5, and not a whole number"),
        ("flows = '0:5:6:7 1:9:9:7'", "flows has an arc from node 0 to 5, which is no node below it"),
    ],
)
def test_values_changed_by_hand_are_told(path, change, reason):
    filled(path, [result(), result(seed=2)])
    database(path, f"UPDATE results SET {change}")
    with (
        ResultStore.open(path) as store,
        pytest.raises(StoreError, match=rf"changed by hand \({reason}.*\): use"),
    ):
        store.results()
