"""Checks of labels, and of sample, class and cost weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.routing import row_blocks
from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import LARGEST, check_costs, check_number
from oddlearn.table.column_table import fill_masked
from oddlearn.table.exact_sum import sum_by_class
from oddlearn.table.value_kinds import find_missing

# integer labels that are counted rather than sorted: so many of them, within so many values
MANY_LABELS = 100_000
MAX_LABEL_SPAN = 1_000


def encode_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the sorted labels and the place of each row's label among them."""
    advice = "give labels that are all text, all numbers or all booleans"
    if labels.dtype.kind == "M" or labels.dtype.kind == "m":
        raise InvalidInputError(f"y holds dates or times: {advice}, for example y.astype(str).")
    if labels.dtype.kind in "iu" and labels.size >= MANY_LABELS:
        low, high = int(labels.min()), int(labels.max())
        if high - low <= MAX_LABEL_SPAN:
            return _encode_integers(labels, low, high)
    n_missing = int(find_missing(labels).sum())
    if n_missing:
        raise InvalidInputError(f"y holds {n_missing:,} missing labels: leave these rows out of X and y.")
    try:
        classes, codes = np.unique(labels, return_inverse=True)
        # of integers, booleans and text it only asks whether they are classes at all: if many rows share one
        if labels.dtype.kind not in "biuU" or 2 * classes.size > labels.size:
            check_classification_targets(labels)
    except TypeError as problem:
        kinds = sorted({type(label).__name__ for label in labels})
        raise InvalidInputError(f"y holds labels of type {', '.join(kinds)}: {advice} ({problem}).") from None
    for label in classes.tolist():
        if not isinstance(label, (str, int, float, bool)):
            raise InvalidInputError(f"y holds the label {label!r}: {advice}.")
    return classes, codes


def _encode_integers(labels: NDArray[Any], low: int, high: int) -> tuple[NDArray[Any], IntArray]:
    """Return what ``encode_labels`` does for integers close together: counted, not sorted."""
    codes = labels.astype(np.intp)
    codes -= low
    is_present = np.bincount(codes, minlength=high - low + 1) > 0
    classes = (np.flatnonzero(is_present) + low).astype(labels.dtype)
    if not is_present.all():
        codes = (np.cumsum(is_present) - 1)[codes]
    return classes, codes


def check_total_weight(weight: FloatArray, costs: FloatArray) -> None:
    """Refuse weights and costs whose products are too large to add up."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = weight.sum() * max(1.0, costs.max())
    if not total <= LARGEST**3:
        raise InvalidInputError(
            f"The weights times the costs add up to {total:g}, too much to compute with: divide "
            "sample_weight, class_weight or cost_matrix by a constant."
        )


def _numbers(name: str, values: ArrayLike, wanted: str) -> FloatArray:
    """Return an array of finite numbers up to LARGEST."""
    try:
        given = fill_masked(values) if isinstance(values, np.ma.MaskedArray) else values
        array = np.asarray(given, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as problem:
        raise InvalidInputError(f"{name} cannot be read as numbers: give {wanted} ({problem}).") from None
    if array.ndim == 0:
        raise InvalidInputError(f"{name} is {values!r}: give {wanted}.")
    finite = check_array(
        array, ensure_2d=False, allow_nd=True, dtype=np.float64, input_name=name, ensure_min_samples=0
    )
    if (finite > LARGEST).any():
        raise InvalidInputError(f"{name} holds {finite.max():g}: give numbers of at most {LARGEST:g}.")
    return np.asarray(finite)


def check_sample_weight(
    sample_weight: ArrayLike | None, n_rows: int, *, is_batch: bool = False
) -> FloatArray:
    """Return the weight of each row, 1 when none is given, shape (n_rows,); all of a batch may be 0."""
    if sample_weight is None:
        return np.broadcast_to(1.0, n_rows)  # one number, however many rows
    given = _numbers("sample_weight", sample_weight, f"one weight of 0 or more per row of X, here {n_rows}")
    if given.shape != (n_rows,):
        raise InvalidInputError(
            f"sample_weight has shape {given.shape}: give one weight per row of X, here {(n_rows,)}."
        )
    if (given < 0).any():
        raise InvalidInputError(f"sample_weight holds {given.min():g}: give weights of 0 or more.")
    if not is_batch and not (given > 0).any():
        raise InvalidInputError("All sample weights are zero: give at least one row a positive weight.")
    return np.asarray(given)


def check_class_weight(
    class_weight: object, classes: NDArray[Any], codes: IntArray, weight: FloatArray
) -> FloatArray:
    """Return the factor of each class, shape (n_classes,)."""
    if class_weight is None:
        return np.ones(classes.size)
    is_balanced = isinstance(class_weight, str) and class_weight == "balanced"
    totals = sum_by_class(codes, weight, classes.size) if is_balanced else np.ones(classes.size)
    return find_class_factors(class_weight, classes, totals)


def find_class_factors(class_weight: object, classes: NDArray[Any], totals: FloatArray) -> FloatArray:
    """Return the factor of each class from the weight of its rows, shape (n_classes,)."""
    if class_weight is None:
        return np.ones(classes.size)
    if isinstance(class_weight, str) and class_weight == "balanced":
        present = totals > 0
        share = totals.sum() / present.sum()
        return np.asarray(np.divide(share, totals, out=np.zeros(classes.size), where=present))
    if not isinstance(class_weight, Mapping):
        raise InvalidInputError(
            f'class_weight is {class_weight!r}: give None, "balanced" or a dict from label to weight.'
        )
    for label, factor in class_weight.items():
        check_number(f"class_weight[{label!r}]", factor, high=LARGEST)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    # a part of the rows, as in cross-validation, may lack a label; then all labels it has must be named
    if unknown and any(label not in class_weight for label in labels):
        raise InvalidInputError(
            f"class_weight has the label {unknown[0]!r}, which y does not hold: give weights of labels among "
            f"{labels[:10]}; those left out weigh 1."
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


def check_weighted_classes(classes: NDArray[Any], codes: IntArray) -> None:
    """Refuse labels of fewer than two classes among the rows of positive weight."""
    # block by block: numpy counts a copy of an array that is read-only
    blocks = (codes[block] for block in row_blocks(codes.size))
    present = np.flatnonzero(sum(np.bincount(block, minlength=classes.size) for block in blocks))
    if present.size == 0:
        raise InvalidInputError("All weights are zero: give at least two classes a positive weight.")
    if present.size == 1:
        raise InvalidInputError(
            f"y holds one class only, {classes[present].tolist()[0]!r}, among the rows of positive weight: "
            "give rows of at least two classes."
        )


def check_cost_matrix(cost_matrix: ArrayLike | None, n_classes: int) -> FloatArray:
    """Return the cost matrix [true, predicted] as finite numbers."""
    if cost_matrix is not None:
        cost_matrix = _numbers("cost_matrix", cost_matrix, f"{n_classes} rows of {n_classes} costs")
    return check_costs(cost_matrix, n_classes)
