"""Paths from the root to an arc: their conditions, merged where one path can replace two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import round_to_digits
from oddlearn.errors import UnsupportedError
from oddlearn.view.conditions import APPROXIMATE, OR_MISSING, condition_text, term_name, threshold_text
from oddlearn.view.rounding import RoundedSplit

MAX_PATHS = 250  # with more paths a rule cannot be read
MIDDLE = 0.5  # threshold of a feature that is 0 or 1


class FeatureRange(NamedTuple):
    """Values of a feature: from a lower end, included, to an upper end, excluded, perhaps missing ones."""

    low: float
    high: float
    missing: bool


UNBOUNDED = FeatureRange(-math.inf, math.inf, True)
NOTHING = FeatureRange(math.inf, -math.inf, False)


@dataclass(frozen=True)
class Path:
    """A conjunction: each feature in its interval, each sum on its side (1 is positive)."""

    intervals: Mapping[int, FeatureRange] = field(default_factory=dict)
    sums: Mapping[RoundedSplit, int] = field(default_factory=dict)

    def implies(self, other: Path) -> bool:
        """Return True when the other path holds wherever this one does."""
        if not other.sums.items() <= self.sums.items():
            return False
        for feature, wider in other.intervals.items():
            own = self.intervals.get(feature, UNBOUNDED)
            if own.low < wider.low or own.high > wider.high or own.missing > wider.missing:
                return False
        return True


def paths_to_arcs(
    diagram: DecisionDiagram, metadata: ModelMetadata, splits: Sequence[RoundedSplit]
) -> list[tuple[Path, ...]]:
    """Return the paths that end with each arc ``2 * node + side``; an arc that nothing can take has none."""
    into: list[list[Path]] = [[] for _ in range(diagram.n_nodes)]
    into[0].append(Path())
    along: list[tuple[Path, ...]] = []
    for node in range(diagram.n_nodes):
        arriving = simplify(into[node])
        for side, ends in enumerate((diagram.negative, diagram.positive)):
            longer = [_extend(path, splits[node], side, metadata) for path in arriving]
            along.append(simplify(path for path in longer if path is not None))
            if ends[node] < diagram.n_nodes:
                into[ends[node]] += along[-1]
    return along


def simplify(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return fewer paths that hold for the same rows."""
    found = list(paths)
    if len(found) > MAX_PATHS:
        raise UnsupportedError(
            f"More than {MAX_PATHS} paths lead to one node: nobody could read a rule for it. Use "
            "export_text, which writes every node once."
        )
    while (pair := _first_pair(found)) is not None:
        one, other, joint = pair
        found = [path for place, path in enumerate(found) if place not in (one, other)]
        found.insert(one, joint)
    return tuple(found)


def _first_pair(paths: Sequence[Path]) -> tuple[int, int, Path] | None:
    """Return the first two paths that one path can replace, and that path."""
    for one in range(len(paths)):
        for other in range(one + 1, len(paths)):
            joint = _merge(paths[one], paths[other])
            if joint is not None:
                return one, other, joint
    return None


def _merge(one: Path, other: Path) -> Path | None:
    """Return the path that holds exactly where one of the two does, None if there is none."""
    if one.implies(other):
        return other
    if other.implies(one):
        return one
    features = {*one.intervals, *other.intervals}
    differing = [f for f in features if one.intervals.get(f) != other.intervals.get(f)]
    if not differing:
        return _merge_sides(one, other)
    if len(differing) > 1 or one.sums != other.sums:
        return None
    feature = differing[0]
    first, second = sorted(path.intervals.get(feature, UNBOUNDED) for path in (one, other))
    # if all its values are missing, the second has an infinite lower end
    if first.high < second.low < second.high:
        return None
    joint = FeatureRange(first.low, max(first.high, second.high), first.missing or second.missing)
    return Path(_replace_interval(one.intervals, feature, joint), one.sums)


def _merge_sides(one: Path, other: Path) -> Path | None:
    """Return one path for two that differ in the side of a single sum, else None."""
    if one.sums.keys() != other.sums.keys():
        return None
    differing = [split for split, side in one.sums.items() if other.sums[split] != side]
    if len(differing) != 1:
        return None
    return Path(one.intervals, {split: side for split, side in one.sums.items() if split != differing[0]})


def _replace_interval(
    intervals: Mapping[int, FeatureRange], feature: int, interval: FeatureRange
) -> dict[int, FeatureRange]:
    """Return the intervals with one of them replaced, or left out if it is unbounded."""
    changed = {**intervals, feature: interval}
    return {name: kept for name, kept in changed.items() if kept != UNBOUNDED}


