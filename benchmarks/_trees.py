"""Optimal decision trees of depth 4 from another package, as a yardstick."""

from __future__ import annotations

import time

from _data import Reference, training_set
from _store import Store
from _tree_packages import Task, measure

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.training_problem import price_per_node

DEPTH = 4

COLUMNS = ("dataset", "alpha", "limit", "objective", "seconds")  # an empty objective: not known


def optimal_tree(store: Store, row: Reference, limit: float) -> float | None:
    """Return the objective of the optimal tree of depth 4, None where it is not known within the limit."""
    found = store.find(row.dataset, row.alpha, limit)
    if found is None:
        began = time.perf_counter()
        objective = _prove(row, limit)
        seconds = round(time.perf_counter() - began, 3)
        shown = "" if objective is None else objective
        found = store.add(dataset=row.dataset, alpha=row.alpha, limit=limit, objective=shown, seconds=seconds)
    return float(found["objective"]) if found["objective"] else None


def _prove(row: Reference, limit: float) -> float | None:
    """Ask pycontree, which charges for each leaf; an optimum without a split is not ours."""
    price = price_per_node(Skeleton.tree(DEPTH), row.alpha, None)
    answer = measure("pycontree", Task(*training_set(row.dataset), price, DEPTH, limit))
    if not answer.is_proved or answer.n_leaves < 2:
        return None
    return answer.objective - 2 * price  # k leaves have k - 1 nodes, and the root is free
