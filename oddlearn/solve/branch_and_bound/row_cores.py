"""Proofs on rows that diagrams are asked to classify one after the other.

Costs are never negative, so what no diagram can do on some of the rows, no diagram can do on all of them. A
*core* starts with the most difficult rows. A diagram found below the cutoff on the core either is below it on
all rows, and better than all before, or costs too much on rows outside: some of these join the core. When no
diagram is found any more, the core refutes the layer widths, for all rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.decode import Layers, leaf_rows
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner, RootSplit, relaxation_arrays
from oddlearn.solve.branch_and_bound.layer_widths import (
    LayerWidths,
    list_layer_widths_within,
    relax_to_trees,
)
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget

# rows that a core begins with, and those added beyond the cutoff for each diagram: with none added, the last
# and slowest searches are repeated row by row (breast-cancer-diagnostic, five nodes: 11.9 s, not 4.2)
FIRST_ROWS, MORE_ROWS = 20, 5

# the best chain of nodes is searched for below its cost and this many units
MORE_COST = 0.5

# a core of more than this share of the rows saves little
MAX_ROW_SHARE = 0.6


class RowCore:
    """Rows that refute layer widths, as far as they are known, and the diagrams refuted on them.

    Parameters
    ----------
    problem : TrainingProblem
    items : WeightedItems
        Of all rows.
    order : (n,) int
        Row numbers, the most difficult first.
    build_runner : callable
        Builds the kernel of the items of some rows.
    """

    def __init__(
        self,
        problem: TrainingProblem,
        items: WeightedItems,
        order: IntArray,
        build_runner: Callable[[WeightedItems], KernelRunner],
    ) -> None:
        self._problem, self._items, self._build_runner = problem, items, build_runner
        cost = (problem.cost - problem.cost.min(axis=1, keepdims=True)) / items.step
        self._cost: FloatArray = cost
        self._rank_of_row = np.argsort(order, kind="stable")
        # how often each row was costly in a diagram that was found
        self._n_errors = np.zeros(order.size)
        self._is_in: BoolArray = self._rank_of_row < FIRST_ROWS
        self._runner: KernelRunner | None = None
        # of the rows before the last ones joined
        self._last: KernelRunner | None = None
        # cutoff below which no diagram within the layer widths is: more rows leave that true
        self._refuted: dict[LayerWidths, float] = {}

    @property
    def is_too_large(self) -> bool:
        """True if so many rows are needed that all of them may as well be searched."""
        return bool(self._is_in.sum() > MAX_ROW_SHARE * self._is_in.size)

    def refutes(self, widths: LayerWidths, cutoff: float, budget: Budget) -> tuple[bool, Layers | None]:
        """Return True if no diagram within the layer widths costs less than the cutoff, and one that does.

        The kernel skips diagrams that do not need all their nodes, and one that needs them on all rows may
        not need them on the core. So all smaller layer widths are refuted first, on the same rows or fewer:
        of all diagrams below the cutoff, one with the fewest nodes needs all of them. False without a
        diagram: out of time, or too many rows are needed.
        """
        for part in list_layer_widths_within(widths):
            while self._refuted.get(part, 0.0) < cutoff:
                if budget.expired or self.is_too_large:
                    return False, None
                if self._runner is None:
                    self._runner = self._build_larger_runner()
                found = _find_diagram(self._runner, part, cutoff, budget)
                if found is not None:
                    if not self._add_rows(self._count_costs(found), cutoff):
                        return False, found
                elif self._runner.is_done:
                    self._refuted[part] = cutoff
                else:
                    return False, None
        return True, None

    def _count_costs(self, layers: Layers) -> FloatArray:
        """Return the cost of each row; leaves have the cheapest class of their rows in the core."""
        cost = np.zeros(self._is_in.size)
        for rows in leaf_rows(self._problem, self._items, layers):
            in_core = self._cost[rows & self._is_in].sum(axis=0)
            total = np.where(in_core > in_core.min(), np.inf, self._cost[rows].sum(axis=0))
            cost[rows] = self._cost[rows, int(total.argmin())]
        return cost

    def _add_rows(self, cost: FloatArray, cutoff: float) -> bool:
        """Add rows on which a diagram costs the cutoff; return False if it costs less on all rows."""
        if cost.sum() < cutoff:
            return False
        self._n_errors += cost > 0
        outside = np.flatnonzero((cost > 0) & ~self._is_in)
        if outside.size == 0:  # sums differ by rounding
            return False
        outside = outside[np.lexsort((self._rank_of_row[outside], -self._n_errors[outside]))]
        sums = cost[self._is_in].sum() + np.cumsum(cost[outside])
        n_added = int(np.searchsorted(sums, cutoff)) + 1 + MORE_ROWS
        self._is_in = self._is_in.copy()
        self._is_in[outside[:n_added]] = True
        self._runner, self._last = None, self._runner
        return True

    def _build_larger_runner(self) -> KernelRunner:
        """Build the kernel of the rows, without the splits of the root that fewer rows have refuted."""
        runner, last = self._build_runner(self._items.select_rows(self._is_in)), self._last
        if last is not None:
            for widths, (cutoff, splits) in last.finished.items():
                runner.finished[widths] = (cutoff, refine_root_splits(splits, last.items, runner.items))
        self._last = None
        return runner


def _find_diagram(runner: KernelRunner, widths: LayerWidths, cutoff: float, budget: Budget) -> Layers | None:
    """Find a diagram with the layer widths below the cutoff; see ``KernelRunner.search``.

    Chains of single nodes are trees. The best of them is found faster than any, as better ones lower the
    cutoff: 0.46 s, not 3.46, for five nodes on 40 rows of spectf-heart.
    """
    if max(widths) == 1:
        cost, is_exact = runner.bound(*relaxation_arrays(relax_to_trees(widths)), cutoff, budget)
        if not runner.is_done or not is_exact or cost >= cutoff - runner.tolerance:
            return None
        found = runner.search(widths, min(cutoff, cost + MORE_COST), budget)
        if found is not None or not runner.is_done:
            return found
    return runner.search(widths, cutoff, budget)


def refine_root_splits(splits: list[RootSplit], few: WeightedItems, more: WeightedItems) -> list[RootSplit]:
    """Return the splits of more items that divide the few items among them as one of their splits does."""
    refined: list[RootSplit] = []
    ranks: dict[int, tuple[IntArray, IntArray]] = {}
    for feature, rank, leaf_side in splits:
        if feature < 0:  # all rows pass through
            refined.append((feature, rank, leaf_side))
            continue
        if feature not in ranks:
            ranks[feature] = np.unique(few.rank[feature]), np.unique(more.rank[feature])
        of_few, of_more = ranks[feature]
        end = of_few[np.searchsorted(of_few, rank, "right")]
        first, last = np.searchsorted(of_more, (rank, end))
        refined += [(feature, int(other), leaf_side) for other in of_more[first:last]]
    return refined
