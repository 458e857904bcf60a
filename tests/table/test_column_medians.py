import numpy as np
import pytest

from oddlearn.errors import MissingColumnWarning
from oddlearn.table import column_medians as medians
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.encoding import learn_encoding


@pytest.mark.parametrize("seed", range(10))
def test_medians_of_many_columns_are_those_of_each(seed, monkeypatch):
    monkeypatch.setattr(medians, "SORTED_CELLS", 60)
    random = np.random.default_rng(seed)
    rows = random.integers(0, 9, (random.integers(1, 20), 7)).astype(float)
    rows[random.random(rows.shape) < 0.1 * (seed % 4)] = np.nan
    present = [column[~np.isnan(column)] for column in rows.T]
    expected = [float(np.median(values)) if values.size else 0.0 for values in present]
    assert medians.column_medians(rows).tolist() == expected


def test_of_a_long_column_rows_spread_evenly_are_enough(monkeypatch):
    monkeypatch.setattr(medians, "MAX_MEDIAN_ROWS", 10)
    assert medians.column_medians(np.arange(95.0)[:, None]).tolist() == [45.0]


@pytest.mark.parametrize("seed", range(8))
def test_a_missing_number_is_filled_by_the_median_of_its_column(seed):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 9, 1 + seed).astype(float)
    padded = np.append(numbers, [np.nan] * (seed % 3))
    assert fill_of(padded) == np.median(numbers)
    assert fill_of(np.array([1.7e308, 1.5e308])) < np.inf
    with pytest.warns(MissingColumnWarning):
        assert fill_of(np.array([np.nan])) == 0.0


def fill_of(values):
    return learn_encoding(ColumnTable((RawColumn("c", values),)), fill=True).columns[0].fill
