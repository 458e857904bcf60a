"""Categories of a column: their levels, and the pool of rare ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.features import Label
from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import check_int

# indicators of a column by default, that of the pool included; an indicator is a column for every solver
DEFAULT_MAX_CATEGORIES = 32

MAX_LEVELS = 65_000  # text with more levels is not looked at

# a column of text, all of whose values differ, names the rows if it has more than this many
MAX_DISTINCT_CATEGORIES = 10


@dataclass(frozen=True)
class Pooling:
    """Limits beyond which rare categories are pooled, as of scikit-learn's OneHotEncoder."""

    max_categories: int | None = DEFAULT_MAX_CATEGORIES  # levels of a column, the pool included
    min_frequency: int | float | None = None  # categories of fewer rows are pooled; a float is a share

    def find_rare(self, counts: Sequence[int], n_rows: int) -> list[bool]:
        """Return True for each level that is pooled; ``counts`` are the rows of the sorted levels."""
        count = np.asarray(counts)
        least = 0 if self.min_frequency is None else self.min_frequency
        pooled = count < (least * n_rows if isinstance(least, float) else least)
        # as by OneHotEncoder: the pool counts before there is one, and of equally frequent levels the last
        # are kept
        n_left = count.size - int(pooled.sum()) + 1
        if self.max_categories is not None and n_left > self.max_categories:
            order = np.argsort(count, kind="stable")
            pooled[order[: count.size - (self.max_categories - 1)]] = True
        return list(map(bool, pooled))


def check_pooling(max_categories: object, min_frequency: object) -> Pooling:
    """Check the parameters of an estimator."""
    most = None if max_categories is None else check_int("max_categories", max_categories, low=1)
    if min_frequency is None:
        return Pooling(most)
    if isinstance(min_frequency, (float, np.floating)):
        if not 0 < min_frequency < 1:
            raise InvalidInputError(
                f"min_frequency is {min_frequency!r}: give a number of rows, or a share above 0 and below 1."
            )
        return Pooling(most, float(min_frequency))
    return Pooling(most, check_int("min_frequency", min_frequency, low=1))


def refuse_reason(n_levels: int, n_rows: int) -> str | None:
    """Return why text with so many different values cannot be categories, None if it can."""
    if n_levels > MAX_LEVELS:
        return f"more than {MAX_LEVELS:,} different values"
    if n_levels == n_rows and n_levels > MAX_DISTINCT_CATEGORIES:
        return "all values different"
    return None


def learn_categories(
    name: str, values: Sequence[Label], n_rows: int, pooling: Pooling
) -> tuple[tuple[Label, ...], int]:
    """Return the categories with an indicator of their own, sorted, and the number of pooled ones.

    ``name``: of the column, for messages.
    ``values``: of all rows that have one.
    ``n_rows``: number of rows, of which ``min_frequency`` may be a share.
    """
    return pool_categories(name, Counter(values), len(values), n_rows, pooling)


def pool_categories(
    name: str, counts: Counter[Label], n_values: int, n_rows: int, pooling: Pooling
) -> tuple[tuple[Label, ...], int]:
    """Return what ``learn_categories`` does, from the number of rows of each value."""
    reason = refuse_reason(len(counts), n_values)
    if reason is not None:
        raise InvalidInputError(
            f"The column {name} holds {len(counts):,} different values in {n_values:,} rows, such as "
            f"{min(counts)!r}: {reason}, so it names the rows rather than puts them into categories. "
            "Leave it out, convert it if it holds numbers (pandas.to_numeric) or dates "
            "(pandas.to_datetime), or group its values."
        )
    levels = sorted(counts)
    pooled = pooling.find_rare([counts[level] for level in levels], n_rows)
    kept = tuple(level for level, is_rare in zip(levels, pooled, strict=True) if not is_rare)
    return kept, len(levels) - len(kept)
