"""Proofs on the most difficult rows, and the ranking of rows by difficulty.

Costs are never negative, so a lower bound on the cost of some of the rows holds for all rows. Rows that every
sensible diagram classifies correctly add work but no cost. Without them, sets are smaller and have fewer
splits, and nearly the same bound is proved. A small subset is tried before a larger one. A row subset can
only refute: a diagram found on it proves nothing.
"""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.kernel_options import KernelOptions
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner, relaxation_arrays
from oddlearn.solve.branch_and_bound.layer_widths import (
    LayerWidths,
    TreeRelaxation,
    includes,
    list_layer_widths_within,
)
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget

# with fewer rows a subset saves no time
MIN_ROWS = 60

# each subset has at least the second share of the cost that the best tree of two levels has on all rows, and
# serves for cutoffs up to the first share of that cost: small ones lose more of it. The last serves for all.
SHARES_OF_COST = ((0.2, 0.5), (0.35, 0.75), (np.inf, 0.95))

# a subset is left out if it has more than this share of the rows of the next one: with 0.85, trials that do
# not refute took too long on pima-indians-diabetes at alpha 0.5
MAX_SHARE_OF_NEXT = 0.65

# sizes of subsets are multiples of the first share of all rows, up to the second share
SIZE_STEP, MAX_ROW_SHARE = 0.05, 0.7

# log2 of the entries of transposition tables: smaller than for all rows
LOG_ENTRIES, LOG_ENTRIES_TRIAL = 18, 8

# number of random trees that vote: TREES_TIMES_ROWS / n within these limits
MAX_TREES, MIN_TREES = 60, 10
TREES_TIMES_ROWS = 100_000

# growing and reading one of them, per row
SECONDS_PER_TREE_ROW = 5e-6

# random splits tried at each node, of which the purest is taken
SPLITS_PER_NODE = 6

# rows of a leaf on average, and share of the rows that a tree is grown on
ROWS_PER_LEAF = 8
TRAINING_SHARE = 0.63

# added to denominators that may be 0
TINY = 1e-12


class RowSubset:
    """Refutations on some of the rows of a problem."""

    def __init__(self, runner: KernelRunner) -> None:
        self._runner = runner
        # costs in units: of the best tree of a relaxation, and of some diagram with given layer widths
        self._tree_cost: dict[TreeRelaxation, float] = {}
        self._diagram_cost: dict[LayerWidths, float] = {}
        # cutoff below which there is no diagram that needs all nodes of the layer widths
        self._refuted: dict[LayerWidths, float] = {}

    def bound(self, relaxation: TreeRelaxation, cutoff: float, budget: Budget) -> float:
        """Return a bound on the trees of a relaxation; 0 if it cannot reach the cutoff, or out of time."""
        if any(cost < cutoff and includes(relaxation, other) for other, cost in self._tree_cost.items()):
            return 0.0
        bound, is_exact = self._runner.bound(*relaxation_arrays(relaxation), cutoff, budget)
        if not self._runner.is_done:
            return 0.0
        if is_exact:
            self._tree_cost[relaxation] = bound
        return bound

    def refutes(self, widths: LayerWidths, cutoff: float, budget: Budget) -> bool:
        """Return True if no diagram with the layer widths costs less than the cutoff on the subset.

        The kernel skips diagrams that do not need all their nodes, and a diagram that needs them on all rows
        may not need them on the subset. So all smaller layer widths are refuted, too: of all diagrams below
        the cutoff, one with the fewest nodes needs all of them.
        """
        smaller = list_layer_widths_within(widths)
        if any(self._diagram_cost.get(part, np.inf) < cutoff for part in smaller):
            return False
        return all(self._refutes_exact_widths(part, cutoff, budget) for part in smaller)

    def _refutes_exact_widths(self, widths: LayerWidths, cutoff: float, budget: Budget) -> bool:
        """Return True if no diagram that needs all nodes of the layer widths is below the cutoff."""
        if self._refuted.get(widths, 0.0) >= cutoff:
            return True
        found = self._runner.search(widths, cutoff, budget)
        if found is not None:
            self._diagram_cost[widths] = self._runner.kernel.cost
        elif self._runner.is_done:
            self._refuted[widths] = cutoff
        return found is None and self._runner.is_done


