"""Optimal trees: every split at its full price, one level more at a time."""

from __future__ import annotations

import numpy as np

from oddlearn.solve.branch_and_bound.decode import diagram_of, layers_of
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop
from oddlearn.solve.branch_and_bound.proof_progress import Standing
from oddlearn.solve.budget import Budget


def prove_trees(standing: Standing, workshop: Workshop, budget: Budget) -> bool:
    """Raise the bounds of trees until they meet the best one; True if all that is open was looked at.

    A tree with k nodes has at most k levels: the best tree of l levels bounds the trees with up to l nodes.
    """
    n_nodes, depth = standing.problem.skeleton.n_nodes, standing.problem.skeleton.depth
    workshop.kernel.clear_bounds()
    levels = 0
    while standing.unresolved_node_counts and levels < min(depth, workshop.levels):
        levels += 1
        bound = best_tree(standing, workshop, levels, budget)
        if bound is None:
            return False
        reaches_all = levels == depth
        standing.raise_objective(n_nodes if reaches_all else min(levels, n_nodes), bound)
        standing.tell()
    return True


def best_tree(standing: Standing, workshop: Workshop, levels: int, budget: Budget) -> float | None:
    """Bound the objective of all trees of so many levels; the best one is offered if it is better.

    Returns None when out of time.
    """
    problem, items = standing.problem, workshop.items
    price = problem.node_price * problem.total_weight / items.step
    prices = np.full(levels, price)
    prices[0] = 0.0
    single = np.zeros(levels, dtype=np.int32)
    cutoff = items.own(standing.objective * problem.total_weight)
    value, is_exact = workshop.bound(prices, single, cutoff, budget)
    if not workshop.is_done:
        return None
    if is_exact and value < cutoff:
        heap = workshop.tree(value, budget)
        if heap:
            standing.offer(diagram_of(problem, items, layers_of(heap)))
    own = min(value, cutoff) - workshop.noise(levels)
    return items.total(own) / problem.total_weight
