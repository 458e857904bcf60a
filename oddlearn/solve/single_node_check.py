"""A check that no change of one node makes a diagram better: its split and both of its arcs.

For a node v, every other node keeps its split and its arcs. The rows that reach v are sent to a negative and
a positive target by each feature and each threshold; a target is a class or a node of the next layer. Nodes
that no arc reaches any more are left out and no longer paid for. Plain numpy: sums of costs along each sorted
feature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.slot_diagram import Slots, diagram_from_slots, slots_from_diagram
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget

# rows x features x nodes of a check
MAX_CELLS = 2_000_000

# improvements taken one after the other; a local search leaves none, a broken-off one few
MAX_CHANGES = 10


@dataclass(frozen=True)
class SingleNodeCheck:
    """A diagram, and whether no change of one node makes it better; False if that is not known."""

    diagram: DecisionDiagram
    is_optimal: bool


@dataclass(frozen=True)
class NodeChange:
    """Another split and other targets, by slot, of the node in ``slot``."""

    objective: float
    slot: int
    feature: int
    threshold: float
    targets: tuple[int, int]


def improve_single_nodes(
    problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget
) -> SingleNodeCheck:
    """Change one node after the other while that makes the diagram better.

    Problems with constraint rows or hyperplanes, constants, and tables that are searched by histograms or
    have more than MAX_CELLS are not checked.
    """
    n_cells = problem.data.n_rows * problem.data.n_features * max(1, diagram.n_nodes)
    is_checked = problem.split == "univariate" and len(problem.rows) == 0 and diagram.n_nodes > 0
    if not is_checked or n_cells > MAX_CELLS or not problem.data.is_merged:
        return SingleNodeCheck(diagram, False)
    for _ in range(MAX_CHANGES):
        slots = slots_from_diagram(diagram, problem.skeleton)
        costs = _costs_from(problem, slots)
        reached = route_reference(diagram, problem.data.X).reached
        best = evaluate(problem, diagram).objective
        change = None
        for node, slot in enumerate(np.flatnonzero(slots.active).tolist()):
            if budget.expired:
                return SingleNodeCheck(diagram, False)
            found = best_change(problem, slots, slot, costs, reached[:, node], best)
            if found is not None:
                change, best = found, found.objective
        if change is None:
            return SingleNodeCheck(diagram, True)
        diagram = _apply(problem, slots, change)
        if diagram.n_nodes == 0:
            break
    return SingleNodeCheck(diagram, False)


def best_change(
    problem: TrainingProblem, slots: Slots, slot: int, costs: FloatArray, reached: BoolArray, best: float
) -> NodeChange | None:
    """Return the best change of the node in a slot if its objective is below ``best``.

    ``costs`` (m, n_slots + n_classes) are those of each row that goes on from each slot or class; ``reached``
    (m,) are the rows that reach the node.
    """
    total_weight = problem.total_weight
    elsewhere = float(costs[~reached, 0].sum()) / total_weight
    targets = _allowed_targets(problem, slots, slot)
    prices = _pair_prices(problem, slots, slot, targets)
    cost_below = best - OPTIMALITY_TOLERANCE - elsewhere
    arriving = np.column_stack([costs[reached, target] for target in targets])
    change = None
    for feature in range(problem.data.n_features):
        below, thresholds = _sums_below(problem.data.X[reached, feature], arriving)
        above = below[-1] - below
        below, above = below[:-1] / total_weight, above[:-1] / total_weight
        if (below.min(axis=1) + above.min(axis=1)).min() + prices.min() >= cost_below:
            continue
        for place, target in enumerate(targets):
            totals = (below[:, [place]] + above).min(axis=0) + prices[place]
            other = int(totals.argmin())
            if totals[other] < cost_below:
                cost_below = float(totals[other])
                threshold = thresholds[int((below[:, place] + above[:, other]).argmin())]
                objective = cost_below + elsewhere
                change = NodeChange(objective, slot, feature, float(threshold), (target, targets[other]))
    return change


def _pair_prices(problem: TrainingProblem, slots: Slots, slot: int, targets: list[int]) -> FloatArray:
    """Return the price of all nodes for each negative and positive target; inf where both are the same."""
    child = slots.child.tolist()
    counts = [[len(_reachable(child, slot, (one, other))) for other in targets] for one in targets]
    prices = problem.node_price * (np.array(counts, dtype=np.float64) - 1)
    np.fill_diagonal(prices, np.inf)
    return prices


def _sums_below(key: FloatArray, costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return for each threshold the costs of the rows below it per target, and the thresholds.

    The first threshold lies below all rows. The last row of the sums has no threshold: it is of all rows.
    """
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    gaps = np.flatnonzero(np.diff(ordered) > 0)
    lowest = ordered[0] - 1.0 if len(ordered) else 0.0
    thresholds = np.concatenate([[lowest], (ordered[gaps] + ordered[gaps + 1]) / 2])
    places = np.concatenate([[0], gaps + 1, [len(key)]])
    # one target at a time: a column of few values needs few of the sums
    columns = (np.concatenate([[0.0], np.cumsum(own[order])])[places] for own in costs.T)
    return np.column_stack(list(columns)), thresholds


def _costs_from(problem: TrainingProblem, slots: Slots) -> FloatArray:
    """Return what each row costs that goes on from each slot or class, shape (m, n_slots + n_classes)."""
    X = problem.data.X
    n_slots = len(slots.active)
    # by columns: those of inactive slots are never touched, and take no memory
    costs = np.zeros((len(X), n_slots + problem.data.n_classes), order="F")
    costs[:, n_slots:] = problem.cost
    for place in reversed(np.flatnonzero(slots.active).tolist()):
        side = X[:, slots.feature[place]] >= slots.threshold[place]
        costs[:, place] = np.where(side, costs[:, slots.child[place, 1]], costs[:, slots.child[place, 0]])
    return costs


def _allowed_targets(problem: TrainingProblem, slots: Slots, slot: int) -> list[int]:
    """Return the classes and the active slots of the next layer; in a tree, only the node's own ones."""
    skeleton, n_slots = problem.skeleton, len(slots.active)
    following = np.flatnonzero(slots.active & (skeleton.layer_of == skeleton.layer_of[slot] + 1)).tolist()
    if skeleton.tree_only:
        following = [target for target in following if target in slots.child[slot]]
    return [*following, *range(n_slots, n_slots + problem.data.n_classes)]


def _reachable(child: list[list[int]], slot: int, targets: tuple[int, int]) -> list[int]:
    """Return the slots that arcs reach once those of ``slot`` lead to ``targets``, ascending."""
    reached = {0}
    for place, arcs in enumerate(child):  # layer by layer: arcs lead to later slots
        if place in reached:
            reached.update(targets if place == slot else arcs)
    return sorted(place for place in reached if place < len(child))


def _apply(problem: TrainingProblem, slots: Slots, change: NodeChange) -> DecisionDiagram:
    feature, threshold = slots.feature.copy(), slots.threshold.copy()
    feature[change.slot], threshold[change.slot] = change.feature, change.threshold
    child = slots.child.copy()
    child[change.slot] = change.targets
    active = np.zeros(len(child), dtype=bool)
    active[_reachable(child.tolist(), change.slot, change.targets)] = True
    changed = replace(slots, child=child, feature=feature, threshold=threshold, active=active)
    return diagram_from_slots(changed, problem.skeleton, problem.data.n_classes, problem.split)
