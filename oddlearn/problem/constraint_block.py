"""What a constraint is to the rest of the library: something that writes rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import Layout
from oddlearn.problem.training_data import TrainingData


class Constraint(Protocol):
    """A user's demand on a diagram, declared as linear rows on the observables.

    Those of ``oddlearn.constraints`` also have ``describe() -> str``, the demand in words, and
    ``reached(data, layout, observables) -> str``, what a diagram has of it; one without these is described by
    the labels of its rows. ``slack(data, layout, observables) -> float`` is there where the tightest row is
    not what a person would call the slack; ``needs_groups`` is True on those that compare groups.
    """

    def rows(self, data: TrainingData, layout: Layout) -> LinearRows:
        """Return the rows over ``layout.size`` observables."""
        ...


@dataclass(frozen=True)
class Demand:
    """A constraint of a problem, and which of the problem's rows are its own: from ``start`` to ``stop``."""

    constraint: Constraint
    start: int
    stop: int

    def describe(self, rows: LinearRows) -> str:
        """Return the demand in words; ``rows`` are all of the problem's."""
        describe = getattr(self.constraint, "describe", None)
        return str(describe()) if callable(describe) else "; ".join(rows.labels[self.start : self.stop])


@dataclass(frozen=True)
class Requirement:
    """What was demanded of a diagram, and what it has.

    Attributes
    ----------
    required, reached : str
        In words.
    slack : float
        How far the tightest row is inside its limits, in units of that row (rates, samples, nodes); negative
        when it is broken, inf when the constraint has no rows on this problem.
    is_soft : bool
        True when it may be broken for a price.
    """

    required: str
    reached: str
    slack: float
    is_soft: bool


def requirements(
    demands: tuple[Demand, ...], rows: LinearRows, data: TrainingData, layout: Layout, observables: FloatArray
) -> tuple[Requirement, ...]:
    """Return, for each constraint, what was demanded and what the observables have of it."""
    value = rows.matrix @ observables
    slack = np.minimum(value - rows.lower, rows.upper - value)
    return tuple(_requirement(demand, rows, slack, data, layout, observables) for demand in demands)


def _requirement(
    demand: Demand,
    rows: LinearRows,
    slack: FloatArray,
    data: TrainingData,
    layout: Layout,
    observables: FloatArray,
) -> Requirement:
    own = slice(demand.start, demand.stop)
    reached = getattr(demand.constraint, "reached", None)
    has = str(reached(data, layout, observables)) if callable(reached) else _generic(rows, slack, own)
    left = getattr(demand.constraint, "slack", None)
    least = slack[own].min(initial=np.inf) if left is None else left(data, layout, observables)
    return Requirement(demand.describe(rows), has, float(least), bool(rows.is_soft[own].any()))


def _generic(rows: LinearRows, slack: FloatArray, own: slice) -> str:
    """Say which row is the tightest."""
    if not slack[own].size:
        return "nothing to keep"
    tightest = own.start + int(slack[own].argmin())
    return f"{slack[tightest]:g} inside the limits of '{rows.labels[tightest]}'"