def _extend(path: Path, rounded: RoundedSplit, side: int, metadata: ModelMetadata) -> Path | None:
    """Return a path with one more condition, None when they contradict each other."""
    if rounded.weights != (1.0,) or rounded.is_flipped:
        if path.sums.get(rounded, side) != side:
            return None
        return Path(path.intervals, {**path.sums, rounded: side})
    feature, threshold = rounded.features[0], rounded.threshold
    if metadata.feature(feature).is_binary and 0 < threshold <= 1:
        threshold = MIDDLE
    low, high, missing = path.intervals.get(feature, UNBOUNDED)
    low, high = (max(low, threshold), high) if side else (low, min(high, threshold))
    missing = missing and rounded.missing_positive == bool(side)
    found = FeatureRange(low, high, missing) if low < high else NOTHING._replace(missing=missing)
    if found == NOTHING:
        return None
    intervals = _replace_interval(path.intervals, feature, found)
    return _apply_category(Path(intervals, path.sums), feature, metadata)


def _apply_category(path: Path, feature: int, metadata: ModelMetadata) -> Path | None:
    """Drop other categories of a column whose category is known; None when two of them would hold."""
    column = metadata.feature(feature).column
    same = [f for f in path.intervals if _is_category(f, column, metadata)]
    selected = [f for f in same if path.intervals[f].low == MIDDLE]
    if not selected:
        return path
    if len(selected) > 1:
        return None
    intervals = {f: kept for f, kept in path.intervals.items() if f not in same or f in selected}
    return Path(intervals, path.sums)


def _is_category(place: int, column: str, metadata: ModelMetadata) -> bool:
    feature = metadata.feature(place)
    return feature.kind in ("category", "other", "missing") and feature.column == column


@dataclass(frozen=True)
class FeatureClause:
    """The condition ``low <= feature < high``; ``text`` is its wording, perhaps rounded.

    ``missing`` is True if missing values satisfy it, too; if only they do, low is infinite.
    """

    text: str
    feature: int
    low: float
    high: float
    missing: bool = False

    def holds(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X in the interval, or with a missing value if that satisfies it."""
        values = X[:, self.feature]
        return np.where(np.isnan(values), self.missing, (values >= self.low) & (values < self.high))


@dataclass(frozen=True)
class SumClause:
    """A weighted sum on a side (1 is positive); ``text`` is its wording, perhaps rounded."""

    text: str
    split: RoundedSplit
    side: int

    def holds(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on that side."""
        return np.asarray(self.split.side(X) == bool(self.side))


Clause = FeatureClause | SumClause


def build_clauses(path: Path, metadata: ModelMetadata, digits: int | None) -> tuple[Clause, ...]:
    """Return the conditions of a path in the order of its nodes: single features, then sums."""
    single: list[Clause] = [
        FeatureClause(_interval_text(feature, interval, metadata, digits), feature, *interval)
        for feature, interval in path.intervals.items()
    ]
    sums: list[Clause] = [
        SumClause(condition_text(_round(rounded, digits), metadata, side), rounded, side)
        for rounded, side in path.sums.items()
    ]
    return (*single, *sums)


def _interval_text(feature: int, interval: FeatureRange, metadata: ModelMetadata, digits: int | None) -> str:
    low, high, missing = interval
    named = metadata.feature(feature)
    if math.isinf(low) or math.isinf(high):
        # a range without numbers has an infinite lower end, one of all numbers an infinite upper one
        side = int(low > -math.inf)
        bound = RoundedSplit(
            features=(feature,),
            weights=(1.0,),
            threshold=low if side else high,
            is_flipped=False,
            is_exact=True,
            is_timestamp=named.timestamp_kind is not None,
            missing_positive=missing == bool(side),
        )
        return condition_text(_round(bound, digits), metadata, side)
    has_all_digits = digits is None or named.timestamp_kind is not None
    ends = [number if has_all_digits else round_to_digits(number, digits or 1) for number in (low, high)]
    mark = "" if ends == [low, high] else APPROXIMATE
    least, most = (threshold_text(end, named) for end in ends)
    text = f"{mark}{least} <= {term_name(metadata, feature)} < {most}"
    return text + OR_MISSING * (missing and named.has_missing)


def _round(rounded: RoundedSplit, digits: int | None) -> RoundedSplit:
    return rounded if digits is None else rounded.round(digits)
