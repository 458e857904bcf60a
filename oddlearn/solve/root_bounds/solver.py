"""The free bounds together: a floor for every number of nodes, the least of which holds for all diagrams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.class_count_bound import Relaxed, coverage_cost
from oddlearn.solve.root_bounds.inseparable_rows import grouped_costs
from oddlearn.solve.root_bounds.single_split_bound import Separation, best_stump, separate
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState

COVERAGE = "k nodes predict at most k + 1 classes, and rows that no split can part get one class"
STUMP = "the best single split was found by trying all of them"
SEPARABLE = "a hyperplane gives every row its cheapest class"
INSEPARABLE = "no single hyperplane keeps the margin and gives every row its cheapest class"

# the single split may take this share of the time, the classes left out what remains
SINGLE_SHARE = 0.7


@dataclass(frozen=True)
class RootBounds:
    """Bounds that need no search, and the best single split."""

    name: ClassVar[str] = "root_bounds"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return no reason: every problem has these bounds."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds, and offer the best single split."""
        bounds, evidence, diagram = free_bounds(state.problem, budget.remaining())
        return state.tighten(bounds, *evidence).offer(diagram)


def free_bounds(
    problem: TrainingProblem, seconds: float
) -> tuple[NodeCountBounds, tuple[Evidence, ...], DecisionDiagram | None]:
    """Return a floor for every number of nodes, what they rest on, and a one-node diagram if one was found.

    The diagram is a hyperplane without loss or, of the univariate splits tried in time, the best. Constraints
    are left out: the bounds hold for all diagrams, so for those that keep them too, and soft rows only add to
    an objective; but the diagram may break them.

    Parameters
    ----------
    problem : TrainingProblem
    seconds : float
        Time for the parts that take any: choices of classes, all single splits, or the linear program.
    """
    budget = Budget.of(seconds)
    # the single split first: its diagram is what a fit in a hurry falls back on
    single, text, diagram = _single_split(problem, budget.share(SINGLE_SHARE))
    single_seconds = budget.elapsed()
    bounds = NodeCountBounds.from_costs(costs_by_nodes(problem, budget), problem.skeleton.n_nodes)
    coverage_seconds = budget.elapsed() - single_seconds
    evidence = [Evidence("class_count", bounds.lower_bound(problem), COVERAGE, coverage_seconds)]
    if text is not None:
        bounds = bounds.tightened(1, single)
        evidence.append(Evidence("best_stump", bounds.lower_bound(problem), text, single_seconds))
    return bounds, tuple(evidence), diagram


def costs_by_nodes(problem: TrainingProblem, budget: Budget) -> list[float]:
    """Return a lower bound on the cost with k = 1, 2, ... nodes, up to the k where it stays the same."""
    group_cost: FloatArray = grouped_costs(problem, budget)
    relaxed = Relaxed.of(group_cost)
    costs = [relaxed.least]
    for count in range(min(problem.skeleton.n_nodes, problem.data.n_classes), 0, -1):
        # what more nodes must pay, fewer must pay too
        costs.append(max(costs[-1], coverage_cost(group_cost, relaxed, count + 1, budget)))
    return costs[:0:-1]


def _single_split(
    problem: TrainingProblem, budget: Budget
) -> tuple[float, str | None, DecisionDiagram | None]:
    """Return what is proved of a single split (nothing if the text is None), and the best one found."""
    if problem.split == "univariate":
        stump = best_stump(problem, budget)
        return stump.cost, STUMP if stump.complete else None, stump.diagram
    found: Separation = separate(problem, budget)
    if found.diagram is not None:
        return found.cost, SEPARABLE, found.diagram
    return found.cost, INSEPARABLE if found.cost > 0 else None, None
