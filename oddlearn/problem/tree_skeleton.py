"""The skeleton of trees that only the price of their nodes limits."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.tolerances import GRID_TOLERANCE
from oddlearn.problem.training_data import TrainingData, row_costs
from oddlearn.table.checks import check_costs
from oddlearn.table.column_medians import column_blocks

MAX_NODES_BY_PRICE = 100  # their skeleton has some 2,500 slots, as a full tree of depth 11 has


def choose_tree_skeleton(
    data: TrainingData, node_price: float, cost_matrix: ArrayLike | None = None
) -> Skeleton:
    """Return the skeleton of all trees that could be better than the best single split, whatever their depth.

    More nodes save at most what the best split costs beyond the least cost of each row. A tree with k nodes
    pays for k - 1 of them, and has no more leaves than there are distinct rows. The rows of ``data`` are
    ranks.
    """
    if node_price <= 0:
        raise InvalidInputError(
            f"The price per node is {node_price!r} and max_depth is None: nothing would limit the tree; "
            "give a node_price above 0, or a depth."
        )
    cost = row_costs(data.class_weight, check_costs(cost_matrix, data.n_classes))
    saving = (_best_split_cost(data, cost) - float(cost.min(axis=1).sum())) / data.total_weight
    n_paying = min(math.ceil(saving / node_price * (1 + GRID_TOLERANCE)), data.n_rows - 1)
    if n_paying > MAX_NODES_BY_PRICE:
        raise InvalidInputError(
            f"max_depth is None and the price per node is {node_price:g}: {n_paying:,} nodes could pay for "
            f"themselves, and at most {MAX_NODES_BY_PRICE} are taken; give a node_price of at least "
            f"{math.ceil(1e6 * saving / MAX_NODES_BY_PRICE) / 1e6:g}, or a depth."
        )
    return Skeleton.tree_of_nodes(max(1, n_paying))


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
