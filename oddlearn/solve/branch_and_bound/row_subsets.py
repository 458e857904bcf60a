"""Proofs on the most difficult rows, and the ranking of rows by difficulty.

A core of hard rows: what no diagram can do on some of the rows, none can do on all of them.

Rows that every sensible diagram gets right add to the work and not to the cost. Without them sets are
smaller, have fewer cuts, and are proved dear just the same. A core only refutes: what is found on it says
nothing.
"""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop, levels_of
from oddlearn.solve.branch_and_bound.layer_widths import Pattern, Shape, covers, shapes_within
from oddlearn.solve.branch_and_bound.weighted_items import Items
from oddlearn.solve.budget import Budget

# with fewer rows there is nothing to gain
LEAST_ROWS = 60

# a core is large enough when the best tree of two levels keeps this share of its cost on all rows
KEPT = 0.95

# where the cutoff is below this share of that cost, a core that keeps this share will do, if much smaller
LITTLE, KEPT_FOR_LITTLE = 0.2, 0.5
MUCH_SMALLER = 0.5

# a core is chosen in steps of this share of the rows; more rows than this are as good as all
STEP, MOST_ROWS = 0.05, 0.7

# entries of the memories of bounds: fewer than for all rows
LOG_MEMORY, LOG_MEMORY_OF_PROBES = 18, 8

# trees that vote: fewer on many rows
MOST_TREES, LEAST_TREES = 60, 10
TREES_TIMES_ROWS = 100_000

# splits drawn for each node, of which the one with the purest sides is kept
DRAWN = 6

# rows in a leaf, about, and the share of rows that a tree sees
LEAF_ROWS = 8
SEEN = 0.63

TINY = 1e-12


