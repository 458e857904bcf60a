"""Labelled samples of a table, and the rows held out for testing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.cli.stored_model import ColumnRoles
from oddlearn.errors import InvalidInputError
from oddlearn.table.categories import refuse_reason
from oddlearn.table.checks import MAX_NAMES, list_names, quote_names
from oddlearn.table.column_table import Column
from oddlearn.table.read_table import FileTable
from oddlearn.table.samples import LabelledSamples
from oddlearn.view.number_text import plural

# a target with more different values than this, and than half the rows, is taken for a name of the rows
SURELY_CLASSES = 10

# texts that are dates or numbers in a form that is not read, and how to write them
FORMAT_HINTS = (
    (
        re.compile(r"(\d{4}|[0-3]?\d)([./-])[0-3]?\d\2(\d{4}|\d{2})(\D.*)?"),
        "looks like dates, such as {!r}, and is text: write them as 2026-01-31 or 2026-01-31 07:30.",
    ),
    (
        re.compile(r"[^\w.,]*\d[\d.,' ]*[^\d.,]{0,5}"),
        "looks like numbers, such as {!r}, and is text: leave out units and signs between the thousands.",
    ),
)


def build_samples(table: FileTable, roles: ColumnRoles) -> tuple[LabelledSamples, int]:
    """Return the samples of a table, and the number of rows left out for missing values.

    Rows without a label are always left out; features may be missing.
    """
    _check_roles(table, roles)
    used, n_skipped = _drop_rows(table.without(roles.dropped), roles)
    target = used.column(roles.target, "--target")
    beside = {roles.target, *roles.sensitive} | ({roles.weights} if roles.weights else set())
    features = used.without(beside)
    if not features.columns:
        raise InvalidInputError(f"{table.source} has no column left to learn from: drop fewer columns.")
    _check_finite(used)
    _check_categories(features)
    labels = _labels(table.source, target)
    weights = None if roles.weights is None else used.column(roles.weights, "--weights")
    groups = {name: used.column(name, "--sensitive").plain_values for name in roles.sensitive}
    weight = _weights(table.source, weights)
    return LabelledSamples(features.to_column_table(), labels, weight, groups or None), n_skipped


def find_row_numbers(table: FileTable) -> list[str]:
    """Return the columns that hold the numbers of the rows, from 0 or 1 on."""
    counts = [np.arange(first, first + table.n_rows) for first in (0, 1)]
    numbers = [column for column in table.columns if column.kind == "number" and table.n_rows > 2]
    return [one.name for one in numbers if any(np.array_equal(one.values, count) for count in counts)]


def split_names(given: tuple[str, ...], names: Collection[str]) -> tuple[str, ...]:
    """Return the column names of comma-separated lists; a column whose name has a comma stands for itself."""
    parts = ([text] if text in names else text.split(",") for text in given)
    return tuple(dict.fromkeys(name.strip() for part in parts for name in part if name.strip()))


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


def _drop_rows(table: FileTable, roles: ColumnRoles) -> tuple[FileTable, int]:
    """Return the table without the rows that miss their label, or any value with --skip-missing."""
    target = table.column(roles.target, "--target")
    lacking = table.incomplete_rows() if roles.skip_missing else target.missing
    count = int(lacking.sum())
    if count == table.n_rows and not roles.skip_missing:
        raise InvalidInputError(f"The target {target.name!r} of {table.source} is missing in every row.")
    if count == table.n_rows:
        worst = sorted(table.columns, key=lambda column: -column.n_missing)
        counts = [f"{column.name} ({column.n_missing:,})" for column in worst if column.n_missing]
        raise InvalidInputError(
            f"Every row of {table.source} misses a value: leave out columns with --drop, most are missing in "
            f"{list_names(counts, MAX_NAMES)}."
        )
    kept = table.rows(~lacking) if count else table
    for option, name in [("--weights", roles.weights), *(("--sensitive", name) for name in roles.sensitive)]:
        column = None if name is None else kept.column(name, option)
        if column is not None and column.n_missing:
            raise InvalidInputError(
                f"The column {column.name!r} ({option}) of {table.source} is missing in "
                f"{plural(column.n_missing, 'row')}: fill it in, or leave these rows out with --skip-missing."
            )
    return kept, count


def _check_finite(table: FileTable) -> None:
    for column in table.columns:
        is_infinite = np.isinf(column.values) & ~column.missing if column.values.dtype.kind == "f" else None
        if is_infinite is not None and is_infinite.any():
            row = int(np.flatnonzero(is_infinite)[0]) + 1
            raise InvalidInputError(
                f"The column {column.name!r} of {table.source} holds infinity, first in row {row}: replace "
                "it by a number beyond all others, or leave the row out."
            )


def _check_categories(table: FileTable) -> None:
    """Raise InvalidInputError with all columns that name the rows; the estimator would name the first."""
    naming = []
    for column in table.columns:
        present = column.values[~column.missing].tolist() if column.kind == "text" else []
        if refuse_reason(len(set(present)), len(present)) is not None:
            naming.append((column.name, len(set(present))))
    if naming:
        names = ", ".join(f"{name!r} ({count:,} different texts)" for name, count in naming[:MAX_NAMES])
        options = " ".join(f"--drop {shlex.quote(name)}" for name, _ in naming)
        raise InvalidInputError(
            f"Too many texts for categories in {table.source}, {plural(table.n_rows, 'row')}: {names}. Leave "
            f"columns that name the rows out with {options}, or put their texts into a few groups first."
            + "".join(f" {hint}" for hint in list_format_hints(table)[:MAX_NAMES])
        )


def list_format_hints(table: FileTable) -> list[str]:
    """Return a sentence for each column of texts that look like dates or numbers: how to write them."""
    hints = []
    for column in table.columns:
        texts = column.values[~column.missing].tolist() if column.kind == "text" else []
        for pattern, hint in FORMAT_HINTS:
            if texts and all(pattern.fullmatch(text.strip()) for text in texts):
                hints.append(f"{column.name!r} {hint.format(texts[0])}")
                break
    return hints


def _labels(source: str, target: Column) -> NDArray[Any]:
    labels = target.plain_values
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
            f"{plural(labels.size, 'row')}, such as {quote_names(classes.tolist()[:2])}: a target needs "
            "classes; name another column, or put the values into a few groups first."
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