class RowSubsets:
    """Subsets of several sizes: the first k rows in order of difficulty; k grows with the cutoff."""

    def __init__(
        self,
        problem: TrainingProblem,
        items: WeightedItems,
        levels: int,
        seed: int,
        order: IntArray,
        options: KernelOptions | None = None,
    ) -> None:
        self._problem, self._items, self._levels, self._seed = problem, items, levels, seed
        self._order, self._options = order, options
        # costs of the best trees of two levels by number of rows
        self._costs: dict[int, float] = {}
        # the largest cutoff and the number of rows of each subset, and those built so far
        self._sizes: list[tuple[float, int]] | None = None
        self._built: dict[int, RowSubset] = {}

    def select(self, cutoff: float, budget: Budget) -> list[RowSubset]:
        """Return the subsets to refute a cutoff on, small ones first; none when out of time."""
        if self._sizes is None:
            sizes = self._choose_sizes(budget)
            if budget.expired:
                self._costs.clear()
                return []
            self._sizes = sizes
        return [self._subset(size) for max_cutoff, size in self._sizes if cutoff <= max_cutoff]

    def _subset(self, size: int) -> RowSubset:
        if size not in self._built:
            self._built[size] = RowSubset(self._build_runner(size, self._levels, LOG_ENTRIES))
        return self._built[size]

    def _choose_sizes(self, budget: Budget) -> list[tuple[float, int]]:
        """Return the largest cutoff and the number of rows of each subset, small ones first."""
        total = self._two_level_cost(self._order.size, budget)
        if total <= 0:
            return []
        sizes: list[tuple[float, int]] = []
        for max_share, share in reversed(SHARES_OF_COST):
            size = self._min_size(share * total, budget)
            if size is not None and (not sizes or size <= MAX_SHARE_OF_NEXT * sizes[0][1]):
                sizes.insert(0, (max_share * total, size))
        return sizes

    def _min_size(self, cost: float, budget: Budget) -> int | None:
        """Return how many of the first rows have the given cost; None if more than MAX_ROW_SHARE."""
        low, high = 0, round(MAX_ROW_SHARE / SIZE_STEP)
        if self._two_level_cost(self._size(high), budget) < cost:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            is_enough = self._two_level_cost(self._size(middle), budget) >= cost
            low, high = (low, middle) if is_enough else (middle, high)
        return self._size(high)

    def _size(self, steps: int) -> int:
        return int(np.ceil(steps * SIZE_STEP * self._order.size))

    def _two_level_cost(self, size: int, budget: Budget) -> float:
        """Return the cost, in units, of the best tree of two levels on the first rows."""
        if size not in self._costs:
            trial = self._build_runner(size, 2, LOG_ENTRIES_TRIAL)
            self._costs[size] = trial.bound(*relaxation_arrays((2,)), np.inf, budget)[0]
        return self._costs[size]

    def _build_runner(self, size: int, levels: int, log_entries: int) -> KernelRunner:
        is_selected = np.zeros(self._order.size, dtype=bool)
        is_selected[self._order[:size]] = True
        items = self._items.select_rows(is_selected)
        return KernelRunner(self._problem, levels, self._seed, items, log_entries, self._options)


def rank_rows_by_difficulty(X: FloatArray, gain: FloatArray, seed: int, budget: Budget) -> IntArray:
    """Return the row numbers, the most difficult first.

    Random trees, each grown on a part of the rows, vote on the other rows. A row is the more difficult, the
    smaller the share of votes for the classes that it gains from.

    Parameters
    ----------
    X : (n, d) float
    gain : (n, C) float
        Gain of each row from each class.
    seed : int
    budget : Budget
        When it is spent, the trees grown so far decide.
    """
    random = np.random.default_rng(seed)
    votes = np.zeros_like(gain)
    for _ in range(int(np.clip(TREES_TIMES_ROWS // len(X), MIN_TREES, MAX_TREES))):
        if budget.expired:
            break
        budget.spend(SECONDS_PER_TREE_ROW * len(X))
        is_training = random.random(len(X)) < TRAINING_SHARE
        votes[~is_training] += _predict_shares(X, gain * is_training[:, None], random)[~is_training]
    total = votes.sum(axis=1) * gain.max(axis=1)
    return np.argsort((votes * gain).sum(axis=1) / (total + TINY), kind="stable")


def _predict_shares(X: FloatArray, gain: FloatArray, random: np.random.Generator) -> FloatArray:
    """Grow a random tree; return the (n, C) shares of the classes in the gain of each row's leaf."""
    depth = max(1, int(np.log2(max(2.0, len(X) / ROWS_PER_LEAF))))
    node = np.zeros(len(X), dtype=np.intp)
    for level in range(depth):
        node = _split_nodes(X, gain, node, 2**level, random)
    sums = _sum_by_node(gain, node, 2**depth)
    shares: FloatArray = (sums / (sums.sum(axis=0) + TINY)).T[node]
    return shares


def _split_nodes(
    X: FloatArray, gain: FloatArray, node: IntArray, n_nodes: int, random: np.random.Generator
) -> IntArray:
    """Return each row's child after every node is split by the purest of several random splits."""
    best = np.full(n_nodes, -np.inf)
    child = node
    for _ in range(SPLITS_PER_NODE):
        value = X[np.arange(len(X)), random.integers(X.shape[1], size=n_nodes)[node]]
        threshold = np.zeros(n_nodes)
        order = random.permutation(len(X))
        # of rows with the same node the last one is written: a random row of each node
        threshold[node[order]] = value[order]
        side = 2 * node + (value > threshold[node])
        sums = _sum_by_node(gain, side, 2 * n_nodes)
        purity = (np.square(sums).sum(axis=0) / (sums.sum(axis=0) + TINY)).reshape(-1, 2).sum(axis=1)
        child = np.where((purity > best)[node], side, child)
        best = np.maximum(best, purity)
    return child


def _sum_by_node(gain: FloatArray, node: IntArray, n_nodes: int) -> FloatArray:
    """Return the (C, n_nodes) sums of the gains of each node's rows."""
    return np.stack([np.bincount(node, column, n_nodes) for column in gain.T])
