"""Parquet files give the columns that CSV files of the same table give."""

import sys

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.table.read_table import read_table

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

FRAME = pandas.DataFrame(
    {
        "whole": [3, 1, 2],
        "number": [0.5, np.nan, 2.25],
        "truth": [True, False, True],
        "text": ["red", None, "dark blue"],
        "category": pandas.Categorical(["x", "y", "x"]),
    }
)


@pytest.fixture
def path(tmp_path):
    FRAME.to_parquet(tmp_path / "data.parquet")
    return str(tmp_path / "data.parquet")


def test_parquet_and_csv_give_the_same_columns(path, tmp_path):
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    stored, written = read_table(path), read_table(str(tmp_path / "data.csv"))
    for one, other in zip(stored.columns, written.columns, strict=True):
        assert (one.name, one.kind) == (other.name, other.kind)
        assert one.missing.tolist() == other.missing.tolist()
        assert one.values[~one.missing].tolist() == other.values[~other.missing].tolist()


def test_named_columns_are_read_as_text(path):
    assert read_table(path, text_columns=("whole",)).columns[0].values.tolist() == ["3", "1", "2"]


def test_dates_and_large_whole_numbers_are_read(tmp_path):
    frame = pandas.DataFrame(
        {"day": pandas.to_datetime(["2020-01-01", None]), "large": np.array([2**63 + 5, 1], dtype=np.uint64)}
    )
    frame.to_parquet(tmp_path / "data.parquet")
    day, large = read_table(str(tmp_path / "data.parquet")).columns
    assert (day.kind, day.missing.tolist()) == ("date", [False, True])
    assert day.missing.tolist() == [False, True]
    assert large.values.tolist() == [2.0**63, 1.0]


def test_without_pyarrow_it_is_said_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidInputError, match=r'pip install "oddlearn\[tables\]"'):
        read_table(path)


def test_a_truncated_file_is_refused(path, tmp_path):
    content = (tmp_path / "data.parquet").read_bytes()
    (tmp_path / "data.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(InvalidInputError, match="not a whole Parquet file"):
        read_table(path)
