"""Columns of a file: their kinds, rows of them, and what an estimator is given."""

import numpy as np
import pytest

from oddlearn.table.column_table import Column


def column(values, missing=None, **options):
    values = np.array(values) if not isinstance(values, np.ndarray) else values
    missing = np.zeros(len(values), dtype=bool) if missing is None else np.array(missing)
    return Column("c", values, missing, **options)


KINDS = {
    "number": np.array([1.5, 2.0, 3.0]),
    "boolean": np.array([True, False, True]),
    "text": np.array(["a", "b", "a"], dtype=object),
    "date": np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[us]"),
    "duration": np.array([1, 2, 3], dtype="timedelta64[us]"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kind_rows_and_missing_values_of_a_column(kind):
    given = column(KINDS[kind], [False, True, False], texts=np.array(["x", "y", "z"], dtype=object))
    assert (given.kind, given.n_missing) == (kind, 1)
    part = given.rows(np.array([2, 1]))
    assert part.values.tolist() == KINDS[kind][[2, 1]].tolist()
    assert (part.missing.tolist(), part.texts.tolist(), part.kind) == ([False, True], ["z", "y"], kind)
    assert column(KINDS[kind]).rows(np.array([0])).texts is None


def test_plain_values_are_numbers_booleans_or_strings():
    assert column(KINDS["number"]).plain_values.tolist() == [1.5, 2.0, 3.0]
    assert column(KINDS["boolean"]).plain_values.tolist() == [True, False, True]
    texts = column(KINDS["text"]).plain_values
    assert (texts.tolist(), texts.dtype.kind) == (["a", "b", "a"], "U")
    dates = column(KINDS["date"], texts=np.array(["1.1.", "2.1.", "3.1."], dtype=object))
    assert dates.plain_values.tolist() == ["1.1.", "2.1.", "3.1."]
    assert column(KINDS["date"]).plain_values[0].startswith("2020-01-01")
    assert column(KINDS["number"]).as_text().values.tolist() == ["1.5", "2.0", "3.0"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_estimator_is_given_missing_values_as_it_knows_them(kind):
    whole = column(KINDS[kind], is_utc=True).to_raw()
    assert whole.is_utc and np.array_equal(whole.values, KINDS[kind])
    values = column(KINDS[kind], [False, True, False]).to_raw().values
    assert values[[0, 2]].tolist() == KINDS[kind][[0, 2]].tolist()
    if kind == "number":
        assert np.isnan(values[1])
    elif kind in ("date", "duration"):
        assert np.isnat(values[1])
    else:
        assert values[1] is None
    assert column(np.array([1, 2]), [True, False]).to_raw().values.dtype == np.float64
