"""Rates by group: their definitions, their values on predictions and their rows on the observables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import coo_array, csr_array

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.errors import InvalidInputError
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.training_data import TrainingData
from oddlearn.table.groups import SensitiveColumn, cross_columns

RateKind = Literal[
    "selection rate",
    "number selected (as a share of all)",
    "true positive rate",
    "false positive rate",
    "false negative rate",
    "accuracy",
    "error rate",
]


@dataclass(frozen=True)
class Rate:
    """Definition of a rate: the share of the samples that count for which an event happens."""

    # the samples that count: all, those of the favourable class, or of the others
    counts: Literal["all", "positive", "negative"]
    # the favourable class is predicted, another class is, the true class is, or a wrong one is
    event: Literal["selected", "rejected", "correct", "incorrect"]

    def is_counted(self, true: IntArray, favourable: int) -> BoolArray:
        """Return the samples that count, by the codes of their true classes."""
        if self.counts == "all":
            return np.ones(true.shape, dtype=bool)
        return np.asarray((true == favourable) == (self.counts == "positive"))

    def happens(self, true: IntArray, predicted: IntArray, favourable: int) -> BoolArray:
        """Return where the event happens; true and predicted classes are broadcast."""
        true, predicted = np.broadcast_arrays(true, predicted)
        if self.event in ("correct", "incorrect"):
            return np.asarray((true == predicted) == (self.event == "correct"))
        return np.asarray((predicted == favourable) == (self.event == "selected"))


RATES: dict[RateKind, Rate] = {
    "selection rate": Rate("all", "selected"),
    "number selected (as a share of all)": Rate("all", "selected"),
    "true positive rate": Rate("positive", "selected"),
    "false positive rate": Rate("negative", "selected"),
    "false negative rate": Rate("positive", "rejected"),
    "accuracy": Rate("all", "correct"),
    "error rate": Rate("all", "incorrect"),
}


def rate_of_predictions(
    kind: RateKind, true: IntArray, predicted: IntArray, weight: FloatArray, favourable: int
) -> float:
    """Return a rate of predicted samples; nan if no sample counts.

    ``true``, ``predicted`` (n,) int: class codes.
    ``weight`` (n,) float.
    ``favourable``: code of the favourable class.
    """
    rate = RATES[kind]
    is_counted = rate.is_counted(true, favourable)
    total = float(weight[is_counted].sum())
    happens = rate.happens(true, predicted, favourable)
    return float(weight[is_counted & happens].sum()) / total if total > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class GroupRates:
    """One rate of every group."""

    kind: RateKind
    column: str  # what the groups are by
    levels: tuple[Any, ...]  # names of the groups
    matrix: csr_array  # sparse (n_levels, layout.size): turns observables into the rates, each from 0 to 1

    def compute(self, observables: FloatArray) -> FloatArray:
        """Return the rate of each group, shape (n_levels,)."""
        return np.asarray(self.matrix @ observables)


def group_rates(
    kind: RateKind, data: TrainingData, layout: ObservableLayout, column: SensitiveColumn, favourable: int
) -> GroupRates:
    """Return a rate of every group of a column, as rows on the observables.

    ``kind``: key of ``RATES``; "number selected (as a share of all)" is divided by the weight of all samples.
    ``favourable``: code of the favourable class; unused by the accuracy.
    """
    weight = data.weight_by_class_and_group(column)
    among, event, predicted = _counted_weights(RATES[kind], weight, favourable)
    size = among.sum(axis=(0, 1))
    _check_sizes(kind, column, size, data, favourable)
    scale = np.full(size.size, weight.sum()) if kind == "number selected (as a share of all)" else size
    row, code, level = np.nonzero(event)
    values = event[row, code, level] / scale[level]
    columns = layout.assigned[:, predicted][row, code]
    matrix = coo_array((values, (level, columns)), shape=(size.size, layout.size)).tocsr()
    return GroupRates(kind, column.name, column.levels, matrix)


def _counted_weights(
    rate: Rate, weight: FloatArray, favourable: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Split the weights by row, true class and group by what a rate counts.

    Returned are the weight of the samples that count, (n_rows, n_classes, n_levels); that of those for which
    the event happens if the row is assigned to a predicted class, (n_rows, n_predicted, n_levels); and the
    predicted classes for which it happens at all, (n_predicted,).
    """
    classes = np.arange(weight.shape[1])
    among = weight * rate.is_counted(classes, favourable)[:, None]
    happens = rate.happens(classes[:, None], classes, favourable)
    predicted = np.flatnonzero(happens.any(axis=0))
    event = np.stack([(among * happens[:, code, None]).sum(axis=1) for code in predicted], axis=1)
    return among, event, predicted


def _check_sizes(
    kind: RateKind, column: SensitiveColumn, size: FloatArray, data: TrainingData, favourable: int
) -> None:
    empty = [level for level, weight in zip(column.levels, size.tolist(), strict=True) if weight == 0]
    if not empty:
        return
    labels = data.sample_groups.labels if data.sample_groups is not None else ()
    missing = {
        "true positive rate": f" of class {labels[favourable]!r}",
        "false positive rate": f" of another class than {labels[favourable]!r}",
    }.get(kind, "")
    raise InvalidInputError(
        f"The group {empty[0]!r} of {column.name!r} has no training sample{missing}, so that its {kind} does "
        "not exist: leave the group out with groups=..., or put it together with another."
    )


def select_columns(
    name: str,
    data: TrainingData,
    columns: str | Sequence[str] | None,
    groups: Sequence[Any] | None,
    intersection: bool,
) -> list[SensitiveColumn]:
    """Return the columns whose groups are compared; samples outside all groups have code -1."""
    given = data.sample_groups.columns if data.sample_groups is not None else ()
    if not given:
        raise InvalidInputError(
            f"{name} compares groups: give fit the argument sensitive_features, one value per row of X (in "
            "pipelines by scikit-learn's metadata routing, set_fit_request(sensitive_features=True))."
        )
    selected = list(given) if columns is None else [_find_column(column, given) for column in columns]
    if intersection and len(selected) > 1:
        selected = [cross_columns(tuple(selected))]
    if groups is not None:
        selected = [_restrict_groups(selected, groups)]
    for column in selected:
        if len(column.levels) < 2:
            raise InvalidInputError(
                f"The sensitive column {column.name!r} has one group only, {column.levels[0]!r}: {name} "
                "compares two or more."
            )
    return selected


def _find_column(name: str, given: tuple[SensitiveColumn, ...]) -> SensitiveColumn:
    for column in given:
        if column.name == name:
            return column
    names = [column.name for column in given]
    raise InvalidInputError(f"There is no sensitive column {name!r}: give one of {names}.")


def _restrict_groups(columns: list[SensitiveColumn], groups: Sequence[Any]) -> SensitiveColumn:
    """Return the only column with the groups named; others are left out of all comparisons."""
    if len(columns) > 1:
        names = [column.name for column in columns]
        raise InvalidInputError(
            f"groups={groups!r} is about one column, not {names}: choose it with columns=..."
        )
    column = columns[0]
    if len(set(groups)) < len(groups):
        raise InvalidInputError(f"groups={groups!r} names a group twice: name each once.")
    for group in groups:
        if group not in column.levels:
            raise InvalidInputError(
                f"The group {group!r} of {column.name!r} has no training sample: give groups among "
                f"{list(column.levels)[:10]}."
            )
    new_code = np.full(len(column.levels), -1)
    new_code[[column.levels.index(group) for group in groups]] = np.arange(len(groups))
    return SensitiveColumn(column.name, tuple(groups), new_code[column.codes])
