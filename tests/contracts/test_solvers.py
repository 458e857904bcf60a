"""Every solver of the schedules: it improves the state or leaves it, and its bounds are true."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from oddlearn.problem.large_data import LargeData
from oddlearn.problem.scaling import RankScaling
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import wide_search
from oddlearn.solve.histogram.sample_search import merge_rows, take_sample
from oddlearn.solve.schedule import (
    EXACT_SOLVERS,
    SEARCHES,
    AutoSchedule,
    build_schedule,
    build_solver,
)
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles.brute_force import optimal_objective
from tests.oracles.constrained import feasible_optimum
from tests.oracles.sparse_brute_force import best_by_lines, draw_numbers
from tests.oracles.tiny import tiny_problem
from tests.oracles.tiny_constrained import constrained_problem
from tests.solve.histogram.raw_tables import raw_problem

SPLITS = ("univariate", "multivariate")


def registered_solvers():
    """Return every solver that a name or a schedule can bring in, by name."""
    solvers = [build_solver(entry, 0, 1) for entry in (*SEARCHES.values(), *EXACT_SOLVERS.values())]
    for split in SPLITS:
        schedule = build_schedule(split, solvers[0], AutoSchedule(), Budget.of(None))
        solvers += [step.solver for step in (*schedule.all_steps, *schedule.final)]
    return {solver.name: solver for solver in solvers}


SOLVERS = registered_solvers()
PROBLEMS = [
    *(tiny_problem(seed, SPLITS[seed % 2]) for seed in range(6)),
    *(constrained_problem(seed, kinds=("fair",)) for seed in (11, 15)),
    *(raw_problem(seed, n_rows=6, values=3, widths=(1, 2)) for seed in (0, 1)),
    *(draw_numbers(seed) for seed in (1, 2, 3)),  # sums of at most two terms
]
# solvers that see the rows of a large table where they are
TAKE_LARGE = ("class_count", "histogram", "large_bounds", "wide_stump")


@cache
def find_optimum(place):
    problem = PROBLEMS[place]
    if problem.term_limit is not None:
        return best_by_lines(problem) / problem.total_weight
    if isinstance(problem.data, LargeData):
        rows = take_sample(problem, np.arange(problem.data.n_rows))
        problem = merge_rows(replace(rows, data=replace(rows.data, X=RankScaling.rank(rows.data.X)[1])))
    return feasible_optimum(problem) if len(problem.rows) else optimal_objective(problem)


def test_all_solvers_are_here():
    assert set(SOLVERS) == {
        *("local_search", "histogram", "construct", "branch_and_bound", "milp", "cpsat"),
        *("root_bounds", "lp_relaxation", "lagrangian", "single_hyperplane", "sparse_split"),
        *("node_hyperplanes", "several_hyperplanes"),
        *("greedy_tree", "logistic_regression", "class_tree", "soft_diagrams", "separated_classes"),
        *("single_features", "regularise_hyperplanes", "class_count", "large_bounds", "wide_stump"),
    }


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_improves_the_state_and_its_bounds_are_true(name, monkeypatch):
    solver, n_supported = SOLVERS[name], 0
    if name == "wide_stump":  # tables of three columns are wide here
        monkeypatch.setattr(wide_search, "MIN_WIDE_COLUMNS", 1)
    for place, problem in enumerate(PROBLEMS):
        if isinstance(problem.data, LargeData) and name not in TAKE_LARGE:
            continue
        if solver.unsupported_reasons(problem):
            continue
        n_supported, optimum = n_supported + 1, find_optimum(place)
        before = SolveState.initial(problem)
        after = solver.run(before, Budget.of(20.0, max_iter=20), ignore)
        assert after.problem is problem and not after.interrupted
        assert after.objective <= before.objective
        assert (after.bounds.cost >= before.bounds.cost).all()
        assert after.lower_bound <= optimum + 1e-9
        assert after.objective >= optimum - 1e-9
        assert all(np.isfinite(entry.bound) for entry in after.evidence)
        after.check()
    assert n_supported


@pytest.mark.parametrize("name", SOLVERS)
def test_without_time_a_solver_leaves_what_there_was(name):
    solver = SOLVERS[name]
    for place, problem in enumerate(PROBLEMS[:4]):
        if not solver.unsupported_reasons(problem):
            before = SolveState.initial(problem)
            after = solver.run(before, Budget.of(0.0), ignore)
            assert after.objective <= before.objective
            assert after.lower_bound <= find_optimum(place) + 1e-9


@pytest.mark.parametrize("name", SOLVERS)
def test_a_reason_not_to_take_a_problem_is_a_sentence(name):
    for problem in PROBLEMS:
        for reason in SOLVERS[name].unsupported_reasons(problem):
            assert reason[0].isupper() and reason.endswith(".")


def test_no_solver_drops_a_constraint_silently():
    """One that takes a constrained problem returns a feasible incumbent or none that is better."""
    problem = constrained_problem(11, kinds=("fair",))
    assert len(problem.rows)
    for solver in SOLVERS.values():
        if not solver.unsupported_reasons(problem):
            after = solver.run(SolveState.initial(problem), Budget.of(20.0, max_iter=20), ignore)
            assert after.objective == np.inf or after.evaluation.violation == 0


@pytest.mark.parametrize("name", ["local_search", "construct", "branch_and_bound", "lagrangian"])
def test_ctrl_c_at_any_event_keeps_what_was_emitted(name):
    problem = constrained_problem(11, kinds=("fair",)) if name == "lagrangian" else tiny_problem(4)
    solver = SOLVERS[name]
    for place in range(3):
        seen = []

        def interrupt(event, place=place, seen=seen):
            seen.append(event)
            if len(seen) == place + 1:
                raise KeyboardInterrupt

        state = SolveState.initial(problem)
        try:
            after = solver.run(state, Budget.of(20.0, max_iter=50), interrupt)
        except KeyboardInterrupt:  # the loop keeps what was known before
            after = state
        assert after.objective <= state.objective
