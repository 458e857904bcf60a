"""The kernel's diagrams of a shape against all diagrams of that shape."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from oddlearn.branch.assemble import diagram_of
from oddlearn.diagram import Skeleton
from oddlearn.problem import evaluate
from tests.branch.drawn import checkered_problem, drawn_problem, kernel_of, noise_of, varies
from tests.branch.oracle import least_at_most, least_of_shape

SHORT = [(1,), (1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 1, 2), (1, 2, 2), (1, 2, 3), (1, 2, 4)]
LONG = [(1, 2, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1), (1, 2, 1, 2), (1, 1, 1, 2), (1, 2, 2, 2)]


def problems(shape):
    most_rows = 6 if sum(shape) < 7 else 5
    for seed in range(20):
        yield drawn_problem(seed + 100 * sum(shape), most_rows)
    for seed in range(10):
        yield checkered_problem(seed + 100 * sum(shape))


def fewer(shape):
    """Return the shapes with one node less."""
    less = [(*shape[:k], shape[k] - 1, *shape[k + 1 :]) for k in range(len(shape))]
    cut = [other[: other.index(0)] if 0 in other else other for other in less]
    return [other for other in cut if other and all(b <= 2 * a for a, b in pairwise(other))]


@pytest.mark.parametrize("shape", SHORT + LONG, ids=str)
def test_what_is_below_the_budget_is_found_and_nothing_else(shape):
    for number, problem in enumerate(problems(shape)):
        if varies(problem) and problem.data.n_rows < 7:
            settings = {"LOG_MEMORY": (10, 2)[number % 2], "SLACK": (0.0, 0.02)[number % 3 > 0]}
            check_search(problem, shape, settings)


def check_search(problem, shape, settings):
    items, kernel = kernel_of(problem, len(shape), **settings)
    widths, noise = np.array(shape, dtype=np.int32), noise_of(problem)
    least, any_ = least_of_shape(problem, shape), least_at_most(problem, shape)
    for budget in (any_, any_ - 0.3 * items.step):
        assert kernel.search(widths, False, items.own(budget), 100.0) is None
        assert not kernel.is_stopped
    # a diagram that is no better than one with fewer nodes may be passed over
    needs_all = least < min((least_at_most(problem, other) for other in fewer(shape)), default=np.inf) - noise
    for budget in (least + 10 * noise, least + 0.4 * items.step) if needs_all else ():
        found = kernel.search(widths, False, items.own(budget), 100.0)
        assert found is not None, f"{shape} costs {least}"
        check_found(problem, items, shape, found, budget)


def check_found(problem, items, shape, found, budget):
    """The diagram fits the shape and costs less than the budget, by the one function that decides."""
    assert [len(nodes) for nodes in found] == list(shape)
    inside = replace(problem, skeleton=Skeleton(shape))
    assert evaluate(inside, diagram_of(problem, items, found)).cost < budget


def test_more_layers_or_wider_ones_than_there_is_room_for_are_refused():
    _, kernel = kernel_of(drawn_problem(3, 8), 3)
    for shape in ([1, 1, 1, 1], [1, 2, 17]):
        with pytest.raises(ValueError, match="too many"):
            kernel.search(np.array(shape, dtype=np.int32), False, 1.0, 1.0)
