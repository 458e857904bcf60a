"""The kernel's diagrams with given layer widths against all of them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.decode import decode_diagram
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.budget import Budget
from tests.solve.branch_and_bound.drawn import (
    NONE_FINISHED,
    build_kernel,
    checkered_problem,
    drawn_problem,
    noise_of,
    varies,
)
from tests.solve.branch_and_bound.oracle import least_at_most, least_with_widths

SHORT = [(1,), (1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 1, 2), (1, 2, 2), (1, 2, 3), (1, 2, 4)]
LONG = [(1, 2, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1), (1, 2, 1, 2), (1, 1, 1, 2), (1, 2, 2, 2)]


def problems(widths):
    most_rows = 6 if sum(widths) < 7 else 5
    for seed in range(10):
        yield drawn_problem(seed + 100 * sum(widths), most_rows)
    for seed in range(6):
        yield checkered_problem(seed + 100 * sum(widths))


def fewer(widths):
    """Return the layer widths with one node less."""
    less = [(*widths[:k], widths[k] - 1, *widths[k + 1 :]) for k in range(len(widths))]
    shortened = [other[: other.index(0)] if 0 in other else other for other in less]
    return [other for other in shortened if other and all(b <= 2 * a for a, b in pairwise(other))]


@pytest.mark.parametrize("widths", SHORT + LONG, ids=str)
def test_what_is_below_the_budget_is_found_and_nothing_else(widths):
    for number, problem in enumerate(problems(widths)):
        if varies(problem) and problem.data.n_rows < 7:
            settings = {"LOG_ENTRIES": (10, 2)[number % 2], "SIDE_SLACK": (0.0, 0.02)[number % 3 > 0]}
            check_search(problem, widths, settings)


def check_search(problem, widths, settings):
    items, kernel = build_kernel(problem, len(widths), **settings)
    layer_array, noise = np.array(widths, dtype=np.int32), noise_of(problem)
    least, any_ = least_with_widths(problem, widths), least_at_most(problem, widths)
    for budget in (any_, any_ - 0.3 * items.step):
        assert kernel.search(layer_array, False, items.to_units(budget), 100.0, NONE_FINISHED) is None
        assert not kernel.is_stopped
    # a diagram that is no better than one with fewer nodes may be skipped
    needs_all = (
        least < min((least_at_most(problem, other) for other in fewer(widths)), default=np.inf) - noise
    )
    for budget in (least + 10 * noise, least + 0.4 * items.step) if needs_all else ():
        found = kernel.search(layer_array, False, items.to_units(budget), 100.0, NONE_FINISHED)
        assert found is not None, f"{widths} costs {least}"
        check_found(problem, items, widths, found, budget)


def check_found(problem, items, widths, found, budget):
    """The diagram has the layer widths and costs less than the budget, by the one function that decides."""
    assert [len(nodes) for nodes in found] == list(widths)
    inside = replace(problem, skeleton=Skeleton(widths))
    assert evaluate(inside, decode_diagram(problem, items, found)).cost < budget


def test_more_layers_or_wider_ones_than_there_is_room_for_are_refused():
    _, kernel = build_kernel(drawn_problem(3, 8), 3)
    for widths in ([1, 1, 1, 1], [1, 2, 17]):
        with pytest.raises(ValueError, match="too many"):
            kernel.search(np.array(widths, dtype=np.int32), False, 1.0, 1.0, NONE_FINISHED)


@pytest.mark.parametrize("widths", [(1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 2, 2)], ids=str)
def test_root_splits_that_are_finished_are_left_out_and_no_others(widths):
    """Each root that is found is finished in turn: the next diagram has another, which was not finished."""
    n_found = 0
    for seed in range(20):
        problem = drawn_problem(seed + 600, 7)
        if not varies(problem):
            continue
        items, kernel = build_kernel(problem, len(widths))
        budget = items.to_units(least_at_most(problem, widths) + 1.4 * items.step)
        layer_array, finished, found = np.array(widths, dtype=np.int32), NONE_FINISHED, []
        while (layers := kernel.search(layer_array, False, budget, 100.0, finished)) is not None:
            root = layers[0][0][:2]
            searched = [mark[:2] for mark in kernel.finished_root_splits() if mark[2] == 0]
            assert root not in found and root not in searched
            found.append(root)
            finished = np.array([(*root, kind) for root in found for kind in range(3)], dtype=np.int32)
        n_found += len(found)
        marks = [mark[:2] for mark in kernel.finished_root_splits()]
        assert not set(marks) & set(found)
    assert n_found > 20


def noise(seed, levels):
    random = np.random.default_rng(seed)
    data = TrainingData.collect(random.random((24, 2)), random.integers(0, 2, 24), 2)
    return KernelRunner(build_problem(data, Skeleton((1,)), 0.1, "univariate", 1e-9), levels, 0)


@pytest.mark.parametrize("widths", [(1, 2, 1), (1, 2, 1, 1)], ids=str)
def test_a_larger_cutoff_begins_anew(widths):
    for seed in range(15):
        grown = noise(seed, len(widths))
        found, cutoff = None, 0.0
        while found is None:
            cutoff += 1.0
            found = grown.search(widths, cutoff, Budget.of(60.0))
            assert (found is None) == (
                noise(seed, len(widths)).search(widths, cutoff, Budget.of(60.0)) is None
            )
        check_pieces(seed, widths, cutoff)


def check_pieces(seed, widths, least):
    """A search in pieces ends where one in a piece does: with nothing at the least cutoff but one."""
    for cutoff in (least - 1.0, least):
        pieces, found, seconds = noise(seed, len(widths)), None, 1e-5
        while found is None and (seconds == 1e-5 or not pieces.is_done):
            found = pieces.search(widths, cutoff, Budget.of(seconds))
            seconds *= 1.2
        assert (found is None) == (cutoff < least)


def test_a_root_split_that_ran_out_of_time_does_not_count_as_finished():
    """Stopped at many moments: the root that an unlimited search finds is never among the finished ones."""
    widths, cutoff = (1, 2, 1), 7.0
    for seed in range(6):
        unlimited = noise(seed, len(widths)).search(widths, cutoff, Budget.of(60.0))
        assert unlimited is not None
        for seconds in np.geomspace(1e-4, 1e-2, 80):
            made = noise(seed, len(widths))
            made.search(widths, cutoff, Budget.of(seconds))
            assert unlimited[0][0][:2] not in [mark[:2] for mark in made.kernel.finished_root_splits()]
