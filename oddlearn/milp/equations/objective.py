"""What is minimised: equation (18)."""

from __future__ import annotations

import numpy as np

from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting


def cost_and_node_prices(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(18): cost of the classes given, per weight, and the price of every active node but the root."""
    problem = setting.problem
    builder.cost(columns.w_class, problem.cost / problem.total_weight)
    builder.cost(columns.d[1:], problem.node_price)


def objective_is_at_least(builder: ModelBuilder, floor: float) -> None:
    """The objective is at least a bound proved elsewhere."""
    cost = builder.objective()
    priced = np.flatnonzero(cost)
    if priced.size:
        builder.rows([(priced[None], cost[priced][None])], floor, np.inf)
