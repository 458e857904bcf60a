"""The training problem as the arrays the search kernels read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.slot_diagram import Slots
from oddlearn.kernels.local_search.int16_bounds import INT16_INF
from oddlearn.kernels.local_search.search_table import EVERYTHING_POSITIVE, HYPERPLANE, MAX_BINS
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.table.column_medians import column_blocks

AnyNumber = TypeVar("AnyNumber", np.float32, np.int16)

# sorting and copying one value of the table; 1,000,000 x 20 took 4 s on a busy core
SECONDS_PER_VALUE = 2e-7


@dataclass(frozen=True)
class SearchTable:
    """Columns of the features that vary, each with its sorted order; costs and weights by class."""

    features: IntArray  # (d,): which feature of the problem each column is
    columns: FloatArray  # (d, n): values of each feature
    order: NDArray[np.int32]  # (d, n): samples by increasing value
    # (d, n), or (0, 0): the sorted values; only of univariate splits without ``tied_with_next``, whose scans
    # took up to 1.6 times as long with values looked up by the order
    ordered: NDArray[np.float32]
    rank: NDArray[np.int32]  # (d, n): place of each sample in that order
    # (d, n), or (0, 0): in sorted order, 32767 where the next value is the same, else 0; only where costs are
    # integers and rows few enough for sums of 16 bits
    tied_with_next: NDArray[np.int16]
    n_bins: NDArray[np.int32]  # (d,): distinct values of each feature, 0 where there are more than 64
    bins: NDArray[np.uint8]  # (d, n): which of them each sample has
    bin_values: FloatArray  # (d, 64)
    common: NDArray[np.int32]  # (d,): the bin that most samples are in, of features with bins
    rare: NDArray[np.int32]  # the samples in other bins, feature by feature
    rare_first: IntArray  # (d + 1,): where each feature's begin
    cost: FloatArray  # (n_classes, n): cost of sending a sample to a class
    # (n,), or (0,): the class that costs a sample nothing, where for every sample all others cost the same;
    # only with more than two classes
    label: NDArray[np.int32]
    weight: FloatArray  # (n_classes, n): weight of its true classes
    column_of: NDArray[np.int32]  # (d,): the user's column that each feature comes from
    max_terms: int  # of a hyperplane, counted on the user's columns; 0 for no limit
    layer: NDArray[np.int32]  # layer of each slot
    first: NDArray[np.int32]  # first slot of each layer

    @staticmethod
    def seconds(problem: TrainingProblem) -> float:
        """Return about how long building the arrays of a problem takes."""
        return problem.data.X.size * SECONDS_PER_VALUE

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> SearchTable:
        """Return the arrays of a problem; features that are constant are left out."""
        span = problem.data.spans
        features = np.flatnonzero((span > 0) & (span >= problem.margin))
        ranked = problem.data.ranked_columns
        columns, order = ranked.columns, ranked.orders()
        if features.size < problem.data.n_features:
            columns, order = columns[features], order[features]
        n_bins, bins, bin_values = _bin_columns(columns, order)
        is_univariate = problem.split == "univariate"
        # read by the bounds of univariate splits whose costs are integers
        has_ties = is_univariate and problem.cost_units.step > 0 and problem.data.n_rows <= INT16_INF
        return cls(
            features,
            columns,
            order,
            _take_sorted(columns, order) if is_univariate and not has_ties else _none(np.float32),
            _invert(order),
            _mark_ties(columns, order) if has_ties else _none(np.int16),
            n_bins,
            bins,
            bin_values,
            *_list_rare(n_bins, bins),
            np.ascontiguousarray(problem.cost.T),
            _find_labels(problem.cost),
            np.ascontiguousarray(problem.data.class_weight.T),
            *_read_term_limit(problem, features),
            problem.skeleton.layer_of.astype(np.int32),
            np.asarray(problem.skeleton.first, dtype=np.int32),
        )

    def narrowed(self, problem: TrainingProblem, slots: Slots) -> Slots:
        """Return slots of the problem in terms of the table's columns.

        A feature that was left out is as good as constant: a split on it sends all samples one way, and its
        part of a weighted sum moves the threshold.
        """
        left_out = np.setdiff1d(np.arange(problem.data.n_features), self.features)
        column = np.full(problem.data.n_features, EVERYTHING_POSITIVE)
        column[self.features] = np.arange(self.features.size)
        fixed = problem.data.X[0]
        feature, child = slots.feature.copy(), slots.child.copy()
        single = np.flatnonzero(slots.feature >= 0)
        feature[single] = column[slots.feature[single]]
        one_way = single[np.isin(slots.feature[single], left_out)]
        turned = one_way[fixed[slots.feature[one_way]] < slots.threshold[one_way]]
        child[turned] = child[turned, ::-1]
        moved = np.where(slots.feature == HYPERPLANE, slots.weights[:, left_out] @ fixed[left_out], 0.0)
        weights = np.ascontiguousarray(slots.weights[:, self.features])
        return Slots(child, feature, slots.threshold - moved, weights, slots.active)


def _read_term_limit(problem: TrainingProblem, features: IntArray) -> tuple[NDArray[np.int32], int]:
    """Return the column of each feature of the table, 0 .. n_columns - 1, and the most in a hyperplane."""
    limit = problem.term_limit
    if limit is None:
        return np.arange(features.size, dtype=np.int32), 0
    columns = np.unique(limit.column_of[features], return_inverse=True)[1]
    return columns.reshape(-1).astype(np.int32), limit.max_terms


def _sort_blocks(columns: FloatArray, order: NDArray[np.int32]) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the columns in their orders, some at a time.

    Numpy makes indices of 8 bytes of those it is given: not of all at once.
    """
    for block in column_blocks(order.shape[1], order.shape[0]):
        yield block, np.take_along_axis(columns[block], order[block], axis=1)


