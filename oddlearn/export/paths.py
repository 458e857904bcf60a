"""Ways from the root to an arc: what holds on each of them, merged and freed of what is redundant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.errors import UnsupportedError
from oddlearn.export.shown import ShownSplit

# more ways than this make no readable rule
MOST_PATHS = 250

# where a feature that is 0 or 1 is cut
MIDDLE = 0.5

# values from the first to below the second
Interval = tuple[float, float]

EVERYTHING: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Path:
    """All of its conditions hold: each feature is in its interval, each sum on its side (1 is positive)."""

    intervals: Mapping[int, Interval] = field(default_factory=dict)
    sums: Mapping[ShownSplit, int] = field(default_factory=dict)

    def implies(self, other: Path) -> bool:
        """Return True when wherever this path holds, the other does."""
        if not other.sums.items() <= self.sums.items():
            return False
        for feature, (least, most) in other.intervals.items():
            low, high = self.intervals.get(feature, EVERYTHING)
            if low < least or high > most:
                return False
        return True


def paths_to_arcs(
    diagram: DecisionDiagram, notes: Notes, splits: Sequence[ShownSplit]
) -> list[tuple[Path, ...]]:
    """Return the paths that end with each arc ``2 * node + side``; an arc that nothing can take has none."""
    into: list[list[Path]] = [[] for _ in range(diagram.n_nodes)]
    into[0].append(Path())
    along: list[tuple[Path, ...]] = []
    for node in range(diagram.n_nodes):
        known = simplified(into[node])
        for side, ends in enumerate((diagram.negative, diagram.positive)):
            longer = [_extended(path, splits[node], side, notes) for path in known]
            along.append(simplified(path for path in longer if path is not None))
            if ends[node] < diagram.n_nodes:
                into[ends[node]] += along[-1]
    return along


def simplified(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return fewer paths of which one holds wherever one of the given does."""
    found = list(paths)
    if len(found) > MOST_PATHS:
        raise UnsupportedError(
            f"More than {MOST_PATHS} ways lead to one node: nobody could read a rule for it. Use "
            "export_text, which writes every node once."
        )
    while (pair := _first_pair(found)) is not None:
        one, other, joint = pair
        found = [path for place, path in enumerate(found) if place not in (one, other)]
        found.insert(one, joint)
    return tuple(found)


def _first_pair(paths: Sequence[Path]) -> tuple[int, int, Path] | None:
    """Return the first two paths that one path can stand for, and that path."""
    for one in range(len(paths)):
        for other in range(one + 1, len(paths)):
            joint = _joint(paths[one], paths[other])
            if joint is not None:
                return one, other, joint
    return None


def _joint(one: Path, other: Path) -> Path | None:
    """Return the path that holds exactly where one of two does, None if there is none."""
    if one.implies(other):
        return other
    if other.implies(one):
        return one
    features = {*one.intervals, *other.intervals}
    differing = [f for f in features if one.intervals.get(f) != other.intervals.get(f)]
    if not differing:
        return _without_opposites(one, other)
    if len(differing) > 1 or one.sums != other.sums:
        return None
    feature = differing[0]
    first, second = sorted(path.intervals.get(feature, EVERYTHING) for path in (one, other))
    if first[1] < second[0]:
        return None
    return Path(_with(one.intervals, feature, (first[0], max(first[1], second[1]))), one.sums)


def _without_opposites(one: Path, other: Path) -> Path | None:
    """Return two paths as one when they differ in the side of a single sum."""
    if one.sums.keys() != other.sums.keys():
        return None
    differing = [shown for shown, side in one.sums.items() if other.sums[shown] != side]
    if len(differing) != 1:
        return None
    return Path(one.intervals, {shown: side for shown, side in one.sums.items() if shown != differing[0]})


def _with(intervals: Mapping[int, Interval], feature: int, interval: Interval) -> dict[int, Interval]:
    """Return the intervals with one of them changed, and left out if it is everything."""
    changed = {**intervals, feature: interval}
    return {name: kept for name, kept in changed.items() if kept != EVERYTHING}


def _extended(path: Path, shown: ShownSplit, side: int, notes: Notes) -> Path | None:
    """Return a path with one condition more, None when both cannot hold."""
    if not is_single(shown):
        if path.sums.get(shown, side) != side:
            return None
        return Path(path.intervals, {**path.sums, shown: side})
    feature, threshold = shown.features[0], shown.threshold
    if notes.feature(feature).kind != "number" and 0 < threshold <= 1:
        threshold = MIDDLE
    low, high = path.intervals.get(feature, EVERYTHING)
    low, high = (max(low, threshold), high) if side else (low, min(high, threshold))
    if low >= high:
        return None
    return _with_category(Path(_with(path.intervals, feature, (low, high)), path.sums), feature, notes)


def is_single(shown: ShownSplit) -> bool:
    """Return True for a split on one feature as it stands."""
    return shown.weights == (1.0,) and not shown.is_flipped


def _with_category(path: Path, feature: int, notes: Notes) -> Path | None:
    """Use that a column holds one category: another one is excluded, and need not be said to be."""
    column = notes.feature(feature).column
    same = [f for f in path.intervals if _is_category(f, column, notes)]
    chosen = [f for f in same if path.intervals[f][0] == MIDDLE]
    if not chosen:
        return path
    if len(chosen) > 1:
        return None
    intervals = {f: kept for f, kept in path.intervals.items() if f not in same or f in chosen}
    return Path(intervals, path.sums)


def _is_category(place: int, column: str, notes: Notes) -> bool:
    feature = notes.feature(place)
    return feature.kind == "category" and feature.column == column
