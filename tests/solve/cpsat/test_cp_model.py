"""What a bound of CP-SAT says of all diagrams: rounded down, and never above what lies outside the model."""

import pytest

from oddlearn.solve.cpsat.cp_model import CostLimits, CpModelBuilder


@pytest.mark.parametrize(
    ("min_cost", "max_cost", "bound", "expected"),
    [
        (0, None, 7.0, 7),
        (0, None, 6.9999999, 7),  # noise of floating point
        (0, None, 6.9, 6),
        (0, None, -3.0, 0),
        (5, None, 3.0, 5),
        (5, 9, 8.0, 8),
        (5, 9, 9.0, 9),
        (5, 9, 25.0, 10),  # diagrams that cost 10 are not in the model
        (5, 9, 10.0, 10),
    ],
)
def test_a_bound_holds_for_diagrams_outside_the_model(min_cost, max_cost, bound, expected):
    builder = CpModelBuilder.__new__(CpModelBuilder)
    builder._limits = CostLimits(min_cost, max_cost)
    assert builder._proved_bound(bound) == expected
