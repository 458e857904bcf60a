"""From which size on a table is large, and which of its steps are left out then."""

import pytest

from oddlearn import Construct, LocalSearch, Milp
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.solver import HistogramSearch
from oddlearn.solve.large_tables import (
    has_large_bounds,
    is_large,
    is_large_table,
    unless_large,
    uses_histogram,
)
from oddlearn.solve.schedule import AutoSchedule
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, always
from tests.oracles.tiny import tiny_problem
from tests.solve.histogram.raw_tables import raw_problem


@pytest.mark.parametrize(
    ("n_rows", "n_features", "n_classes", "expected"),
    [
        (50_000, 40, 2, True),
        (50_000, 40, 1, True),
        (49_999, 41, 2, False),
        (50_000, 39, 2, False),
        (50_000, 39, 3, True),
        (50_000, 10, 31, False),
        (50_000, 10, 32, True),
        (100_000, 20, 2, True),
        (2_000_000, 1, 2, True),
        (1_999_999, 1, 2, False),
    ],
)
def test_a_table_is_large_by_its_rows_its_values_and_its_classes(n_rows, n_features, n_classes, expected):
    assert is_large(n_rows, n_features, n_classes) == expected


def test_solvers_that_are_named_search_large_tables_themselves():
    assert uses_histogram(LocalSearch(), None) and uses_histogram(HistogramSearch(), AutoSchedule())
    assert not uses_histogram(Construct(), None) and not uses_histogram(LocalSearch(), Milp())


def test_large_tables_are_told_from_others(monkeypatch):
    small = LoopStatus(SolveState.initial(tiny_problem(1)), Budget.of(1.0))
    raw = LoopStatus(SolveState.initial(raw_problem(0)), Budget.of(1.0))
    assert (is_large_table(small), is_large_table(raw)) == ("", None)
    assert (has_large_bounds(small), has_large_bounds(raw)) == ("", None)
    assert has_large_bounds(LoopStatus(raw.state, Budget.of(1.0, 5))) == ""

    def is_later(status):
        """It is later."""
        return "Later."

    later = unless_large(is_later)
    assert later.__doc__ == "The table is not large; It is later."
    assert (later(small), later(raw)) == ("Later.", "")
    assert (unless_large(always)(small), unless_large(always)(raw)) == (None, "")
    monkeypatch.setattr("oddlearn.solve.large_tables.is_large", lambda *sizes: True)
    assert is_large_table(small) is None
