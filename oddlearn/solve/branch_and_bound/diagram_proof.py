"""Optimal diagrams: layer widths are refuted by tree relaxations, or else searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_WIDTH
from oddlearn.solve.branch_and_bound.decode import decode_diagram
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner, relaxation_arrays
from oddlearn.solve.branch_and_bound.layer_widths import (
    LayerWidths,
    TreeRelaxation,
    enumerate_layer_widths,
    includes,
    relax_to_trees,
)
from oddlearn.solve.branch_and_bound.optimal_trees import solve_trees
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.branch_and_bound.row_subsets import (
    MIN_ROWS,
    RowSubset,
    RowSubsets,
    rank_rows_by_difficulty,
)
from oddlearn.solve.budget import Budget

# skeletons with many nodes have too many layer widths to list
MAX_LAYER_WIDTHS = 5000

# optimal trees of these depths are tried first as incumbents, each with this share of the time
TREE_LEVELS = (3, 4)
TREE_SHARE = 0.08

# share of the time left for the search of each layer widths, round by round
SEARCH_SHARES = (0.02, 0.1, 0.5, 1.0)

# a relaxation is first solved on all rows with this share of the time left, at most so many seconds; only
# then is a row subset selected, and solved with SUBSET_SHARE of the time left
FIRST_SHARE, MAX_FIRST_SECONDS = 0.02, 1.0
SUBSET_SHARE = 0.7

# share of the time left for selecting row subsets
SELECTION_SHARE = 0.3

# row subsets lose some of the cost, which is too much near the optimum: they are used for cutoffs up to this
# share of the cutoff of a single node, or of the cost of the best tree of two levels if that is more
SUBSET_CUTOFF = 0.45


@dataclass(frozen=True)
class ProofCounts:
    """Numbers of layer widths: in all, and those that are neither refuted nor searched to the end."""

    total: int
    unresolved: int


class DiagramProof:
    """Bounds of layer widths and of their tree relaxations, kept between runs."""

    def __init__(self, progress: ProofProgress, runner: KernelRunner, seed: int) -> None:
        self._progress = progress
        self._runner = runner
        self._seed = seed
        self._subsets: RowSubsets | None = None
        self._two_level_cost: float | None = None
        self._has_time_for_subsets = True
        self._budget = Budget.of(0.0)
        self._has_tried_trees = False
        self._all_widths = self._list_layer_widths()
        # lower bounds on costs, in units
        self._tree_bound: dict[TreeRelaxation, float] = {relax_to_trees(w): 0.0 for w in self._all_widths}
        self._search_bound: dict[LayerWidths, float] = {}
        self._solved: set[TreeRelaxation] = set()

    @property
    def n_nodes(self) -> int:
        """Passes over sets of rows."""
        return self._runner.sweeps

    def run(self, progress: ProofProgress, budget: Budget) -> ProofCounts:
        """Tighten the bounds as far as the time allows."""
        self._progress, self._budget = progress, budget
        self._has_time_for_subsets = True
        try:
            self._tighten_all()
        finally:
            self._tighten_progress()
        return ProofCounts(len(self._all_widths), len(list(self._unresolved())))

    def _tighten_all(self) -> None:
        if not self._has_tried_trees:
            self._try_trees()
        self._has_tried_trees = True
        self._bound_by_trees()
        self._tighten_progress()
        for share in SEARCH_SHARES:
            self._search_all(share)

    def _list_layer_widths(self) -> list[LayerWidths]:
        """Return the layer widths of the unresolved node counts, few layers first.

        A node count is listed completely or not at all, and nothing after the first that does not fit.
        """
        max_widths, allows = self._progress.problem.skeleton.widths, self._progress.limits.allows
        found: list[LayerWidths] = []
        for count in self._progress.unresolved_node_counts:
            n_free = MAX_LAYER_WIDTHS - len(found)
            more = list(islice(enumerate_layer_widths(count, max_widths, allows), n_free + 1))
            if len(more) > n_free:
                break
            found += more
        return sorted(found, key=lambda widths: (len(widths), sum(widths)))

    def _try_trees(self) -> None:
        """Offer optimal trees: they are found quickly and lower the cutoffs."""
        depth = self._progress.problem.skeleton.depth
        self._runner.clear_bounds()
        for levels in TREE_LEVELS:
            if levels <= min(depth, self._runner.levels) and self._progress.unresolved_node_counts:
                solve_trees(self._progress, self._runner, levels, self._budget.share(TREE_SHARE))
        self._runner.clear_bounds()

    def _cutoff(self, widths: LayerWidths) -> float:
        return self._progress.cutoff(sum(widths), self._runner.items)

    def _bound(self, widths: LayerWidths) -> float:
        """Return the best lower bound, in units, on the cost of the diagrams with the layer widths."""
        return max(self._search_bound.get(widths, 0.0), self._tree_bound[relax_to_trees(widths)])

    def _unresolved(self) -> Iterator[tuple[float, LayerWidths]]:
        """Yield the layer widths whose bound is below their cutoff, with the difference."""
        for widths in self._all_widths:
            gap = self._cutoff(widths) - self._bound(widths)
            if gap > self._runner.max_rounding(len(widths)):
                yield gap, widths

    def _bound_by_trees(self) -> None:
        """Solve the tree relaxations of all unresolved layer widths."""
        for _, widths in self._unresolved():
            if relax_to_trees(widths) in self._solved or len(widths) > self._runner.levels:
                continue
            if self._budget.expired or not self._solve_relaxation(widths):
                return

    def _solve_relaxation(self, widths: LayerWidths) -> bool:
        """Solve a relaxation, on a row subset unless it is easy; return False when out of time."""
        relaxation, cutoff = relax_to_trees(widths), self._cutoff(widths)
        if self._subsets is None and self._solve_on_all_rows(relaxation, cutoff, self._first_budget()):
            return True
        subsets, budget = self._select_subsets(cutoff), self._budget.share(SUBSET_SHARE)
        for subset in subsets:
            bound = subset.bound(relaxation, cutoff, budget)
            if bound >= cutoff - self._runner.max_rounding(len(widths)):
                self._record_bound(relaxation, bound)
                return True
        return self._solve_on_all_rows(relaxation, cutoff, self._budget)

    def _solve_on_all_rows(self, relaxation: TreeRelaxation, cutoff: float, budget: Budget) -> bool:
        bound, _ = self._runner.bound(*relaxation_arrays(relaxation), cutoff, budget)
        if self._runner.is_done:
            self._record_bound(relaxation, bound)
        return self._runner.is_done

    def _record_bound(self, relaxation: TreeRelaxation, bound: float) -> None:
        """Record a bound for a relaxation and for all relaxations that it includes."""
        self._solved.add(relaxation)
        for other in self._tree_bound:
            if includes(relaxation, other):
                self._tree_bound[other] = max(self._tree_bound[other], bound)

    def _first_budget(self) -> Budget:
        return self._budget.share(FIRST_SHARE).at_most(MAX_FIRST_SECONDS)

    def _select_subsets(self, cutoff: float) -> list[RowSubset]:
        """Return the subsets to refute the cutoff on, small ones first; rank the rows at the first call."""
        problem, runner = self._progress.problem, self._runner
        if problem.data.n_rows < MIN_ROWS or not self._has_time_for_subsets:
            return []
        budget = self._budget.share(SELECTION_SHARE)
        if self._two_level_cost is None:
            cost, _ = runner.bound(*relaxation_arrays((2,)), np.inf, budget)
            self._two_level_cost = cost if runner.is_done else None
        if cutoff > SUBSET_CUTOFF * max(self._cutoff((1,)), self._two_level_cost or 0.0):
            return []
        if self._subsets is None:
            gain = problem.cost.max(axis=1, keepdims=True) - problem.cost
            order = rank_rows_by_difficulty(problem.data.X, gain, self._seed, budget)
            self._has_time_for_subsets = not budget.expired
            if budget.expired:
                return []
            self._subsets = RowSubsets(
                problem, runner.items, runner.levels, self._seed, order, runner.options
            )
        return self._subsets.select(cutoff, budget)

    def _search_all(self, share: float) -> None:
        """Search the unresolved layer widths, smallest gap first, each for a share of the time left."""
        for _, widths in sorted(self._unresolved()):
            if self._budget.expired:
                return
            if relax_to_trees(widths) not in self._solved or max(widths) > MAX_WIDTH:
                continue
            if share > FIRST_SHARE and self._refute_on_subset(widths, self._budget.share(share)):
                continue
            self._search(widths, self._budget.share(share))

    def _refute_on_subset(self, widths: LayerWidths, budget: Budget) -> bool:
        cutoff = self._cutoff(widths)
        is_refuted = any(subset.refutes(widths, cutoff, budget) for subset in self._select_subsets(cutoff))
        if is_refuted:
            self._search_bound[widths] = cutoff
        return is_refuted

    def _search(self, widths: LayerWidths, budget: Budget) -> None:
        """Search until no diagram with the layer widths beats the objective, or the time is up."""
        while not budget.expired:
            cutoff = self._cutoff(widths)
            found = self._runner.search(widths, cutoff, budget)
            if found is None:
                if self._runner.is_done:
                    self._search_bound[widths] = cutoff
                return
            # every round lowers the objective to beat, and with it the cutoff
            if not self._progress.offer(decode_diagram(self._progress.problem, self._runner.items, found)):
                return

    def _tighten_progress(self) -> None:
        """Tighten the bound of each node count to the smallest bound of its layer widths."""
        bounds: dict[int, float] = {}
        for widths in self._all_widths:
            units = self._bound(widths) - self._runner.max_rounding(len(widths))
            bounds[sum(widths)] = min(bounds.get(sum(widths), np.inf), units)
        for count, units in bounds.items():
            self._progress.tighten_cost(count, self._runner.items.from_units(units))
        self._progress.emit_bound()
