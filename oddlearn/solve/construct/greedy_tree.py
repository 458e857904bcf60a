"""A greedy tree as an incumbent, CART down to its last layer of splits, which are those that cost least.

No fit ends with a worse training objective.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import threshold_between
from oddlearn.problem.evaluate import solver_margin
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_stump, find_nearest_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.construct.top_down import build_split
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState

# processor time of training a tree, per distinct row, feature and level: 73,000 x 17 with 5 levels took 1.1 s
SECONDS_PER_CELL_AND_LEVEL = 1.5e-7

MIN_ROWS = 1000  # a tree of fewer rows is not worth its time


@dataclass(frozen=True)
class GreedyTree:
    """The CART tree of the skeleton's depth, pruned to its widths and to the node price.

    CART splits by impurity; in the last layer the split of least cost is taken, so that the tree costs no
    more than CART's own.
    """

    # of the order in which features are tried, which decides between equal splits, and of the sample of rows
    # if the time is too short for all
    seed: int = 0

    name: ClassVar[str] = "greedy_tree"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return no reasons: a tree that violates constraints is not accepted by the state."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Offer the tree; a table that is too large for the budget is sampled."""
        rows = self._select_rows(state.problem, budget)
        if rows is None:
            return state
        return state.offer(build_greedy_tree(state.problem, rows, self.seed), trusted=False)

    def _select_rows(self, problem: TrainingProblem, budget: Budget) -> IntArray | None:
        """Return as many distinct rows as there is time for, None if they are too few.

        All rows are taken if the step could train on them from the start of the fit to its own end: so size
        and limit decide, not how late a busy machine comes to this step.
        """
        n_rows, depth = problem.data.n_rows, problem.skeleton.depth
        seconds_per_row = SECONDS_PER_CELL_AND_LEVEL * problem.data.n_features * depth
        if (budget.deadline - budget.started) / seconds_per_row >= n_rows:
            return np.arange(n_rows)
        affordable = budget.remaining() / seconds_per_row
        if affordable < MIN_ROWS:
            return None
        return np.random.default_rng(self.seed).choice(n_rows, min(n_rows, int(affordable)), replace=False)


def build_greedy_tree(problem: TrainingProblem, rows: IntArray, seed: int) -> DecisionDiagram:
    """Train CART on some distinct rows and return it as a diagram that fits the skeleton.

    The splits of the last layer and the classes of leaves are those that cost least over all rows of the
    problem.
    """
    if problem.skeleton.depth == 1:
        root = TreeNode.find_stump(problem, np.arange(problem.data.n_rows), 0)
    else:
        root = TreeNode.from_sklearn(problem, _train_cart(problem, rows, seed))
    return _build_diagram(problem, _fit_to_widths(problem, root))


def _train_cart(problem: TrainingProblem, rows: IntArray, seed: int) -> Any:  # noqa: ANN401
    """Return scikit-learn's tree of all layers but the last."""
    from sklearn.tree import DecisionTreeClassifier

    weight = problem.data.class_weight[rows]
    place, label = np.nonzero(weight)
    tree = DecisionTreeClassifier(max_depth=problem.skeleton.depth - 1, random_state=seed)
    # scikit-learn's trees hold float32: made here, without a copy in float64
    taken, X = rows[place], problem.data.X
    is_whole = np.array_equal(taken, np.arange(len(X)))
    table = (X if is_whole else X[taken]).astype(np.float32)
    return tree.fit(table, label, sample_weight=weight[place, label]).tree_


