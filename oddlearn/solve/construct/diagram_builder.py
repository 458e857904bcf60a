"""Diagrams under construction, and their pruning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import walk
from oddlearn.diagram.splits import Split
from oddlearn.problem.evaluate import objective_value
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem


@dataclass
class Draft:
    """Builder of a diagram; every arc leads to its cheapest terminal until a node is put at its end.

    Attributes
    ----------
    problem : TrainingProblem
    root_cost : (n_classes,) float
        Cost of giving all samples each class.
    splits, layer : list
        Per node, listed layer by layer.
    target : list of int
        Per arc ``2 * node + side``: a node, or ``~c`` for the terminal of class c.
    arc_cost : list of (n_classes,) float
        Per arc: cost of giving its samples each class.
    """

    problem: TrainingProblem
    root_cost: FloatArray
    splits: list[Split] = field(default_factory=list)
    layer: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    arc_cost: list[FloatArray] = field(default_factory=list)

    @classmethod
    def of(cls, problem: TrainingProblem, diagram: DecisionDiagram) -> Draft:
        """Return the draft of a finished diagram, in unit coordinates."""
        steps = walk(diagram, problem.data.X)
        draft = cls(problem, problem.cost.sum(axis=0))
        for node, split in enumerate(diagram.splits):
            at, side = steps.reached[:, node], steps.sides[:, node]
            costs = [problem.cost[at & (side == positive)].sum(axis=0) for positive in (False, True)]
            draft.add(int(diagram.layer[node]), split, (), costs)
        ends = np.column_stack([diagram.negative, diagram.positive]).ravel()
        draft.target = [int(end if end < diagram.n_nodes else ~(end - diagram.n_nodes)) for end in ends]
        return draft

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.splits)

    @property
    def objective(self) -> float:
        """Objective of the draft as it stands."""
        if self.n_nodes == 0:
            return objective_value(self.problem, float(self.root_cost.min()), 0)
        cost = sum(self.settled_cost(arc) for arc in range(2 * self.n_nodes))
        return objective_value(self.problem, cost, self.n_nodes)

    def add(self, layer: int, split: Split, arcs: Sequence[int], costs: Sequence[FloatArray]) -> int:
        """Put a node at the end of the arcs; ``costs`` are those of its negative and positive arc."""
        node = self.n_nodes
        self.splits.append(split)
        self.layer.append(layer)
        for cost in costs:
            self.arc_cost.append(cost)
            self.target.append(~int(cost.argmin()))
        for arc in arcs:
            self.target[arc] = node
        return node

    def settled_cost(self, arc: int) -> float:
        """Return the cost of an arc at its terminal, 0 for an arc to a node."""
        return float(self.arc_cost[arc][~self.target[arc]]) if self.target[arc] < 0 else 0.0

    def without(self, removed: set[int]) -> Draft:
        """Return the draft of the other nodes; no arc of theirs may lead to a removed one."""
        kept = [node for node in range(self.n_nodes) if node not in removed]
        place = {node: position for position, node in enumerate(kept)}
        smaller = Draft(self.problem, self.root_cost)
        for node in kept:
            smaller.add(self.layer[node], self.splits[node], (), self.arc_cost[2 * node : 2 * node + 2])
        arcs = [self.target[2 * node + side] for node in kept for side in (0, 1)]
        smaller.target = [place[target] if target >= 0 else target for target in arcs]
        return smaller

    def build(self) -> DecisionDiagram:
        """Return the finished diagram; both arcs of every node must lead to different targets."""
        n_classes, n_features = self.problem.data.n_classes, self.problem.data.n_features
        if self.n_nodes == 0:
            return DecisionDiagram.constant(int(self.root_cost.argmin()), n_classes, n_features)
        ends = np.array([end if end >= 0 else self.n_nodes + ~end for end in self.target])
        layer: IntArray = np.array(self.layer)
        return DecisionDiagram(tuple(self.splits), ends[::2], ends[1::2], layer, n_classes, n_features)


def prune(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram:
    """Return the diagram, in unit coordinates, without the nodes that are not worth their price."""
    return pruned(Draft.of(problem, diagram)).build()


def pruned(draft: Draft) -> Draft:
    """Return the draft without nodes that lead to terminals only and whose removal improves the objective.

    The arcs into a removed node go to their cheapest terminals. A node whose arcs lead to one terminal
    decides nothing and always goes. Deeper nodes are looked at first, so that one pass is enough: what
    arrives at a node does not depend on the nodes below it.
    """
    target = list(draft.target)
    work = Draft(draft.problem, draft.root_cost, draft.splits, draft.layer, target, draft.arc_cost)
    removed: set[int] = set()
    for node in reversed(range(draft.n_nodes)):
        arcs = [arc for arc, end in enumerate(target) if end == node]
        if _is_worthless(work, node, arcs):
            removed.add(node)
            for arc in arcs:
                target[arc] = ~int(draft.arc_cost[arc].argmin())
    return work.without(removed)


def _is_worthless(draft: Draft, node: int, arcs: list[int]) -> bool:
    """Return whether the node leads to terminals only and the objective is better without it."""
    ends = draft.target[2 * node : 2 * node + 2]
    if max(ends) >= 0:
        return False
    if ends[0] == ends[1]:
        return True
    if node == 0:
        return False  # the root is free, and one split never costs more than none
    kept = draft.settled_cost(2 * node) + draft.settled_cost(2 * node + 1)
    alone = sum(float(draft.arc_cost[arc].min()) for arc in arcs)
    increase = (alone - kept) / draft.problem.total_weight
    return increase < draft.problem.node_price - OPTIMALITY_TOLERANCE
