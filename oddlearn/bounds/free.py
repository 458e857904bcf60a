"""The free bounds together: one bound per number of nodes, the least of which holds for all diagrams."""

from __future__ import annotations

from oddlearn.bounds.conflicts import conflict_cost, grouped_costs
from oddlearn.bounds.coverage import coverage_cost
from oddlearn.bounds.separability import Separation, separate
from oddlearn.bounds.stump import stump_cost
from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import objective_value
from oddlearn.problem.lattice import Lattice
from oddlearn.problem.problem import TrainingProblem

COVERAGE = "k nodes predict at most k + 1 classes, and rows that no split can part get one class"
STUMP = "the best single split was found by trying all of them"
SEPARABLE = "a hyperplane gives every row its cheapest class"
INSEPARABLE = "no single hyperplane keeps the margin and gives every row its cheapest class"


def free_bounds(
    problem: TrainingProblem, seconds: float
) -> tuple[float, tuple[Evidence, ...], DecisionDiagram | None]:
    """Return a lower bound, what it rests on, and a loss-free one-node diagram if one was found.

    Parameters
    ----------
    problem : TrainingProblem
    seconds : float
        Time for the parts that take any: all single splits, or the linear program.
    """
    budget = Budget.of(seconds)
    lattice = Lattice.of(problem)
    costs = costs_by_nodes(problem)
    coverage_seconds = budget.elapsed()
    evidence = [Evidence("coverage", _combined(problem, lattice, costs), COVERAGE, coverage_seconds)]
    single, text, diagram = _single_split(problem, budget)
    if text is not None:
        sharper = [max(costs[0], single), *costs[1:]]
        seconds_taken = budget.elapsed() - coverage_seconds
        bound = _combined(problem, lattice, sharper)
        evidence.append(Evidence("single split", bound, text, seconds_taken))
    return max(proof.bound for proof in evidence), tuple(evidence), diagram


def costs_by_nodes(problem: TrainingProblem) -> list[float]:
    """Return a lower bound on the cost with k = 1, 2, ... nodes, up to the k where it stays the same."""
    group_cost: FloatArray = grouped_costs(problem)
    floor = conflict_cost(group_cost)
    counts = range(1, min(problem.skeleton.n_nodes, problem.data.n_classes) + 1)
    return [max(floor, coverage_cost(group_cost, count + 1)) for count in counts]


def _single_split(
    problem: TrainingProblem, budget: Budget
) -> tuple[float, str | None, DecisionDiagram | None]:
    if problem.split == "univariate":
        cost = stump_cost(problem, budget)
        return (0.0, None, None) if cost is None else (cost, STUMP, None)
    found: Separation = separate(problem, budget)
    if found.diagram is not None:
        return found.cost, SEPARABLE, found.diagram
    return found.cost, INSEPARABLE if found.cost > 0 else None, None


def _combined(problem: TrainingProblem, lattice: Lattice, costs: list[float]) -> float:
    values = [objective_value(problem, cost, count) for count, cost in enumerate(costs, start=1)]
    return lattice.round_up(min(values))
