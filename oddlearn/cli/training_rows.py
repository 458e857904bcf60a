"""Labelled samples of a table, and the rows held out for testing."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.cli.column_roles import ColumnRoles
from oddlearn.cli.console import rows_text
from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import MOST_NAMED, listed
from oddlearn.table.column_table import Column, ColumnTable, FileTable
from oddlearn.table.encoding import MOST_CATEGORIES, SURELY_CATEGORIES

# a target with more different values than this, and than half the rows, is taken for a name of the rows
SURELY_CLASSES = 10


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a file.

    Attributes
    ----------
    features : ColumnTable
        Accepted by estimators in place of a frame.
    labels : (n,)
    weights : (n,) float or None
    groups : dict from column to (n,) values
        Of the sensitive columns.
    """

    features: Any
    labels: NDArray[Any]
    weights: NDArray[Any] | None
    groups: dict[str, NDArray[Any]]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.labels.size)

    def rows(self, places: NDArray[Any]) -> Samples:
        """Return these rows only, given by place or by a mask."""
        return replace(
            self,
            features=self.features.rows(places),
            labels=self.labels[places],
            weights=None if self.weights is None else self.weights[places],
            groups={name: values[places] for name, values in self.groups.items()},
        )


def build_samples(table: FileTable, roles: ColumnRoles) -> tuple[Samples, int]:
    """Return the samples of a table, and the number of rows left out for missing values."""
    _check_roles(table, roles)
    used = table.without(roles.dropped)
    used, n_skipped = _complete(used, roles.skip_missing)
    target = used.column(roles.target, "--target")
    beside = {roles.target, *roles.sensitive} | ({roles.weights} if roles.weights else set())
    features = used.without(beside)
    if not features.columns:
        raise InvalidInputError(f"{table.source} has no column left to learn from: drop fewer columns.")
    _check_finite(used)
    _check_categories(features)
    labels = _labels(table.source, target)
    weights = None if roles.weights is None else used.column(roles.weights, "--weights")
    groups = {name: plain_values(used.column(name, "--sensitive")) for name in roles.sensitive}
    return Samples(build_feature_table(features), labels, _weights(table.source, weights), groups), n_skipped


def build_feature_table(table: FileTable) -> Any:  # noqa: ANN401
    """Return columns without missing values as a ColumnTable."""
    return ColumnTable.of({column.name: plain_values(column) for column in table.columns})


def plain_values(column: Column) -> NDArray[Any]:
    """Return the values of a column without missing values, text as numpy strings."""
    return column.values.astype(str) if column.kind == "text" else column.values


def holdout_mask(labels: NDArray[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """Return a mask of held-out rows: this share of each class, rounded, but never all of its rows.

    The same labels in the same order, share and seed give the same rows, on every machine.
    """
    # RandomState, because its draws are promised never to change
    random = np.random.RandomState(seed)
    taken = np.zeros(labels.size, dtype=bool)
    for label in np.unique(labels):
        places = random.permutation(np.flatnonzero(labels == label))
        taken[places[: min(round(share * places.size), places.size - 1)]] = True
    return taken


def _check_roles(table: FileTable, roles: ColumnRoles) -> None:
    named = [("--target", roles.target), ("--weights", roles.weights)]
    named += [("--drop", name) for name in roles.dropped] + [
        ("--sensitive", name) for name in roles.sensitive
    ]
    seen: dict[str, str] = {}
    for option, name in named:
        if name is None:
            continue
        table.column(name, option)
        if seen.setdefault(name, option) != option:
            raise InvalidInputError(
                f"The column {name!r} is given to {seen[name]} and to {option}: give one."
            )


def _complete(table: FileTable, skip_missing: bool) -> tuple[FileTable, int]:
    """Return the table without rows that miss a value; raise InvalidInputError unless they may be skipped."""
    lacking = table.incomplete_rows()
    count = int(lacking.sum())
    if count and not skip_missing:
        raise InvalidInputError(
            f"{missing_values_text(table, count)}, leave out these rows with --skip-missing, or leave out "
            "columns with --drop."
        )
    if count == table.n_rows:
        raise InvalidInputError(
            f"Every row of {table.source} misses a value: leave out columns with --drop, most are missing in "
            f"{_counts(sorted(table.columns, key=lambda column: -column.n_missing))}."
        )
    return (table.rows(~lacking) if count else table), count


def missing_values_text(table: FileTable, count: int) -> str:
    """Return the beginning of a message about missing values."""
    return (
        f"{table.source} has missing values in {count:,} of {rows_text(table.n_rows)}, in columns "
        f"{_counts(table.columns)}: fill them in"
    )


def _counts(columns: Iterable[Column]) -> str:
    lacking = [f"{column.name} ({column.n_missing:,})" for column in columns if column.n_missing]
    others = len(lacking) - MOST_NAMED
    return ", ".join(lacking[:MOST_NAMED]) + (f" and {others} more" if others > 0 else "")


def _check_finite(table: FileTable) -> None:
    for column in table.columns:
        if column.values.dtype.kind == "f" and not np.isfinite(column.values).all():
            row = int(np.flatnonzero(~np.isfinite(column.values))[0]) + 1
            raise InvalidInputError(
                f"The column {column.name!r} of {table.source} holds infinity, first in row {row}: replace "
                "it by a number beyond all others, or leave the row out."
            )


def _check_categories(table: FileTable) -> None:
    """Raise InvalidInputError with all columns of too many categories; the estimator would name the first."""
    texts = [column for column in table.columns if column.kind == "text"]
    counts = [(column.name, len(set(column.values.tolist()))) for column in texts]
    most = min(MOST_CATEGORIES, max(SURELY_CATEGORIES, table.n_rows // 2))
    many = [(name, count) for name, count in counts if count > most]
    if many:
        told = ", ".join(f"{name!r} ({count:,} different texts)" for name, count in many[:MOST_NAMED])
        options = " ".join(f"--drop {shlex.quote(name)}" for name, _ in many)
        raise InvalidInputError(
            f"Too many texts for categories in {table.source}, {rows_text(table.n_rows)}: {told}. Leave "
            f"columns that name the rows out with {options}, or put their texts into a few groups first."
        )


def _labels(source: str, target: Column) -> NDArray[Any]:
    labels = plain_values(target)
    classes = np.unique(labels)
    if classes.size == 1:
        raise InvalidInputError(
            f"The target {target.name!r} of {source} has one class only, {classes.tolist()[0]!r}: give rows "
            "of at least two classes."
        )
    is_name = classes.size > max(SURELY_CLASSES, labels.size // 2)
    if is_name or (labels.dtype.kind == "f" and (labels != np.round(labels)).any()):
        raise InvalidInputError(
            f"The target {target.name!r} of {source} holds {classes.size:,} different values in "
            f"{rows_text(labels.size)}, such as {listed(classes.tolist()[:2])}: a target needs classes; name "
            "another column, or put the values into a few groups first."
        )
    return labels


def _weights(source: str, weights: Column | None) -> NDArray[Any] | None:
    if weights is None:
        return None
    if weights.kind != "number":
        raise InvalidInputError(f"The weights {weights.name!r} of {source} are {weights.kind}: give numbers.")
    values = weights.values.astype(np.float64)
    if (values < 0).any():
        raise InvalidInputError(
            f"The weights {weights.name!r} of {source} go down to {values.min():g}: give 0 or more."
        )
    return values
