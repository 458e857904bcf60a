"""Optimal trees: the full node price for each split, and one more level at a time."""

from __future__ import annotations

import numpy as np

from oddlearn.solve.branch_and_bound.decode import decode_diagram, layers_from_tree
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.budget import Budget


class TreeProof:
    """Bounds on trees, level by level; the kernel keeps what it has proved between runs."""

    def __init__(self, runner: KernelRunner) -> None:
        self._runner = runner
        self._levels = 0
        runner.clear_bounds()

    def run(self, progress: ProofProgress, budget: Budget) -> bool:
        """Tighten the bounds of trees until they reach the best one; return False when out of time.

        A tree with k nodes has at most k levels: the best tree of l levels bounds the trees with up to l
        nodes.
        """
        n_nodes, depth = progress.problem.skeleton.n_nodes, progress.problem.skeleton.depth
        while progress.unresolved_node_counts and self._levels < min(depth, self._runner.levels):
            levels = self._levels + 1
            bound = solve_trees(progress, self._runner, levels, budget)
            if bound is None:
                return False
            progress.tighten_objective(n_nodes if levels == depth else min(levels, n_nodes), bound)
            progress.emit_bound()
            self._levels = levels
        return True


def solve_trees(progress: ProofProgress, runner: KernelRunner, levels: int, budget: Budget) -> float | None:
    """Return a bound on the objective of all trees with up to ``levels`` levels; None when out of time.

    The best tree is offered if it beats the objective.
    """
    problem, items = progress.problem, runner.items
    prices = np.full(levels, problem.node_price * problem.total_weight / items.step)
    prices[0] = 0.0
    cutoff = items.to_units(progress.objective_to_beat * problem.total_weight)
    value, is_exact = runner.bound(prices, np.zeros(levels, dtype=np.int32), cutoff, budget)
    if not runner.is_done:
        return None
    if is_exact and value < cutoff:
        tree = runner.tree(value, budget)
        if not tree:
            return None  # the next run reads it: no other proof would
        progress.offer(decode_diagram(problem, items, layers_from_tree(tree)))
    units = min(value, cutoff) - runner.max_rounding(levels)
    return items.from_units(units) / problem.total_weight
