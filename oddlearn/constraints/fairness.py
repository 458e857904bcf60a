"""Fair diagrams: rates of groups that differ little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from oddlearn.constraints.parity import Parity
from oddlearn.constraints.rates import RateKind
from oddlearn.errors import InvalidInputError

Form = Literal["rate", "count"]


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
