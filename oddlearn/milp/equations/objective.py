"""What is minimised, equation (18), and the constraints on the observables."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

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


def observation_matrix(n_columns: int, setting: Setting, columns: Columns) -> csr_array:
    """Return the matrix that turns a point of the model into observables, (layout.size, n_columns)."""
    layout, slots = setting.problem.layout, setting.original_slots
    pairs = [
        (layout.assigned, columns.w_class),
        (layout.reached[:, slots], columns.w_negative),
        (layout.reached[:, slots], columns.w_positive),
        (layout.used[slots], columns.d),
    ]
    places = np.concatenate([place.ravel() for place, _ in pairs])
    ids = np.concatenate([column.ravel() for _, column in pairs])
    return csr_array((np.ones(ids.size), (places, ids)), shape=(layout.size, n_columns))


def constraints_hold(builder: ModelBuilder, setting: Setting, observation: csr_array) -> None:
    """The problem's constraints on the observables, all of them at once."""
    rows = setting.problem.rows
    if len(rows):
        builder.sparse_rows(csr_array(rows.matrix @ observation), rows.lower, rows.upper)
