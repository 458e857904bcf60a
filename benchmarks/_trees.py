"""Optimal decision trees of depth 4 from another package, as a yardstick."""

from __future__ import annotations

import time

from _data import Reference, problem_of, training_set
from _peers import Task, contree
from _store import Store

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate

DEPTH = 4


class Yardstick:
    """Columns of the file of optima; an empty objective means not known."""

    COLUMNS = ("dataset", "alpha", "limit", "objective", "seconds")


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
    """Ask pycontree; optima without a split, or with one closer than our margin, are not ours."""
    problem = problem_of(row.dataset, Skeleton.tree(DEPTH), row.alpha, "univariate")
    task = Task(*training_set(row.dataset), DEPTH, problem.node_price, limit)
    answer = contree(task)
    if answer is None or not (answer.is_proved and answer.has_split):
        return None
    try:
        return evaluate(problem, answer.diagram(task)).objective
    except DiagramMisfitError:
        return None
