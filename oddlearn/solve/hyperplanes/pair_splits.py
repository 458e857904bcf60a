"""The best split by a weighted sum of two columns, without a margin.

What is found costs no more than any split with a margin: two numbers are a plane, whose lines are all tried;
a number and levels have a threshold for each level; of two columns of levels every nested choice is tried if
one has few. In three cases the rows are freer than a weighted sum is, and the least cost is only a bound:
many levels on both sides, a number that is missing beside levels, and two numbers that are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.kernels.hyperplanes.best_line import find_best_line
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.column_groups import ColumnGroup

MAX_ORDERED_LEVELS = 5  # of the column with fewer levels: 120 orders

# a line divides no points closer to it than this share of the largest coordinate
TIE_SHARE = 1e-13

# work in seconds: for each pivot and point in the plane, for each row of a threshold, for each step in numpy
SECONDS_PER_POINT, SECONDS_PER_ROW, SECONDS_PER_STEP = 1.5e-8, 2e-8, 5e-5
CHUNK_SECONDS = 0.02


@dataclass(frozen=True, eq=False)
class PairSplit:
    """The sides of some rows, the targets of both sides, and the cost."""

    cost: float
    negative: int
    positive: int
    side: BoolArray


@dataclass
class PairSearch:
    """The search of one pair of columns; it can be resumed.

    ``cost`` (m, k): cost of each row at each target. ``limit``: splits that cost as much are not looked for.
    """

    first: ColumnGroup
    second: ColumnGroup
    cost: FloatArray
    limit: float
    tolerance: float
    best: PairSplit | None = None
    _pivot: int = 0
    _plane: Plane | None = None

    def run(self, budget: Budget) -> bool:
        """Search on; return False if the budget was spent before the end."""
        if self.first.values is None and self.second.values is None:
            return self._take(search_levels(self.first, self.second, self.cost), budget)
        if self.first.values is None:
            return self._take(search_thresholds(self.second, self.first, self.cost), budget)
        if self.second.values is None:
            return self._take(search_thresholds(self.first, self.second, self.cost), budget)
        return self._search_plane(budget)

    def _take(self, found: PairSplit, budget: Budget) -> bool:
        n_levels = self.first.n_levels + self.second.n_levels
        budget.spend(SECONDS_PER_STEP * n_levels + SECONDS_PER_ROW * self.cost.size)
        if found.cost < self.limit - self.tolerance and found.negative != found.positive:
            self.best, self.limit = found, found.cost
        return True

    def _search_plane(self, budget: Budget) -> bool:
        """Turn lines around the points of the plane, some points at a time."""
        if self._plane is None:
            self._plane = Plane.build(self.first, self.second, self.cost)
        n_points = self._plane.x.size
        chunk = max(1, int(CHUNK_SECONDS / (SECONDS_PER_POINT * max(1, n_points))))
        while self._pivot < n_points:
            if budget.expired:
                return False
            last = min(n_points, self._pivot + chunk)
            found = self._plane.search(self._pivot, last, self.limit, self.tolerance)
            budget.spend(SECONDS_PER_POINT * n_points * (last - self._pivot))
            self._pivot = last
            if found is not None and found.negative != found.positive:
                self.best, self.limit = found, found.cost
        return True


@dataclass(frozen=True, eq=False)
class Plane:
    """The distinct points of two numbers, and the rows where one of them is missing."""

    first: ColumnGroup
    second: ColumnGroup
    cost: FloatArray  # (m, k)
    x: FloatArray  # (n,)
    y: FloatArray  # (n,)
    point_cost: FloatArray  # (n, k)
    point: IntArray  # (m,): point of each row, -1 where a number is missing
    extra: FloatArray | None  # (k, k): least cost of the rows that are no points

    @classmethod
    def build(cls, first: ColumnGroup, second: ColumnGroup, cost: FloatArray) -> Plane:
        """Put equal points together; the number with more missing values becomes y."""
        if first.is_missing.sum() > second.is_missing.sum():
            first, second = second, first
        present = ~(first.is_missing | second.is_missing)
        assert first.values is not None and second.values is not None
        pairs = np.column_stack([first.values[present], second.values[present]])
        points, place = np.unique(pairs, axis=0, return_inverse=True)
        place = place.reshape(-1)
        own = add_up(place, cost[present], len(points))
        point = np.full(present.size, -1, dtype=np.intp)
        point[present] = place
        x, y = (np.ascontiguousarray(column) for column in points.reshape(-1, 2).T)
        extra = None
        if not present.all():
            extra = np.sum([table for table, _ in _missing_parts(first, second, cost)], axis=0)
        return cls(first, second, cost, x, y, own, point, extra)

    def search(self, first: int, last: int, limit: float, tolerance: float) -> PairSplit | None:
        """Return the best line around some of the points, if it is better than the limit."""
        scale = max(1.0, float(np.abs(self.x).max()), float(np.abs(self.y).max()))
        args = (self.extra, first, last, limit, tolerance, TIE_SHARE * scale)
        cost, found = find_best_line(self.x, self.y, self.point_cost, *args)
        if found is None:
            return None
        negative, positive, side = found
        sides = side[np.maximum(self.point, 0)]
        for _, place in _missing_parts(self.first, self.second, self.cost) if self.extra is not None else ():
            rows, taken = place(negative, positive)
            sides[rows] = taken
        return PairSplit(cost, negative, positive, sides)


def add_up(place: IntArray, cost: FloatArray, n_places: int) -> FloatArray:
    """Return the sums of the costs (m, k) of the rows in each place, shape (n_places, k)."""
    sums = [np.bincount(place, column, n_places) for column in cost.T]
    return np.ascontiguousarray(np.column_stack(sums), dtype=np.float64)


class Place:
    """The sides of rows for given targets, by the cheapest threshold or freely."""

    def __init__(self, rows: BoolArray, cost: FloatArray, values: FloatArray | None, sign: float) -> None:
        self.rows, self.cost, self.values, self.sign = rows, cost[rows], values, sign

    def __call__(self, negative: int, positive: int) -> tuple[BoolArray, BoolArray]:
        """Return the rows, and the sides they take."""
        if self.values is None:
            return self.rows, self.cost[:, positive] < self.cost[:, negative]
        return self.rows, cut(self.sign * self.values, self.cost, negative, positive)


def _missing_parts(
    first: ColumnGroup, second: ColumnGroup, cost: FloatArray
) -> Iterator[tuple[FloatArray, Place]]:
    """Yield the rows where a number is missing, with their cost (k, k) for each pair of targets.

    Every line has its positive side at the smaller x (``best_line``). A row without y is then compared with a
    threshold on x of its own kind; one without x goes where it is cheaper.
    """
    only_x = ~first.is_missing & second.is_missing
    if only_x.any() and first.values is not None:
        values = first.values[only_x]
        yield threshold_costs(-values, cost[only_x]), Place(only_x, cost, values, -1.0)
    rest = first.is_missing
    if rest.any():
        yield free_costs(cost[rest]), Place(rest, cost, None, 1.0)


def free_costs(cost: FloatArray) -> FloatArray:
    """Return the cost of rows that each take the cheaper of two targets, shape (k, k)."""
    return np.asarray(np.minimum(cost[:, :, None], cost[:, None, :]).sum(axis=0))


def threshold_costs(values: FloatArray, cost: FloatArray) -> FloatArray:
    """Return the least cost of a threshold for each negative and positive target, shape (k, k)."""
    below = _sums_below(values, cost)
    return np.asarray((below[:, :, None] + (below[-1] - below)[:, None, :]).min(axis=0))


def _sums_below(values: FloatArray, cost: FloatArray) -> FloatArray:
    """Return the costs of the rows below each possible threshold, first none of them, last all."""
    order = np.argsort(values, kind="stable")
    sums = np.vstack([np.zeros(cost.shape[1]), np.cumsum(cost[order], axis=0)])
    changes = np.flatnonzero(np.diff(values[order]) > 0) + 1
    return np.asarray(sums[np.concatenate([[0], changes, [values.size]])])


def cut(values: FloatArray, cost: FloatArray, negative: int, positive: int) -> BoolArray:
    """Return the rows above the best threshold for two targets."""
    below = _sums_below(values, cost)
    totals = below[:, negative] + (below[-1] - below)[:, positive]
    distinct = np.unique(values)
    place = int(totals.argmin())
    return np.asarray(values >= distinct[place]) if place < distinct.size else np.zeros(values.size, bool)


def search_thresholds(number: ColumnGroup, levels: ColumnGroup, cost: FloatArray) -> PairSplit:
    """Return the best split by a number and levels: a threshold for each level, all in one direction."""
    assert number.values is not None
    present, best = ~number.is_missing, None
    free = Place(~present, cost, None, 1.0)
    for sign in (1.0, -1.0):
        parts = [
            (present & (levels.level == level), number.values[present & (levels.level == level)])
            for level in range(levels.n_levels)
        ]
        tables = [threshold_costs(sign * values, cost[rows]) for rows, values in parts if values.size]
        table = np.sum([*tables, free_costs(cost[~present])], axis=0)
        places = [Place(rows, cost, values, sign) for rows, values in parts if values.size]
        best = _choose(table, [*places, free], best, present.size)
    assert best is not None
    return best


def _choose(table: FloatArray, places: list[Place], best: PairSplit | None, n_rows: int) -> PairSplit:
    """Return the better of a split and the best pair of targets of a table (k, k)."""
    table = table.copy()
    np.fill_diagonal(table, np.inf)
    negative, positive = np.unravel_index(int(table.argmin()), table.shape)
    value = float(table[negative, positive])
    if best is not None and best.cost <= value:
        return best
    side = np.zeros(n_rows, dtype=bool)
    for place in places:
        rows, taken = place(int(negative), int(positive))
        side[rows] = taken
    return PairSplit(value, int(negative), int(positive), side)


def search_levels(first: ColumnGroup, second: ColumnGroup, cost: FloatArray) -> PairSplit:
    """Return the best split by the levels of two columns.

    Offsets of the levels of both add up: the levels of the first that are positive beside a level of the
    second are the upper ones in an order that is the same for all. Every order is tried if there are few.
    """
    if first.n_levels > second.n_levels:
        first, second = second, first
    cell = first.level * second.n_levels + second.level
    n_cells = first.n_levels * second.n_levels
    sums = add_up(cell, cost, n_cells)
    cells = sums.reshape(first.n_levels, second.n_levels, -1)
    free = Place(np.ones(n_cells, dtype=bool), sums, None, 1.0)
    if min(first.n_levels, second.n_levels) == 1 or first.n_levels > MAX_ORDERED_LEVELS:
        found = _choose(free_costs(sums), [free], None, n_cells)
        return replace(found, side=found.side[cell])
    best: PairSplit | None = None
    for order in permutations(range(first.n_levels)):
        best = _search_order(cells[list(order)], np.array(order), best)
    assert best is not None
    return replace(best, side=best.side[cell])


def _search_order(cells: FloatArray, order: IntArray, best: PairSplit | None) -> PairSplit | None:
    """Return the better of a split and the best with the levels of the first column in an order.

    ``cells`` (n_first, n_second, k): costs, the first column in the order.
    """
    none = np.zeros((1, *cells.shape[1:]))
    below = np.concatenate([none, np.cumsum(cells, axis=0)])
    above = below[-1] - below
    totals = below[:, :, :, None] + above[:, :, None, :]  # (n_first + 1, n_second, k, k)
    table = totals.min(axis=0).sum(axis=0)
    np.fill_diagonal(table, np.inf)
    negative, positive = np.unravel_index(int(table.argmin()), table.shape)
    value = float(table[negative, positive])
    if best is not None and best.cost <= value:
        return best
    n_below = totals[:, :, negative, positive].argmin(axis=0)
    side = np.empty(cells.shape[:2], dtype=bool)
    side[order] = np.arange(len(order))[:, None] >= n_below
    return PairSplit(value, int(negative), int(positive), side.ravel())
