import numpy as np
import pytest

from oddlearn.table import column_medians as medians


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
