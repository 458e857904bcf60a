"""From a point of the model to its diagram."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.slot_diagram import connect_slots
from oddlearn.diagram.splits import Split
from oddlearn.errors import DiagramMisfitError, InvalidInputError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.formulation import Formulation
from oddlearn.solve.milp.split_repair import repair_split


@dataclass(frozen=True, eq=False)
class RoundedSolution:
    """The arcs and the routing of a point with rounded binaries, by slots of the model."""

    slots: tuple[int, ...]  # slots with a node, ascending; empty when everything goes to one terminal
    start: int  # slot 0, or the terminal of a constant diagram
    heads: IntArray  # (n_slots, 2): negative and positive head; ``n_slots + c`` is the terminal of class c
    at: BoolArray  # (m, n_slots): True if the row passes the slot
    side: BoolArray  # (m, n_slots): True if it takes the positive side

    @property
    def n_slots(self) -> int:
        """Number of slots, used or not."""
        return int(self.heads.shape[0])


def round_solution(formulation: Formulation, x: FloatArray) -> RoundedSolution:
    """Round the binaries of a point and follow every row from the root."""
    columns, skeleton = formulation.columns, formulation.context.skeleton
    heads = _arc_heads(formulation, x)
    side = (x[columns.lambda_] > 0.5)[:, skeleton.layer_of]
    at = np.zeros(side.shape, dtype=bool)
    at[:, 0] = True
    for slot in range(skeleton.n_nodes):
        for positive in (0, 1):
            head = heads[slot, positive]
            if head < skeleton.n_nodes:
                at[:, head] |= at[:, slot] & (side[:, slot] == positive)
    return RoundedSolution(_reachable_slots(heads), 0, heads, at, side)


def drop_idle_nodes(solution: RoundedSolution) -> RoundedSolution:
    """Return the solution without nodes that decide nothing: all rows that pass them end in one terminal.

    Arcs skip no layer but on the way to a terminal, so a node that sends all its rows on to one node of the
    next layer stays.
    """
    n_slots = solution.n_slots
    end = np.arange(solution.heads.max() + 1)
    for slot in reversed(solution.slots):
        end[slot] = _replace_idle_node(solution, end, slot)
    heads = end[solution.heads]
    start = int(end[0])
    slots = _reachable_slots(heads) if start < n_slots else ()
    return replace(solution, slots=slots, start=start, heads=heads)


def _replace_idle_node(solution: RoundedSolution, end: IntArray, slot: int) -> int:
    """Return the terminal that replaces an idle node, or the node itself."""
    at, side = solution.at[:, slot], solution.side[:, slot]
    heads = end[solution.heads[slot]]
    taken = heads[[bool((at & ~side).any()), bool((at & side).any())]]
    if taken.size == 0:
        taken = heads[heads >= solution.n_slots][:1]
    alone = np.unique(taken)
    return int(alone[0]) if alone.size == 1 and alone[0] >= solution.n_slots else slot


def _arc_heads(formulation: Formulation, x: FloatArray) -> IntArray:
    arcs, columns = formulation.context.arcs, formulation.columns
    heads = np.empty((arcs.n_slots, 2), dtype=np.intp)
    for slot in range(arcs.n_slots):
        out = arcs.out_of(slot)
        for positive, side in enumerate((columns.y_negative, columns.y_positive)):
            heads[slot, positive] = arcs.head[out[x[side[out]].argmax()]]
    return heads


def _reachable_slots(heads: IntArray) -> tuple[int, ...]:
    """Return the slots that arcs lead to from the root; arcs lead to later slots only."""
    found = {0}
    for slot in range(heads.shape[0]):
        if slot in found:
            found.update(int(head) for head in heads[slot] if head < heads.shape[0])
    return tuple(sorted(found))


def decode(formulation: Formulation, x: FloatArray, budget: Budget) -> DecisionDiagram | None:
    """Return the diagram of a point, in unit coordinates, or None when there is none.

    Rounded binaries give the heads of arcs and the side each row takes. Hyperplanes are read, and
    repaired where they do not route the rows that way with the margin. Nodes that decide nothing are dropped
    if the constraints allow that. The diagram passes ``evaluate`` and satisfies the constraints.
    """
    rounded = round_solution(formulation, x)
    for solution in (drop_idle_nodes(rounded), rounded):
        diagram = _build_diagram(formulation, solution, x, budget)
        if diagram is not None and _is_solution(formulation.problem, diagram):
            return diagram
    return None


def _build_diagram(
    formulation: Formulation, solution: RoundedSolution, x: FloatArray, budget: Budget
) -> DecisionDiagram | None:
    problem = formulation.problem
    n_classes, n_features = problem.data.n_classes, problem.data.n_features
    if solution.start >= solution.n_slots:
        return DecisionDiagram.constant(solution.start - solution.n_slots, n_classes, n_features)
    splits: list[Split] = []
    heads = solution.heads.copy()
    for slot in solution.slots:
        rows, side = solution.at[:, slot], solution.side[:, slot]
        repaired = repair_split(problem, rows, side, _weights(formulation, x, slot), budget)
        if repaired is None:
            return None
        splits.append(repaired[0])
        heads[slot] = heads[slot][::-1] if repaired[1] else heads[slot]
    slots, skeleton = np.array(solution.slots), formulation.context.skeleton
    try:
        return connect_slots(tuple(splits), slots, heads[slots], skeleton, n_classes, n_features)
    except InvalidInputError:
        return None  # rounding led both arcs of a node to one head


def _weights(formulation: Formulation, x: FloatArray, slot: int) -> FloatArray:
    """Return the weights of a slot's hyperplane over all features; 1 on the feature of a univariate split."""
    columns, hyperplanes = formulation.columns, formulation.context.hyperplanes
    values = x[columns.a[slot]]
    if columns.e.size:
        # a chosen feature may have no weight where all rows go one way
        values = (np.arange(values.size) == x[columns.e[slot]].argmax()).astype(np.float64)
    limit = formulation.problem.term_limit
    if limit is not None:
        # a weight on a column that is not chosen is within the solver's tolerance of 0
        is_chosen = x[columns.terms[slot]] > 0.5
        values = np.where(is_chosen[limit.column_of[hyperplanes.features]], values, 0.0)
    weights = np.zeros(formulation.problem.data.n_features)
    weights[hyperplanes.features] = values
    return weights


def _is_solution(problem: TrainingProblem, diagram: DecisionDiagram) -> bool:
    try:
        return evaluate(problem, diagram).violation == 0
    except DiagramMisfitError:
        return False
