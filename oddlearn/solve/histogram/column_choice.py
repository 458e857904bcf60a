"""The columns of a wide table that are searched next: those that promise most for the best diagram so far.

A table of 2,000 rows and 5,000 columns has as many values as one of a million rows and ten columns, but a
diagram of fifteen nodes asks about fifteen of its columns. All columns are scanned for a diagram: what would
one split along this column, at this node or on this arc to a class, cost with the rest as it is?
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import costs_to_go, route_reference
from oddlearn.problem.row_passes import project_diagram, used_features
from oddlearn.problem.training_data import row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.histogram.column_scan import RowGroup, scan_columns
from oddlearn.streaming.row_source import RowBlock, Stop, never

# values of the columns that are searched together, at most and by the seconds left, and columns at least.
# With 300,000 values the mean test accuracy of three teachers of 2,000 x 5,000 was 0.864 in 10 s, with
# 700,000 it was 0.850, with 2,000,000 0.774, with 100,000 0.810
MAX_SEARCHED_CELLS = 300_000
CELLS_PER_SECOND = 500_000
MIN_SEARCHED_COLUMNS = 40

# of the columns that are not in use already, the share that is drawn at random, but for the first search
RANDOM_SHARE = 0.25


def count_columns(n_rows: int, seconds: float) -> int:
    """Return how many columns of so many rows are searched together when so many seconds are left."""
    cells = int(min(MAX_SEARCHED_CELLS, CELLS_PER_SECOND * seconds))
    return max(MIN_SEARCHED_COLUMNS, cells // max(1, n_rows))


@dataclass(eq=False)
class ColumnChoice:
    """Some rows of a table, by which columns are chosen.

    Attributes
    ----------
    X : (m, n_features) float
        Raw values, NaN where one is missing.
    rows : (n,) int
        Rows of X that are scanned, ascending.
    cost : (n, n_classes) float
        Of these rows.
    depth : int
        Layers of the skeleton.
    seed : int
    """

    X: NDArray[np.floating]
    rows: IntArray
    cost: FloatArray
    depth: int
    seed: int
    _ranked: tuple[DecisionDiagram, IntArray] | None = field(default=None, init=False)

    @classmethod
    def of_block(cls, problem: TrainingProblem, block: RowBlock, seed: int) -> ColumnChoice:
        """Choose the columns of a large problem by all rows of a block."""
        cost = row_costs(block.class_weight(problem.data.n_classes), problem.cost_matrix)
        return cls(block.X, np.arange(block.n_rows), cost, problem.skeleton.depth, seed)

    def choose(
        self, diagram: DecisionDiagram, count: int, number: int, stop: Stop = never
    ) -> IntArray | None:
        """Return the columns of a search, ascending, those of the diagram among them; None if stopped."""
        ranked = self._rank(diagram, stop)
        if ranked is None:
            return None
        used, count = used_features(diagram), min(count, self.X.shape[1])
        n_drawn = int(RANDOM_SHARE * count) if number else 0
        by_turns = np.concatenate([used, ranked[~np.isin(ranked, used)]])
        chosen, others = np.split(by_turns, [max(used.size, count - n_drawn)])
        random = np.random.default_rng([self.seed, number])
        drawn = random.choice(others, min(n_drawn, others.size), replace=False, shuffle=False)
        return np.sort(np.concatenate([chosen, drawn]))

    def _rank(self, diagram: DecisionDiagram, stop: Stop) -> IntArray | None:
        """Return the columns in the order of what they promise; kept for the diagram."""
        if self._ranked is None or self._ranked[0] != diagram:
            costs = scan_columns(self.X, self.rows, self._list_groups(diagram), stop)
            if costs is None:
                return None
            self._ranked = diagram, rank_by_turns(costs)
        return self._ranked[1]

    def _list_groups(self, diagram: DecisionDiagram) -> list[RowGroup]:
        """Return the rows at each node, and those on each arc to a class that could lead to a new node.

        The costs are those of going on to the nodes of the next layer, as they are, and to the classes.
        """
        if diagram.n_nodes == 0:
            return [RowGroup(np.ones(self.rows.size, dtype=bool), self.cost)]
        features = used_features(diagram)
        X = np.asarray(self.X[np.ix_(self.rows, features)], dtype=np.float64)
        own = project_diagram(diagram, features)
        costs = costs_to_go(own, X, self.cost)
        trace, groups = route_reference(own, X), []
        for node, layer in enumerate(own.layer.tolist()):
            groups.append(RowGroup(trace.reached[:, node], _costs_after(own, costs, layer)))
            for arc in (2 * node, 2 * node + 1):
                is_member = trace.final_arc == arc
                if layer + 1 < self.depth and is_member.any():
                    groups.append(RowGroup(is_member, _costs_after(own, costs, layer + 1)))
        return groups


def rank_by_turns(costs: FloatArray) -> IntArray:
    """Return the columns of costs (n_groups, n_columns) in an order in which each group chooses in turn."""
    places = np.argsort(np.argsort(costs, axis=1, kind="stable"), axis=1)
    return np.argsort(places.min(axis=0), kind="stable")


def _costs_after(diagram: DecisionDiagram, costs: list[FloatArray], layer: int) -> FloatArray:
    """Return the costs of going on from a layer: to the nodes of the next one and to the classes."""
    following = np.flatnonzero(diagram.layer == layer + 1).tolist()
    return np.column_stack([costs[target] for target in (*following, *range(diagram.n_nodes, len(costs)))])
