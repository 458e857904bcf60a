"""The errors of a solve without a feasible diagram, and a minimal set of constraints that cause them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddlearn.errors import InfeasibleError, NoFeasibleDiagramError
from oddlearn.problem.constraint_block import ConstraintBlock
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.lp_relaxation import LpRelaxation, lp_infeasible
from oddlearn.solve.solver import Solver, ignore
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Schedule

# time for each test of the constraints without one of them, a share of what is left
TEST_SHARE = 0.5
MAX_TEST_SECONDS = 5.0

# constraints that an error names; the others are counted
MAX_NAMED = 10


def require_feasible(state: SolveState, schedule: Schedule, budget: Budget) -> None:
    """Raise an error unless the incumbent satisfies the constraints.

    Raises
    ------
    InfeasibleError
        When it is proved that no diagram does. Names constraints that cannot be satisfied together.
    NoFeasibleDiagramError
        When none was found.
    """
    if state.is_feasible:
        return
    problem = state.problem
    if state.is_infeasible:
        raise InfeasibleError(_infeasibility_text(problem, schedule, budget))
    has_proof = any(step.is_exact for step in schedule.all_steps)
    proof = "" if has_proof else ' To have that proved, leave exact at "auto".'
    found = "before the fit was interrupted" if state.interrupted else f"within {budget.elapsed():.1f} s"
    raise NoFeasibleDiagramError(
        f"No diagram that satisfies the constraints was found {found}; it is not proved that there is none. "
        f"They are: {_constraints_text(problem, problem.constraint_blocks)}. Give more time, a larger "
        f"skeleton, or weaker constraints.{proof}"
    )


def _infeasibility_text(problem: TrainingProblem, schedule: Schedule, budget: Budget) -> str:
    subset, is_minimal = minimal_infeasible_subset(problem, schedule, budget)
    advice = "weaken or drop it" if len(subset) == 1 else "weaken or drop one of them"
    if not lp_infeasible(select_constraints(problem, subset)):
        advice += ", or give a larger skeleton"
    alone = "alone " if len(subset) == 1 and len(problem.constraint_blocks) > 1 else ""
    remark = "" if is_minimal else " (there was no time to find out which of them contradict each other)"
    return (
        f"No diagram of the skeleton {problem.skeleton} satisfies these constraints, which is proved: "
        f"{alone}{_constraints_text(problem, subset)}{remark}; {advice}."
    )


def minimal_infeasible_subset(
    problem: TrainingProblem, schedule: Schedule, budget: Budget
) -> tuple[tuple[ConstraintBlock, ...], bool]:
    """Return constraints that no diagram satisfies together, and True if all of them are needed for that.

    Each is dropped in turn if the others are still proved infeasible.
    """
    subset, is_minimal = problem.constraint_blocks, True
    for block in problem.constraint_blocks:
        others = tuple(other for other in subset if other is not block)
        part = budget.share(min(TEST_SHARE, MAX_TEST_SECONDS / max(budget.remaining(), 1e-9)))
        answer = is_possible(select_constraints(problem, others), schedule, part)
        if answer is None:
            is_minimal = False
        elif not answer:
            subset = others
    return subset, is_minimal


def select_constraints(
    problem: TrainingProblem, constraint_blocks: tuple[ConstraintBlock, ...]
) -> TrainingProblem:
    """Return the problem with some of its constraints only."""
    numbers = [row for block in constraint_blocks for row in range(block.start, block.stop)]
    stops = np.cumsum([0, *(block.stop - block.start for block in constraint_blocks)]).tolist()
    renumbered = tuple(
        ConstraintBlock(block.constraint, start, stop)
        for block, start, stop in zip(constraint_blocks, stops[:-1], stops[1:], strict=True)
    )
    return replace(problem, rows=problem.rows.select(numbers), constraint_blocks=renumbered)


def is_possible(problem: TrainingProblem, schedule: Schedule, budget: Budget) -> bool | None:
    """Return True if a diagram satisfies the constraints, False if none does, None if neither is proved."""
    # any diagram will do, so all costs are 0
    state = SolveState.initial(replace(problem, cost=np.zeros_like(problem.cost), node_price=0.0))
    solvers: list[Solver] = [LpRelaxation()]
    status = LoopStatus(state, budget)
    exact = (step for step in schedule.all_steps if step.is_exact)
    solvers += [step.solver for step in exact if step.condition(status) is None]
    for solver in solvers:
        if state.is_feasible or state.is_infeasible:
            break
        state = solver.run(state, budget, ignore)
    if state.is_feasible:
        return True
    return False if state.is_infeasible else None


def _constraints_text(problem: TrainingProblem, constraint_blocks: tuple[ConstraintBlock, ...]) -> str:
    words = [block.describe(problem.rows) for block in constraint_blocks] or list(problem.rows.labels)
    more = len(words) - MAX_NAMED
    return "; ".join(words[:MAX_NAMED]) + (f"; and {more} more" if more > 0 else "")
