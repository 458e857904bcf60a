"""The kernel's diagrams of a shape against all diagrams of that shape."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.decode import diagram_of
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop
from oddlearn.solve.budget import Budget
from tests.solve.branch_and_bound.drawn import (
    NONE_SETTLED,
    checkered_problem,
    drawn_problem,
    kernel_of,
    noise_of,
    varies,
)
from tests.solve.branch_and_bound.oracle import least_at_most, least_of_shape

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
        assert kernel.search(widths, False, items.own(budget), 100.0, NONE_SETTLED) is None
        assert not kernel.is_stopped
    # a diagram that is no better than one with fewer nodes may be passed over
    needs_all = least < min((least_at_most(problem, other) for other in fewer(shape)), default=np.inf) - noise
    for budget in (least + 10 * noise, least + 0.4 * items.step) if needs_all else ():
        found = kernel.search(widths, False, items.own(budget), 100.0, NONE_SETTLED)
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
            kernel.search(np.array(shape, dtype=np.int32), False, 1.0, 1.0, NONE_SETTLED)


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 2, 2)], ids=str)
def test_cuts_of_the_root_that_are_settled_are_left_out_and_no_others(shape):
    """Each root that is found is settled in turn: the next diagram has another, which had not been passed."""
    n_found = 0
    for seed in range(20):
        problem = drawn_problem(seed + 600, 7)
        if not varies(problem):
            continue
        items, kernel = kernel_of(problem, len(shape))
        budget = items.own(least_at_most(problem, shape) + 1.4 * items.step)
        widths, settled, found = np.array(shape, dtype=np.int32), NONE_SETTLED, []
        while (layers := kernel.search(widths, False, budget, 100.0, settled)) is not None:
            root = layers[0][0][:2]
            passed = [mark[:2] for mark in kernel.finished_root_splits() if mark[2] == 0]
            assert root not in found and root not in passed
            found.append(root)
            settled = np.array([(*root, kind) for root in found for kind in range(3)], dtype=np.int32)
        n_found += len(found)
        marks = [mark[:2] for mark in kernel.finished_root_splits()]
        assert not set(marks) & set(found)
    assert n_found > 20


def noise(seed, levels):
    random = np.random.default_rng(seed)
    data = TrainingData.collect(random.random((24, 2)), random.integers(0, 2, 24), 2)
    return Workshop(build_problem(data, Skeleton((1,)), 0.1, "univariate", 1e-9), levels, 0)


@pytest.mark.parametrize("shape", [(1, 2, 1), (1, 2, 1, 1)], ids=str)
def test_a_larger_cutoff_begins_anew(shape):
    for seed in range(15):
        grown = noise(seed, len(shape))
        found, cutoff = None, 0.0
        while found is None:
            cutoff += 1.0
            found = grown.search(shape, cutoff, Budget.of(60.0))
            assert (found is None) == (noise(seed, len(shape)).search(shape, cutoff, Budget.of(60.0)) is None)
        check_pieces(seed, shape, cutoff)


def check_pieces(seed, shape, least):
    """A search in pieces ends where one in a piece does: with nothing at the least cutoff but one."""
    for cutoff in (least - 1.0, least):
        pieces, found, seconds = noise(seed, len(shape)), None, 1e-5
        while found is None and (seconds == 1e-5 or not pieces.is_done):
            found = pieces.search(shape, cutoff, Budget.of(seconds))
            seconds *= 1.2
        assert (found is None) == (cutoff < least)


def test_a_cut_of_the_root_that_was_cut_short_does_not_count_as_passed():
    """Ended at many moments: the root of the diagram that a whole search finds is never among the passed."""
    shape, cutoff = (1, 2, 1), 7.0
    for seed in range(6):
        whole = noise(seed, len(shape)).search(shape, cutoff, Budget.of(60.0))
        assert whole is not None
        for seconds in np.geomspace(1e-4, 1e-2, 80):
            made = noise(seed, len(shape))
            made.search(shape, cutoff, Budget.of(seconds))
            assert whole[0][0][:2] not in [mark[:2] for mark in made.kernel.finished_root_splits()]
