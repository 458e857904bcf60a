"""When no diagram keeps the constraints: whether that is proved, and which constraints are to blame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddlearn.errors import InfeasibleError, NoFeasibleDiagramError
from oddlearn.problem.constraint_block import Demand
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.lp_relaxation import contradicts
from oddlearn.solve.schedule import Exact, plan
from oddlearn.solve.solver import Prover, ignore
from oddlearn.solve.state import Known

# of the time left, for each question whether the constraints contradict each other without one of them
QUESTION_SHARE = 0.5
MOST_QUESTION_SECONDS = 5.0

# a model is refused for this many constraints by name, others are counted
MOST_NAMED = 10


def check_rows(known: Known, exact: Exact, budget: Budget) -> None:
    """Raise InfeasibleError when the constraints contradict each other whatever the diagram."""
    if not known.is_feasible and contradicts(known.problem, QUESTION_SHARE * budget.remaining()):
        raise InfeasibleError(_contradiction(known.problem, exact, budget))


def check_feasible(known: Known, exact: Exact, budget: Budget) -> None:
    """Raise an error unless the diagram keeps the constraints.

    Raises
    ------
    InfeasibleError
        When it is proved that none does. Names constraints that cannot be kept together.
    NoFeasibleDiagramError
        When none was found.
    """
    if known.is_feasible:
        return
    if known.is_infeasible:
        raise InfeasibleError(_contradiction(known.problem, exact, budget))
    proof = "" if exact is not None else ' To have that proved, leave exact at "auto".'
    found = "before the fit was interrupted" if known.interrupted else f"within {budget.elapsed():.1f} s"
    raise NoFeasibleDiagramError(
        f"No diagram that keeps the constraints was found {found}; it is not proved that there is none. They "
        f"are: {_named(known.problem, known.problem.demands)}. Give more time, a larger skeleton, or weaker "
        f"constraints.{proof}"
    )


def _contradiction(problem: TrainingProblem, exact: Exact, budget: Budget) -> str:
    blamed, is_least = conflicting(problem, exact, budget)
    words = _named(problem, blamed)
    advice = "weaken or drop it" if len(blamed) == 1 else "weaken or drop one of them"
    if not contradicts(with_demands(problem, blamed)):
        advice += ", or give a larger skeleton"
    alone = "alone " if len(blamed) == 1 and len(problem.demands) > 1 else ""
    which = "" if is_least else " (there was no time to find out which of them contradict each other)"
    return (
        f"No diagram of the skeleton {problem.skeleton} keeps these constraints, which is proved: "
        f"{alone}{words}{which}; {advice}."
    )


def conflicting(problem: TrainingProblem, exact: Exact, budget: Budget) -> tuple[tuple[Demand, ...], bool]:
    """Return constraints that no diagram keeps together, and whether all of them are needed for that.

    One after the other is left out if the rest is still proved to be impossible.
    """
    blamed, is_least = problem.demands, True
    for demand in problem.demands:
        rest = tuple(other for other in blamed if other is not demand)
        part = budget.share(min(QUESTION_SHARE, MOST_QUESTION_SECONDS / max(budget.remaining(), 1e-9)))
        answer = _is_possible(with_demands(problem, rest), exact, part)
        if answer is None:
            is_least = False
        elif not answer:
            blamed = rest
    return blamed, is_least


def with_demands(problem: TrainingProblem, demands: tuple[Demand, ...]) -> TrainingProblem:
    """Return the problem with some of its constraints only."""
    kept = [row for demand in demands for row in range(demand.start, demand.stop)]
    rows = problem.rows
    stops = np.cumsum([0, *(demand.stop - demand.start for demand in demands)]).tolist()
    renumbered = tuple(
        Demand(demand.constraint, start, stop)
        for demand, start, stop in zip(demands, stops[:-1], stops[1:], strict=True)
    )
    labels = tuple(rows.labels[row] for row in kept)
    own = LinearRows(rows.matrix[kept], rows.lower[kept], rows.upper[kept], labels, rows.price[kept])
    return replace(problem, rows=own, demands=renumbered)


def _is_possible(problem: TrainingProblem, exact: Exact, budget: Budget) -> bool | None:
    """Return whether a diagram keeps the constraints; None when that was not found out."""
    if evaluate(problem, best_constant(problem)).excess == 0:
        return True
    if contradicts(problem, budget.remaining()):
        return False
    floors = Floors(np.zeros(problem.skeleton.n_nodes))
    for prover in plan(problem, exact, floors, np.inf, budget).provers:
        answer = _asked(problem, prover, floors, budget)
        if answer is not None:
            return answer
    return None


def _asked(problem: TrainingProblem, prover: Prover, floors: Floors, budget: Budget) -> bool | None:
    # any diagram will do, so nothing but the constraints costs anything
    free = replace(problem, cost=np.zeros_like(problem.cost), alpha=0.0)
    proof = prover.prove(free, best_constant(free), floors, budget, ignore)
    if proof.diagram is not None:
        return True
    return False if np.isinf(proof.floors.cost).all() else None


def _named(problem: TrainingProblem, demands: tuple[Demand, ...]) -> str:
    words = [demand.describe(problem.rows) for demand in demands] or list(problem.rows.labels)
    more = len(words) - MOST_NAMED
    return "; ".join(words[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
