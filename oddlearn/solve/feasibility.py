"""When no diagram keeps the constraints: whether that is proved, and which constraints are to blame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddlearn.errors import InfeasibleError, NoFeasibleDiagramError
from oddlearn.problem.constraint_block import ConstraintBlock
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.lp_relaxation import LpRelaxation, contradicts
from oddlearn.solve.solver import Solver, ignore
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Schedule

# of the time left, for each question whether the constraints contradict each other without one of them
QUESTION_SHARE = 0.5
MOST_QUESTION_SECONDS = 5.0

# a model is refused for this many constraints by name, others are counted
MOST_NAMED = 10


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
        raise InfeasibleError(_contradiction(problem, schedule, budget))
    has_proof = any(step.is_exact for step in schedule.steps)
    proof = "" if has_proof else ' To have that proved, leave exact at "auto".'
    found = "before the fit was interrupted" if state.interrupted else f"within {budget.elapsed():.1f} s"
    raise NoFeasibleDiagramError(
        f"No diagram that satisfies the constraints was found {found}; it is not proved that there is none. "
        f"They are: {_named(problem, problem.constraint_blocks)}. Give more time, a larger skeleton, or "
        f"weaker constraints.{proof}"
    )


def _contradiction(problem: TrainingProblem, schedule: Schedule, budget: Budget) -> str:
    blamed, is_least = minimal_infeasible_subset(problem, schedule, budget)
    words = _named(problem, blamed)
    advice = "weaken or drop it" if len(blamed) == 1 else "weaken or drop one of them"
    if not contradicts(with_constraint_blocks(problem, blamed)):
        advice += ", or give a larger skeleton"
    alone = "alone " if len(blamed) == 1 and len(problem.constraint_blocks) > 1 else ""
    which = "" if is_least else " (there was no time to find out which of them contradict each other)"
    return (
        f"No diagram of the skeleton {problem.skeleton} keeps these constraints, which is proved: "
        f"{alone}{words}{which}; {advice}."
    )


def minimal_infeasible_subset(
    problem: TrainingProblem, schedule: Schedule, budget: Budget
) -> tuple[tuple[ConstraintBlock, ...], bool]:
    """Return constraints that no diagram keeps together, and whether all of them are needed for that.

    One after the other is left out if the rest is still proved to be impossible.
    """
    blamed, is_least = problem.constraint_blocks, True
    for block in problem.constraint_blocks:
        rest = tuple(other for other in blamed if other is not block)
        part = budget.share(min(QUESTION_SHARE, MOST_QUESTION_SECONDS / max(budget.remaining(), 1e-9)))
        answer = is_possible(with_constraint_blocks(problem, rest), schedule, part)
        if answer is None:
            is_least = False
        elif not answer:
            blamed = rest
    return blamed, is_least


def with_constraint_blocks(
    problem: TrainingProblem, constraint_blocks: tuple[ConstraintBlock, ...]
) -> TrainingProblem:
    """Return the problem with some of its constraints only."""
    kept = [row for block in constraint_blocks for row in range(block.start, block.stop)]
    rows = problem.rows
    stops = np.cumsum([0, *(block.stop - block.start for block in constraint_blocks)]).tolist()
    renumbered = tuple(
        ConstraintBlock(block.constraint, start, stop)
        for block, start, stop in zip(constraint_blocks, stops[:-1], stops[1:], strict=True)
    )
    labels = tuple(rows.labels[row] for row in kept)
    own = LinearRows(rows.matrix[kept], rows.lower[kept], rows.upper[kept], labels, rows.penalty[kept])
    return replace(problem, rows=own, constraint_blocks=renumbered)


def is_possible(problem: TrainingProblem, schedule: Schedule, budget: Budget) -> bool | None:
    """Return whether a diagram satisfies the constraints; None when that was not found out."""
    # any diagram will do, so nothing but the constraints costs anything
    state = SolveState.initial(replace(problem, cost=np.zeros_like(problem.cost), alpha=0.0))
    solvers: list[Solver] = [LpRelaxation()]
    status = LoopStatus(state, budget)
    solvers += [step.solver for step in schedule.steps if step.is_exact and step.condition(status) is None]
    for solver in solvers:
        if state.is_feasible or state.is_infeasible:
            break
        state = solver.run(state, budget, ignore)
    if state.is_feasible:
        return True
    return False if state.is_infeasible else None


def _named(problem: TrainingProblem, constraint_blocks: tuple[ConstraintBlock, ...]) -> str:
    words = [block.describe(problem.rows) for block in constraint_blocks] or list(problem.rows.labels)
    more = len(words) - MOST_NAMED
    return "; ".join(words[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
