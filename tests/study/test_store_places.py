"""Where a store may be, and what is told of it before anything is made or run."""

import os
from functools import partial

import pytest

from oddlearn.errors import StoreError
from oddlearn.study.result_store import ResultStore
from tests.study.examples import result
from tests.study.test_result_store import contents, filled


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.mark.parametrize(
    "open_it", [ResultStore.open, partial(ResultStore.open, create=False), ResultStore.check]
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.xz"])
def test_no_store_is_made_under_the_name_of_a_csv_file(tmp_path, ending, open_it):
    with pytest.raises(StoreError) as told:
        open_it(tmp_path / f"new.{ending}")
    assert str(told.value) == (
        f"A store cannot be named {tmp_path}/new.{ending}, as .{ending.split('.')[-1]} is the suffix of an "
        "exported CSV file: give a name such as study.sqlite."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_has_such_a_name_can_be_used(path):
    named = filled(path, [result()]).rename(path.with_suffix(".csv"))
    ResultStore.check(named)
    with ResultStore.open(named) as store:
        assert store.results() == [result()]


def test_a_place_is_checked_without_a_trace(path):
    ResultStore.check(path)
    assert list(path.parent.iterdir()) == []
    filled(path, [result()])
    before = contents(path.parent)
    ResultStore.check(path)
    assert contents(path.parent) == before


def test_a_place_where_no_store_can_be_is_told_without_a_trace(tmp_path, monkeypatch):
    (tmp_path / "notes").write_text("mine, and no store")
    before = contents(tmp_path)
    for place in (tmp_path, tmp_path / "absent" / "study.sqlite", tmp_path / "notes" / "study.sqlite"):
        with pytest.raises(StoreError, match=r"unable to open database file\): give a file in a folder that"):
            ResultStore.check(place)
    with pytest.raises(StoreError, match="is not a store of a study"):
        ResultStore.check(tmp_path / "notes")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match="in a folder that exists and can be written"):
        ResultStore.check(tmp_path / "study.sqlite")
    assert contents(tmp_path) == before


def test_the_versions_that_wrote_results_are_told_once_each(path, monkeypatch):
    with ResultStore.open(path) as store:
        assert store.versions() == ()
    for seed, version in enumerate(("0.9", "0.2", "0.9"), start=1):
        monkeypatch.setattr("oddlearn.study.result_store.__version__", version)
        filled(path, [result(seed=seed)])
    with ResultStore.open(path) as store:
        assert store.versions() == ("0.2", "0.9")
