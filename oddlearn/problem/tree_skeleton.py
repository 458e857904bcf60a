"""The skeleton of trees that only the price of their nodes limits."""

from __future__ import annotations

import math
from collections.abc import Callable

from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.problem.cost_complexity import CartTree
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.tolerances import GRID_TOLERANCE
from oddlearn.problem.training_data import TrainingData, row_costs
from oddlearn.table.checks import check_costs
from oddlearn.table.column_medians import column_blocks

MAX_NODES_BY_PRICE = 100  # their skeleton has some 2,500 slots, as a full tree of depth 11 has

# CART tells more than a single split; growing it takes 5 ms on 1,000 x 20
MIN_NODES_FOR_CART = 40
MAX_CART_LEAVES = 4 * MAX_NODES_BY_PRICE

BISECTIONS = 30


def choose_tree_skeleton(
    data: TrainingData, node_price: float, cost_matrix: ArrayLike | None = None
) -> Skeleton:
    """Return the skeleton of all trees that could be better than one that is known, whatever their depth.

    That is the best single split or, unless few nodes could be better than that, a tree of CART, pruned
    for the price. More nodes save at most what it costs beyond the least cost of each row. A tree with k
    nodes pays for k - 1 of them, and has no more leaves than there are distinct rows. The rows of ``data``
    are ranks.
    """
    if node_price <= 0:
        raise InvalidInputError(
            f"The price per node is {node_price!r} and max_depth is None: nothing would limit the tree; "
            "give a node_price above 0, or a depth."
        )
    cost = row_costs(data.class_weight, check_costs(cost_matrix, data.n_classes))
    least = float(cost.min(axis=1).sum()) / data.total_weight
    saving = _best_split_cost(data, cost) / data.total_weight - least
    n_paying = _count_paying(saving, node_price)
    enough = saving / MAX_NODES_BY_PRICE * (1 + 2 * GRID_TOLERANCE)
    if min(n_paying, data.n_rows - 1) > MIN_NODES_FOR_CART and data.is_merged:
        tree = CartTree.grow(data, cost, MAX_CART_LEAVES)

        def count_paying(price: float) -> int:
            return min(_count_paying(saving, price), _count_paying(tree.pruned_cost(price) - least, price))

        n_paying = count_paying(node_price)
        if n_paying > MAX_NODES_BY_PRICE:
            enough = _find_least_price(count_paying, node_price, enough)
    n_paying = min(n_paying, data.n_rows - 1)
    if n_paying > MAX_NODES_BY_PRICE:
        raise InvalidInputError(
            f"max_depth is None and the price per node is {node_price:g}: {n_paying:,} nodes could pay for "
            f"themselves, and at most {MAX_NODES_BY_PRICE} are taken; give a node_price of at least "
            f"{math.ceil(1e6 * enough) / 1e6:g}, or a depth."
        )
    return Skeleton.tree_of_nodes(max(1, n_paying))


def _count_paying(saving: float, price: float) -> int:
    """Return the nodes of the largest tree that pays for all but one of them by what can be saved."""
    return math.ceil(saving / price * (1 + GRID_TOLERANCE))


def _find_least_price(count_paying: Callable[[float], int], too_low: float, enough: float) -> float:
    """Return about the least price at which no more nodes could pay than are taken."""
    for _ in range(BISECTIONS):
        middle = math.sqrt(too_low * enough)
        if count_paying(middle) > MAX_NODES_BY_PRICE:
            too_low = middle
        else:
            enough = middle
    return enough


def _best_split_cost(data: TrainingData, cost: FloatArray) -> float:
    """Return the least cost of a tree with one split or none."""
    best = float(cost.sum(axis=0).min())
    for block in column_blocks(*data.X.shape):
        if data.is_merged:
            least = data.ranked_columns.single_split_costs(cost, block)
        else:  # the columns of a large table are not kept
            least = RankedColumns(data.X[:, block]).single_split_costs(cost, slice(None))
        best = min(best, float(least.min()))
    return best
