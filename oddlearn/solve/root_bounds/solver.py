"""Lower bounds that need no search, one for every node count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.class_count_bound import costs_by_class_count
from oddlearn.solve.root_bounds.inseparable_rows import inseparable_row_costs
from oddlearn.solve.root_bounds.single_split_bound import best_stump, check_separability
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState

CLASS_COUNT = "k nodes predict at most k + 1 classes, and rows that no split can separate get one class"
STUMP = "the best single split was found by trying all of them"
SEPARABLE = "a hyperplane gives every row its cheapest class"
INSEPARABLE = "no single hyperplane with the margin gives every row its cheapest class"

SINGLE_SHARE = 0.7  # share of the time for the single split; the rest is for the class counts


@dataclass(frozen=True)
class RootBounds:
    """Bounds that need no search, and the best single split."""

    name: ClassVar[str] = "root_bounds"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return no reason: every problem has these bounds."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds, and offer the best single split."""
        bounds, evidence, diagram = compute_root_bounds(state.problem, budget.remaining())
        return state.tighten(bounds, *evidence).offer(diagram)


def compute_root_bounds(
    problem: TrainingProblem, seconds: float
) -> tuple[NodeCountBounds, tuple[Evidence, ...], DecisionDiagram | None]:
    """Return the bounds of all node counts, the evidence for them, and a one-node diagram if one was found.

    The diagram is a hyperplane without loss or the best univariate split tried in time. Constraints are left
    out: the bounds hold for all diagrams, so for feasible ones too, and soft rows only add to an objective;
    but the diagram may violate them.

    ``seconds``: time for the subsets of classes, and for all single splits or the linear program.
    """
    budget = Budget.of(seconds)
    # the single split first: its diagram is the result of a fit without time for a search
    single_cost, text, diagram = _bound_single_split(problem, budget.share(SINGLE_SHARE))
    single_seconds = budget.elapsed()
    bounds = NodeCountBounds.from_costs(costs_by_node_count(problem, budget), problem.skeleton.n_nodes)
    count_seconds = budget.elapsed() - single_seconds
    evidence = [Evidence("class_count", bounds.lower_bound(problem), CLASS_COUNT, count_seconds)]
    if text is not None:
        bounds = bounds.tightened(1, single_cost)
        evidence.append(Evidence("best_stump", bounds.lower_bound(problem), text, single_seconds))
    return bounds, tuple(evidence), diagram


def costs_by_node_count(problem: TrainingProblem, budget: Budget) -> list[float]:
    """Return a lower bound on the cost with k = 1, 2, ... nodes, up to the k where it stays the same."""
    return costs_by_class_count(inseparable_row_costs(problem, budget), problem.skeleton.n_nodes, budget)


def _bound_single_split(
    problem: TrainingProblem, budget: Budget
) -> tuple[float, str | None, DecisionDiagram | None]:
    """Return a bound on the cost of a single split, its reason (None: not proved), and the best one found."""
    if problem.split == "univariate":
        stump = best_stump(problem, budget)
        return stump.cost, STUMP if stump.is_complete else None, stump.diagram
    result = check_separability(problem, budget)
    if result.diagram is not None:
        return result.cost, SEPARABLE, result.diagram
    return result.cost, INSEPARABLE if result.cost > 0 else None, None
