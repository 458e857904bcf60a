"""A diagram being drawn: nodes, arcs, and what each arc would cost at every terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.diagram.trace import walk
from oddlearn.problem.evaluate import objective_value
from oddlearn.problem.problem import TrainingProblem


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