def _invert(order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the place of each sample in each order."""
    rank = np.empty_like(order)
    places = np.arange(order.shape[1], dtype=np.int32)[None]
    for block in column_blocks(order.shape[1], order.shape[0]):
        np.put_along_axis(rank[block], order[block], places, axis=1)
    return rank


def _none(dtype: type[AnyNumber]) -> NDArray[AnyNumber]:
    return np.empty((0, 0), dtype=dtype)


def _take_sorted(columns: FloatArray, order: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the columns in their orders; nothing unless 4 bytes hold them exactly, as they hold ranks."""
    sorted_columns = np.empty(columns.shape, dtype=np.float32)
    for block, ordered in _sort_blocks(columns, order):
        sorted_columns[block] = ordered
        if (sorted_columns[block] != ordered).any():
            return _none(np.float32)
    return sorted_columns


def _mark_ties(columns: FloatArray, order: NDArray[np.int32]) -> NDArray[np.int16]:
    """Return where the next of the sorted values is the same."""
    tied = np.zeros(columns.shape, dtype=np.int16)
    for block, ordered in _sort_blocks(columns, order):
        tied[block, :-1] = INT16_INF * (ordered[:, 1:] == ordered[:, :-1])
    return tied


def _find_labels(cost: FloatArray) -> NDArray[np.int32]:
    """Return the class that costs each sample nothing; nothing unless all others cost the sample the same."""
    label: NDArray[np.int32] = cost.argmin(axis=1).astype(np.int32)
    others = np.where(np.arange(cost.shape[1]) == label[:, None], 0.0, cost.max(axis=1, keepdims=True))
    if cost.shape[1] == 2 or (cost != others).any():
        return np.empty(0, dtype=np.int32)
    return label


def _bin_columns(
    columns: FloatArray, order: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.uint8], FloatArray]:
    """Return the number of distinct values, the bin of each sample and the value of each bin, per feature."""
    n_bins = np.zeros(order.shape[0], dtype=np.int32)
    bins = np.zeros(order.shape, dtype=np.uint8)
    values = np.zeros((order.shape[0], MAX_BINS))
    for block, ordered in _sort_blocks(columns, order):
        is_first = np.ones(ordered.shape, dtype=bool)
        is_first[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
        counts = is_first.sum(axis=1)
        few = np.flatnonzero(counts <= MAX_BINS)
        features, is_first = block.start + few, is_first[few]
        n_bins[features] = counts[few]
        place = np.cumsum(is_first, axis=1) - 1
        own = np.empty(place.shape, dtype=np.uint8)
        np.put_along_axis(own, order[features], place.astype(np.uint8), axis=1)
        bins[features] = own
        rows = np.nonzero(is_first)[0]
        values[features[rows], place[is_first]] = ordered[few][is_first]
    return n_bins, bins, values


def _list_rare(
    n_bins: NDArray[np.int32], bins: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.int32], IntArray]:
    """Return the most frequent bin of each feature, the samples in others, and where each feature's begin."""
    common, sizes = np.zeros(n_bins.size, dtype=np.int32), np.zeros(n_bins.size + 1, dtype=np.intp)
    rare = [np.empty(0, dtype=np.int32)]
    for block in column_blocks(bins.shape[1], n_bins.size):
        features = block.start + np.flatnonzero(n_bins[block])
        cells = np.arange(features.size)[:, None] * MAX_BINS + bins[features]
        counts = np.bincount(cells.ravel(), minlength=features.size * MAX_BINS).reshape(-1, MAX_BINS)
        common[features] = counts.argmax(axis=1)
        is_rare = bins[features] != common[features, None]
        sizes[1 + features] = is_rare.sum(axis=1)
        rare.append(np.nonzero(is_rare)[1].astype(np.int32))
    return common, np.concatenate(rare), np.cumsum(sizes)
