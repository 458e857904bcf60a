"""Parity constraints: rates of groups that must not differ much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from scipy.sparse import csr_array

from oddlearn.constraints.group_rates import GroupRates, RateKind, group_rates, select_columns
from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import InvalidInputError
from oddlearn.problem.linear_rows import LinearRows, concatenate_rows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.tolerances import VIOLATION_TOLERANCE
from oddlearn.problem.training_data import TrainingData
from oddlearn.table.checks import check_penalty_weight, check_share

DEFAULT_RATIO = 0.8  # without a ratio or a difference: the four-fifths rule

Form = Literal["rate", "count"]


@dataclass(frozen=True)
class Parity:
    """A rate that may not differ much between groups; the rates are those of the class that is derived.

    Parameters
    ----------
    ratio : float, optional
        Every group's rate is at least this share of every other's, from 0 to 1; 0.8 by default.
    difference : float, optional
        In place of a ratio: the rates of two groups differ by at most this, from 0 to 1.
    favourable : label, optional
        The favourable class. By default the second of two classes; with more, it must be named.
    columns : str or sequence of str, optional
        Sensitive columns whose groups are compared, each on its own; all by default.
    groups : sequence, optional
        Groups to be compared, all by default; only with a single column.
    intersection : bool
        True to compare the combinations of groups that occur rather than one column after the other.
    weight : float, optional
        Makes the constraint soft: the objective grows by this much for every unit of rate that a pair of
        groups is outside the limit. By default it must be satisfied.
    """

    ratio: float | None = None
    difference: float | None = None
    favourable: Any = None
    columns: str | Sequence[str] | None = None
    groups: Sequence[Any] | None = None
    intersection: bool = False
    weight: float | None = None

    kinds: ClassVar[tuple[RateKind, ...]] = ()

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.ratio is not None and self.difference is not None:
            raise InvalidInputError(f"{name} has a ratio and a difference: give one of them.")
        for field in ("ratio", "difference"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, check_share(field, getattr(self, field)))
        if self.weight is not None:
            object.__setattr__(self, "weight", check_penalty_weight("weight", self.weight))
        if not isinstance(self.intersection, bool):
            raise InvalidInputError(f"intersection is {self.intersection!r}: give True or False.")
        if isinstance(self.favourable, np.generic):
            # as it comes back from a file: a certificate quotes it
            object.__setattr__(self, "favourable", self.favourable.item())
        if self.favourable is not None and not isinstance(self.favourable, str | int | float | bool):
            raise InvalidInputError(f"favourable is {self.favourable!r}: give the label of a class.")
        object.__setattr__(self, "columns", _names(self.columns))
        object.__setattr__(self, "groups", _groups(self.groups))

    @property
    def used_kinds(self) -> tuple[RateKind, ...]:
        """The rates that are compared."""
        return self.kinds

    @property
    def needs_groups(self) -> bool:
        """True: it cannot be stated without sensitive features."""
        return True

    def describe(self) -> str:
        """Return the constraint in words."""
        rates = " and ".join(self.used_kinds)
        by = "" if self.columns is None else f" by {', '.join(self.columns)}"
        penalty = "" if self.weight is None else f", or {self.weight:g} is paid for every unit short of it"
        of = "" if self.favourable is None else f" (of class {self.favourable!r})"
        return f"{rates}{of} of groups{by}: {self._limit()}{penalty}"

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return a row for every pair of groups and every rate."""
        return concatenate_rows([self._rows(rates) for rates in self.rates(data, layout)], layout.size)

    def rates(self, data: TrainingData, layout: ObservableLayout) -> list[GroupRates]:
        """Return every rate that is compared, for every column."""
        columns = select_columns(type(self).__name__, data, self.columns, self.groups, self.intersection)
        favourable = 0 if self.used_kinds == ("accuracy",) else self.favourable_code(_class_labels(data))
        return [
            group_rates(kind, data, layout, column, favourable)
            for column in columns
            for kind in self.used_kinds
        ]

    def reached(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> str:
        """Return the value of a diagram in words."""
        return "; ".join(_rates_text(rates, observables) for rates in self.rates(data, layout))

    def _limit(self) -> str:
        if self.difference is not None:
            return f"the largest at most {self.difference:g} above the smallest"
        return f"the smallest at least {100 * self._ratio:.6g} % of the largest"

    @property
    def _ratio(self) -> float:
        return DEFAULT_RATIO if self.ratio is None else self.ratio

    def _rows(self, rates: GroupRates) -> LinearRows:
        matrix, levels = rates.matrix, rates.levels
        if self.difference is None and self._ratio == 0:
            return LinearRows.none(matrix.shape[1])
        if self.difference is not None:
            pairs = list(combinations(range(len(levels)), 2))
            rows = _compare_pairs(matrix, pairs, 1.0)
            limits = (-self.difference, self.difference)
            words = f"at most {self.difference:g} from that of"
        else:
            pairs = list(permutations(range(len(levels)), 2))
            rows = _compare_pairs(matrix, pairs, self._ratio)
            limits = (0.0, np.inf)
            words = f"at least {self._ratio:g} times that of"
        labels = tuple(f"{rates.kind} of {levels[a]!r} {words} {levels[b]!r}" for a, b in pairs)
        penalty = np.inf if self.weight is None else self.weight
        lower, upper, penalties = (np.full(len(pairs), value) for value in (*limits, penalty))
        return LinearRows(rows, lower, upper, labels, penalties)

    def favourable_code(self, labels: Sequence[Any]) -> int:
        """Return the place of the favourable class in the labels."""
        labels = list(labels)
        if self.favourable is None and len(labels) == 2:
            return 1
        if self.favourable is None:
            raise InvalidInputError(
                f"{type(self).__name__} does not know which of {len(labels)} classes is favourable: "
                f"name it with favourable=..., one of {labels[:10]}."
            )
        if self.favourable not in labels:
            raise InvalidInputError(
                f"The favourable class {self.favourable!r} is no class of y: give one of {labels[:10]}."
            )
        return labels.index(self.favourable)


def _class_labels(data: TrainingData) -> Sequence[Any]:
    return range(data.n_classes) if data.sample_groups is None else data.sample_groups.labels


def find_favourable_class(constraints: Sequence[object], labels: Sequence[Any]) -> int | None:
    """Return the code of the class that the first constraint on its rates calls favourable; None: no such."""
    for constraint in constraints:
        if isinstance(constraint, Parity) and constraint.used_kinds != ("accuracy",):
            return constraint.favourable_code(labels)
    return None


def _compare_pairs(matrix: csr_array, pairs: Sequence[tuple[int, int]], share: float) -> csr_array:
    """Return ``matrix[a] - share * matrix[b]`` for each pair (a, b)."""
    first, second = np.array(pairs).T
    return csr_array(matrix[first] - share * matrix[second])


def _rates_text(rates: GroupRates, observables: FloatArray) -> str:
    values = rates.compute(observables)
    low, high = float(values.min()), float(values.max())
    ratio = low / high if high > 0 else 1.0
    difference = high - low if high - low > VIOLATION_TOLERANCE else 0.0  # of equal rates it is rounding
    by_group = ", ".join(f"{level} {value:.4g}" for level, value in zip(rates.levels, values, strict=True))
    return f"{rates.kind} by {rates.column}: {by_group} (ratio {ratio:.4g}, difference {difference:.4g})"


def _names(columns: object) -> tuple[str, ...] | None:
    if columns is None:
        return None
    given = (columns,) if isinstance(columns, str) else columns
    if not isinstance(given, Sequence) or not given or not all(isinstance(name, str) for name in given):
        raise InvalidInputError(f"columns is {columns!r}: give names of sensitive columns, None for all.")
    return tuple(given)


def _groups(groups: object) -> tuple[Any, ...] | None:
    if groups is None:
        return None
    if isinstance(groups, str) or not isinstance(groups, Sequence | np.ndarray) or len(groups) < 2:
        raise InvalidInputError(f"groups is {groups!r}: give the names of two or more groups, None for all.")
    names = tuple(group.item() if isinstance(group, np.generic) else group for group in groups)
    if not all(isinstance(name, str | int | float | bool) for name in names):
        raise InvalidInputError(f"groups is {groups!r}: name each group by one value, as in the column.")
    return names


@dataclass(frozen=True)
class DemographicParity(Parity):
    """Groups are given the favourable class at similar rates, whatever their true classes are.

    Parameters
    ----------
    ratio, difference, favourable, columns, groups, intersection, weight
        As for every fairness constraint, see ``Parity``. ``ratio=0.8`` is the four-fifths rule.
    form : "rate" or "count"
        "rate" compares selection rates, "count" the number of those selected, as the paper prints it: with
        groups of unequal size it asks for something else. A count is compared by ratio only.
    """

    form: Form = "rate"

    kinds: ClassVar[tuple[RateKind, ...]] = ("selection rate",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in get_args(Form):
            raise InvalidInputError(f'form is {self.form!r}: give "rate" or "count".')
        if self.form == "count" and self.difference is not None:
            raise InvalidInputError('form="count" compares by ratio: give ratio=... instead of a difference.')

    @property
    def used_kinds(self) -> tuple[RateKind, ...]:
        """The rates that are compared."""
        return self.kinds if self.form == "rate" else ("number selected (as a share of all)",)


@dataclass(frozen=True)
class EqualOpportunity(Parity):
    """Groups have similar true positive rates: those who deserve the favourable class get it alike.

    The false negative rate is one minus this rate; its differences are the same. Parameters are those of
    ``Parity``.
    """

    kinds: ClassVar[tuple[RateKind, ...]] = ("true positive rate",)


@dataclass(frozen=True)
class PredictiveEquality(Parity):
    """Groups have similar false positive rates: those who do not deserve the favourable class get it alike.

    Parameters as for ``Parity``. Where one group has no false positives, a ratio above 0 forbids them in all.
    """

    kinds: ClassVar[tuple[RateKind, ...]] = ("false positive rate",)


@dataclass(frozen=True)
class EqualizedOdds(Parity):
    """Groups have similar true positive rates and similar false positive rates; parameters as for ``Parity``.

    With a ratio, the smaller of the two ratios counts; with a difference, the larger of the two.
    """

    kinds: ClassVar[tuple[RateKind, ...]] = ("true positive rate", "false positive rate")


@dataclass(frozen=True)
class OverallAccuracyEquality(Parity):
    """Groups have similar accuracy. Parameters as for ``Parity``; no class needs to be favourable."""

    kinds: ClassVar[tuple[RateKind, ...]] = ("accuracy",)