@dataclass(eq=False)
class TreeNode:
    """A node of a tree, or a leaf if it has no children."""

    layer: int
    cost: FloatArray  # (n_classes,): of giving all rows at the node each class
    feature: int = -1  # positive side when the feature is at least the threshold
    threshold: float = 0.0
    children: tuple[TreeNode, ...] = ()  # negative and positive; empty for a leaf

    @classmethod
    def from_sklearn(cls, problem: TrainingProblem, tree: Any) -> TreeNode:  # noqa: ANN401
        """Return the root of a tree of scikit-learn, with the rows of the problem sent down."""

        margin = solver_margin(problem)

        def read(number: int, at: IntArray, layer: int) -> TreeNode:
            if layer == problem.skeleton.depth - 1:
                return cls.find_stump(problem, at, layer)
            node = cls(layer, problem.cost[at].sum(axis=0))
            if tree.children_left[number] < 0:
                return node
            feature = int(tree.feature[number])
            column = problem.data.X[at, feature]
            threshold = _place_threshold(column, float(tree.threshold[number]), margin)
            if threshold is None:
                return node
            node.feature, node.threshold = feature, threshold
            above = column >= threshold
            below = (tree.children_left[number], tree.children_right[number])
            node.children = tuple(
                read(child, at[above == side], layer + 1) for side, child in enumerate(below)
            )
            return node

        return read(0, np.arange(problem.data.n_rows), 0)

    @classmethod
    def find_stump(cls, problem: TrainingProblem, at: IntArray, layer: int) -> TreeNode:
        """Return the split of the rows ``at`` that costs least, with its leaves; a leaf if none saves."""
        cost = problem.cost[at]
        node = cls(layer, cost.sum(axis=0))
        least, margin = float(node.cost.min()), solver_margin(problem)
        if least <= float(cost.min(axis=1).sum()):  # no split can save
            return node
        for feature, column in enumerate(problem.data.ranked_columns.columns):
            key = column[at]
            found, threshold = find_best_stump(key, np.argsort(key, kind="stable"), cost, margin)
            if found < least:
                least, node.feature, node.threshold = found, feature, threshold
        if node.feature >= 0:
            above = problem.data.ranked_columns.columns[node.feature][at] >= node.threshold
            node.children = tuple(cls(layer + 1, cost[above == side].sum(axis=0)) for side in (False, True))
        return node

    def value(self, price: float) -> float:
        """Return the least cost of the subtree with any of its nodes made leaves, each split at a price."""
        if not self.children:
            return float(self.cost.min())
        return min(float(self.cost.min()), price + sum(child.value(price) for child in self.children))


def _place_threshold(column: FloatArray, threshold: float, margin: float) -> float | None:
    """Return the middle of the gap at a threshold, or of the nearest with the margin; None without one."""
    above = column > threshold
    low, high = column[~above].max(initial=-np.inf), column[above].min(initial=np.inf)
    if not 0 < high - low < np.inf:
        return None  # a split of a sample may separate no row here
    if high - low < margin:
        return find_nearest_threshold(column, threshold, margin)
    return threshold_between(float(low), float(high))


def _fit_to_widths(problem: TrainingProblem, root: TreeNode) -> TreeNode:
    """Turn the splits that save least into leaves, from the root down, until every layer fits."""
    price = problem.node_price * problem.total_weight
    layer = [root]
    for width in problem.skeleton.widths:
        saving = [float(node.cost.min()) - node.value(price if node.layer else 0.0) for node in layer]
        by_saving = sorted(range(len(layer)), key=lambda place: -saving[place])
        for rank, place in enumerate(by_saving):
            if rank >= width or saving[place] <= 0:
                layer[place].children = ()
        layer = [child for node in layer for child in node.children if child.children]
    return root


def _build_diagram(problem: TrainingProblem, root: TreeNode) -> DecisionDiagram:
    """Return the splits of a tree as a diagram, without those that are not worth their price."""
    builder = DiagramBuilder.empty(problem)
    waiting: list[tuple[TreeNode, tuple[int, ...]]] = [(root, ())] if root.children else []
    for node, arcs in waiting:  # grows while it is read: layer by layer
        split = build_split(problem, node.feature, node.threshold)
        number = builder.add(node.layer, split, arcs, [child.cost for child in node.children])
        for side, child in enumerate(node.children):
            if child.children:
                waiting.append((child, (2 * number + side,)))
    return builder.prune().build()
