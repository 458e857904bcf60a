"""Diagrams under construction, and their pruning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.problem.evaluate import objective_value
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem


@dataclass
class DiagramBuilder:
    """A diagram under construction; every arc leads to its cheapest terminal until a node is added there."""

    problem: TrainingProblem
    root_cost: FloatArray  # (n_classes,): cost of assigning all samples to each class
    splits: list[Split] = field(default_factory=list)  # per node, layer by layer
    layer: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)  # of arc ``2 * node + side``: a node, or ``~class``
    arc_cost: list[FloatArray] = field(default_factory=list)  # per arc, (n_classes,): its cost in each class

    @classmethod
    def empty(cls, problem: TrainingProblem) -> DiagramBuilder:
        """Return the builder of a diagram without nodes."""
        return cls(problem, problem.cost.sum(axis=0))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.splits)

    @property
    def objective(self) -> float:
        """Objective of the diagram so far."""
        if self.n_nodes == 0:
            return objective_value(self.problem, float(self.root_cost.min()), 0)
        cost = sum(self.terminal_cost(arc) for arc in range(2 * self.n_nodes))
        return objective_value(self.problem, cost, self.n_nodes)

    def add(self, layer: int, split: Split, arcs: Sequence[int], costs: Sequence[FloatArray]) -> int:
        """Add a node at the end of the arcs; ``costs`` are those of its negative and positive arc."""
        node = self.n_nodes
        self.splits.append(split)
        self.layer.append(layer)
        for cost in costs:
            self.arc_cost.append(cost)
            self.target.append(~int(cost.argmin()))
        for arc in arcs:
            self.target[arc] = node
        return node

    def terminal_cost(self, arc: int) -> float:
        """Return the cost of an arc at its terminal, 0 for an arc to a node."""
        return float(self.arc_cost[arc][~self.target[arc]]) if self.target[arc] < 0 else 0.0

    def prune(self) -> DiagramBuilder:
        """Return the diagram without nodes above terminals whose removal improves the objective.

        The arcs into a removed node go to their cheapest terminals. A node with both arcs to one terminal
        decides nothing and is always removed. One pass from the deepest nodes up is enough, as the samples
        at a node do not depend on the nodes below it.
        """
        target = list(self.target)
        work = replace(self, target=target)
        removed: set[int] = set()
        for node in reversed(range(self.n_nodes)):
            arcs = [arc for arc, end in enumerate(target) if end == node]
            if work._is_worthless(node, arcs):
                removed.add(node)
                for arc in arcs:
                    target[arc] = ~int(self.arc_cost[arc].argmin())
        return work._without(removed)

    def build(self) -> DecisionDiagram:
        """Return the finished diagram; both arcs of every node must lead to different targets."""
        n_classes, n_features = self.problem.data.n_classes, self.problem.data.n_features
        if self.n_nodes == 0:
            return DecisionDiagram.constant(int(self.root_cost.argmin()), n_classes, n_features)
        ends = np.array([end if end >= 0 else self.n_nodes + ~end for end in self.target])
        layer: IntArray = np.array(self.layer)
        return DecisionDiagram(tuple(self.splits), ends[::2], ends[1::2], layer, n_classes, n_features)

    def _is_worthless(self, node: int, arcs: list[int]) -> bool:
        """Return True if the node leads to terminals only and the objective is better without it."""
        ends = self.target[2 * node : 2 * node + 2]
        if max(ends) >= 0:
            return False
        if ends[0] == ends[1]:
            return True
        if node == 0:
            return False  # the root is free, and one split never costs more than none
        cost_with = self.terminal_cost(2 * node) + self.terminal_cost(2 * node + 1)
        cost_without = sum(float(self.arc_cost[arc].min()) for arc in arcs)
        increase = (cost_without - cost_with) / self.problem.total_weight
        return increase < self.problem.node_price - OPTIMALITY_TOLERANCE

    def _without(self, removed: set[int]) -> DiagramBuilder:
        """Return the diagram of the other nodes; no arc of theirs may lead to a removed one."""
        nodes = [node for node in range(self.n_nodes) if node not in removed]
        new_id = {node: position for position, node in enumerate(nodes)}
        smaller = DiagramBuilder(self.problem, self.root_cost)
        for node in nodes:
            smaller.add(self.layer[node], self.splits[node], (), self.arc_cost[2 * node : 2 * node + 2])
        targets = [self.target[2 * node + side] for node in nodes for side in (0, 1)]
        smaller.target = [new_id[target] if target >= 0 else target for target in targets]
        return smaller