class Core:
    """A kernel that works on some of the rows of a problem."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        # own costs that some tree of a pattern, some diagram of a shape reach on the core
        self._tree_cost: dict[Pattern, float] = {}
        self._cost: dict[Shape, float] = {}
        # below which no diagram that needs all nodes of a shape was found
        self._refuted: dict[Shape, float] = {}

    def bound(self, pattern: Pattern, cutoff: float, budget: Budget) -> float:
        """Return a bound on the trees of a pattern, 0 if the core cannot reach the cutoff or time is up."""
        if any(cost < cutoff and covers(pattern, other) for other, cost in self._tree_cost.items()):
            return 0.0
        bound, is_exact = self._workshop.bound(*levels_of(pattern), cutoff, budget)
        if not self._workshop.is_done:
            return 0.0
        if is_exact:
            self._tree_cost[pattern] = bound
        return bound

    def refutes(self, shape: Shape, cutoff: float, budget: Budget) -> bool:
        """Return True if no diagram of a shape costs less than the cutoff on the core.

        A diagram that needs all its nodes may not need them all on the core, and the kernel passes over what
        is not needed. So every shape within the shape is refuted, too: of all diagrams below the cutoff one
        with the fewest nodes needs all of them.
        """
        parts = shapes_within(shape)
        if any(self._cost.get(part, np.inf) < cutoff for part in parts):
            return False
        return all(self._refutes_needed(part, cutoff, budget) for part in parts)

    def _refutes_needed(self, shape: Shape, cutoff: float, budget: Budget) -> bool:
        """Return True if no diagram that needs all nodes of a shape is below the cutoff on the core."""
        if self._refuted.get(shape, 0.0) >= cutoff:
            return True
        found = self._workshop.search(shape, cutoff, budget)
        if found is not None:
            self._cost[shape] = self._workshop.kernel.cost
        elif self._workshop.is_done:
            self._refuted[shape] = cutoff
        return found is None and self._workshop.is_done


class Cores:
    """Cores of a problem, made of the first rows of an order: the less is to be proved, the fewer."""

    def __init__(
        self, problem: TrainingProblem, items: Items, levels: int, seed: int, order: IntArray
    ) -> None:
        self._problem, self._items, self._levels, self._seed = problem, items, levels, seed
        self._order = order
        self._chosen: tuple[float, Core | None, Core | None] | None = None

    def for_cutoff(self, cutoff: float, budget: Budget) -> Core | None:
        """Return the core to prove costs up to a cutoff on; None if it takes most rows, or too long."""
        chosen = self._choose(budget) if self._chosen is None else self._chosen
        if self._chosen is None and budget.expired:
            return None
        self._chosen = chosen
        little, small, large = chosen
        return small if cutoff <= little else large

    def _choose(self, budget: Budget) -> tuple[float, Core | None, Core | None]:
        """Return up to which cutoff the small core is to be used, that core and the large one."""
        whole = self._cost(self._order.size, budget)
        size = self._smallest(KEPT * whole, budget)
        large = None if size is None else self._core(size)
        few = self._smallest(KEPT_FOR_LITTLE * whole, budget)
        is_worth_it = few is not None and (size is None or few <= MUCH_SMALLER * size)
        return LITTLE * whole, self._core(few) if few is not None and is_worth_it else large, large

    def _smallest(self, enough: float, budget: Budget) -> int | None:
        """Return how many of the first rows cost enough; None if it takes most of them."""
        few, many = 0, round(MOST_ROWS / STEP)
        if self._cost(self._rows(many), budget) < enough:
            return None
        while many - few > 1:
            middle = (few + many) // 2
            is_enough = self._cost(self._rows(middle), budget) >= enough
            few, many = (few, middle) if is_enough else (middle, many)
        return self._rows(many)

    def _rows(self, steps: int) -> int:
        return int(np.ceil(steps * STEP * self._order.size))

    def _cost(self, size: int, budget: Budget) -> float:
        """Return what the best tree of two levels costs on the first rows."""
        probe = self._workshop(size, 2, LOG_MEMORY_OF_PROBES)
        return probe.bound(*levels_of((2,)), np.inf, budget)[0]

    def _core(self, size: int) -> Core:
        return Core(self._workshop(size, self._levels, LOG_MEMORY))

    def _workshop(self, size: int, levels: int, log_memory: int) -> Workshop:
        is_kept = np.zeros(self._order.size, dtype=bool)
        is_kept[self._order[:size]] = True
        return Workshop(self._problem, levels, self._seed, self._items.kept(is_kept), log_memory)


def hardest_first(X: FloatArray, gain: FloatArray, seed: int, budget: Budget) -> IntArray:
    """Order rows by the share of votes for what they gain most from, the smallest first.

    Parameters
    ----------
    X : (n, d) float
    gain : (n, C) float
        What each row gains from each class.
    seed : int
    budget : Budget
        When it is spent, the trees so far have the say.
    """
    random = np.random.default_rng(seed)
    votes = np.zeros_like(gain)
    for _ in range(int(np.clip(TREES_TIMES_ROWS // len(X), LEAST_TREES, MOST_TREES))):
        if budget.expired:
            break
        is_seen = random.random(len(X)) < SEEN
        votes[~is_seen] += _shares(X, gain * is_seen[:, None], random)[~is_seen]
    total = votes.sum(axis=1) * gain.max(axis=1)
    return np.argsort((votes * gain).sum(axis=1) / (total + TINY), kind="stable")


def _shares(X: FloatArray, gain: FloatArray, random: np.random.Generator) -> FloatArray:
    """Return the share of each class in the gain of every row's leaf, in a random tree."""
    depth = max(1, int(np.log2(max(2.0, len(X) / LEAF_ROWS))))
    node = np.zeros(len(X), dtype=np.intp)
    for level in range(depth):
        node = _split(X, gain, node, 2**level, random)
    sums = _sums(gain, node, 2**depth)
    shares: FloatArray = (sums / (sums.sum(axis=0) + TINY)).T[node]
    return shares


def _split(
    X: FloatArray, gain: FloatArray, node: IntArray, n_nodes: int, random: np.random.Generator
) -> IntArray:
    """Return the child of each row by a split of its node, the purest of several random ones."""
    best = np.full(n_nodes, -np.inf)
    child = node
    for _ in range(DRAWN):
        value = X[np.arange(len(X)), random.integers(X.shape[1], size=n_nodes)[node]]
        threshold = np.zeros(n_nodes)
        order = random.permutation(len(X))
        # the last row that is written stays: a random one of each node
        threshold[node[order]] = value[order]
        drawn = 2 * node + (value > threshold[node])
        sums = _sums(gain, drawn, 2 * n_nodes)
        purity = (np.square(sums).sum(axis=0) / (sums.sum(axis=0) + TINY)).reshape(-1, 2).sum(axis=1)
        child = np.where((purity > best)[node], drawn, child)
        best = np.maximum(best, purity)
    return child


def _sums(gain: FloatArray, place: IntArray, n_places: int) -> FloatArray:
    """Return the (C, places) sums of the gains of the rows at each place."""
    return np.stack([np.bincount(place, column, n_places) for column in gain.T])
