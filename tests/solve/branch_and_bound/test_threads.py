"""Proofs in several threads against brute force and one thread: the same bounds, the same diagrams."""

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.branch_and_bound.kernel_options import KernelOptions, MemoryLimit, MemoryLimitError
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles.brute_force import optimal_objective
from tests.solve.branch_and_bound.drawn import checkered_problem, drawn_problem, noise_of, varies
from tests.solve.branch_and_bound.oracle import best_tree_cost, least_at_most
from tests.solve.branch_and_bound.test_search import SHORT, check_found, fewer
from tests.solve.branch_and_bound.test_stopping import noise_problem

FOREVER = Budget.of(None)
LONG_SHORT = [widths for widths in SHORT if len(widths) > 2] + [(1, 2, 2, 1), (1, 2, 1, 2)]


def has_integer_costs(items):
    """True if sums of costs have no rounding errors, which decide ties otherwise."""
    return bool((items.gain == np.round(items.gain)).all())


def runner(problem, levels, n_jobs, log_entries=10):
    return KernelRunner(problem, levels, 0, log_entries=log_entries, options=KernelOptions(n_jobs))


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
@pytest.mark.parametrize("levels", [3, 4])
def test_the_best_tree_is_that_of_brute_force_and_of_one_thread(levels, n_jobs):
    n_trees = 0
    for seed in range(60):
        problem = drawn_problem(seed + 1000 * levels, 9)
        if not varies(problem):
            continue
        random = np.random.default_rng(seed)
        prices = np.where(random.random() < 0.5, 0.3, 0.0) * np.arange(levels)
        single = (random.random(levels) < 0.3 * (seed % 2)).astype(np.int32)
        single[0] = 0
        one, many = (runner(problem, levels, jobs, (10, 2)[seed % 2]) for jobs in (1, n_jobs))
        truth = best_tree_cost(problem, prices * one.items.step, single)
        values = [made.bound(prices, single, np.inf, FOREVER) for made in (one, many)]
        assert all(exact for _, exact in values)
        for made, (value, _) in zip((one, many), values, strict=True):
            assert made.items.from_units(value) == pytest.approx(truth, abs=noise_of(problem))
        if not single.any() and has_integer_costs(one.items):
            trees = [made.tree(value, FOREVER) for made, (value, _) in zip((one, many), values, strict=True)]
            assert trees[0] == trees[1]
            n_trees += trees[0][0] is not None
        # a cutoff at the optimum is refuted
        value, _ = runner(problem, levels, n_jobs).bound(prices, single, values[0][0], FOREVER)
        assert value >= values[0][0] - noise_of(problem)
    assert n_trees > 5


@pytest.mark.parametrize("n_jobs", [2, 4])
@pytest.mark.parametrize("widths", LONG_SHORT, ids=str)
def test_a_search_finds_what_brute_force_and_one_thread_find(widths, n_jobs):
    drawn = [drawn_problem(seed + 100 * sum(widths), 6 if sum(widths) < 7 else 5) for seed in range(12)]
    checkered = [checkered_problem(seed + 100 * sum(widths)) for seed in range(6)]
    for problem in filter(varies, drawn + checkered):
        least = least_at_most(problem, widths)
        needs_all = least < min(least_at_most(problem, other) for other in fewer(widths)) - noise_of(problem)
        one, many = (runner(problem, len(widths), jobs) for jobs in (1, n_jobs))
        for cost, is_there in ((least, False), (least + 0.4 * one.items.step, needs_all)):
            found = [made.search(widths, made.items.to_units(cost), FOREVER) for made in (one, many)]
            assert all(made.is_done for made in (one, many))
            if has_integer_costs(one.items):
                assert found[0] == found[1]
            assert (found[0] is None) == (found[1] is None)
            assert (found[0] is not None) >= is_there
            if is_there:
                check_found(problem, one.items, widths, found[1], cost)
            assert is_there or cost > least or found[1] is None


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_a_proof_in_four_threads_has_the_optimum_and_the_diagram_of_one(seed, tree_only):
    problem = drawn_problem(seed + 5000, 6, "1-2-4" if tree_only else "1-2-2", 0.05, tree_only)
    states = [
        BranchAndBound(n_jobs=n_jobs).run(SolveState.initial(problem), Budget.of(60.0), ignore).check()
        for n_jobs in (1, 2, 4)
    ]
    optimum = optimal_objective(problem)
    for state in states:
        assert state.is_optimal or state.objective <= optimum + 1e-6
        assert state.lower_bound == pytest.approx(optimum, rel=1e-6, abs=1e-6)
        assert evaluate(problem, state.diagram).objective == pytest.approx(states[0].objective, abs=1e-12)
        if not varies(problem) or has_integer_costs(WeightedItems.from_problem(problem)):
            assert state.diagram == states[0].diagram


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_unfinished_proofs_repeat_exactly(n_jobs):
    problem = noise_problem(n=120, d=5, skeleton="1-2-2-2")
    ends = []
    for _ in range(2):
        state, meters = SolveState.initial(problem), []
        for work in (0.02, 0.1, 0.2):
            budget = Budget.of(None).limit_work(work)
            state = BranchAndBound(n_jobs=n_jobs).run(state, budget, ignore)
            meters.append(budget.meter.seconds)
        ends.append((state.objective, state.diagram, state.bounds.objectives(problem).tolist(), meters))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("max_memory", [1, 200_000, 52_000_000, 52_200_000])
def test_a_proof_that_reaches_its_memory_ends_with_a_sentence(max_memory, tree_only):
    problem = noise_problem(n=100, d=8, skeleton="1-2-4", tree_only=tree_only)
    solver = BranchAndBound(max_memory=max_memory)
    state = solver.run(SolveState.initial(problem), Budget.of(0.5), ignore).check()
    evidence = state.evidence[-1]
    if max_memory < 52_000_000:
        assert f"it needs more than {MemoryLimit(max_memory)} of memory" in evidence.text
        assert evidence.status == "unfinished"
        assert solver.name not in state.resumable
    assert state.lower_bound <= state.objective


def test_lists_of_splits_stay_within_the_memory():
    """The kernel itself ends when a list would grow beyond the limit, and what it returns is no proof."""
    problem = noise_problem(n=100, d=8, skeleton="1-2-4")
    free = runner(problem, 3, 1)
    cutoff = 0.9 * free.items.base.sum()
    memory = MemoryLimit(free.kernel.n_bytes + 5_000)
    tight = KernelRunner(problem, 3, 0, log_entries=10, options=KernelOptions(1, memory))
    with pytest.raises(MemoryLimitError):
        tight.search((1, 2, 2), cutoff, FOREVER)
    assert tight.kernel.is_out_of_memory and not tight.is_done
    assert tight.kernel.n_bytes <= memory.max_bytes
    assert free.search((1, 2, 2), cutoff, FOREVER) is not None
    assert free.kernel.n_bytes > memory.max_bytes


def test_threads_that_the_memory_has_no_room_for_are_left_out():
    problem = drawn_problem(3, 9)
    one = runner(problem, 3, 1)
    memory = MemoryLimit(int(2.5 * one.kernel.n_bytes))
    few = KernelRunner(problem, 3, 0, log_entries=10, options=KernelOptions(4, memory))
    arguments = np.zeros(3), np.zeros(3, dtype=np.int32), np.inf, FOREVER
    assert few.bound(*arguments) == one.bound(*arguments)
    assert memory.n_left < one.kernel.n_bytes


@pytest.mark.parametrize("options", [{"n_jobs": 0}, {"n_jobs": 1.5}, {"max_memory": 0}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        BranchAndBound(**options)
