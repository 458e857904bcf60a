"""The protocol of constraints, and the rows each has in a problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.tolerances import VIOLATION_TOLERANCE
from oddlearn.problem.training_data import TrainingData


class Constraint(Protocol):
    """A constraint of the user on a diagram, declared as linear rows on the observables.

    Optional members: ``describe() -> str``, the limit in words; ``reached(data, layout, observables)``, the
    value of a diagram in words; ``slack(data, layout, observables) -> float``, where the slack is not
    that of the tightest row; ``needs_groups``, True if it compares groups. Without the first two, the labels
    of the rows describe the constraint.
    """

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return the rows over ``layout.size`` observables."""
        ...


@dataclass(frozen=True)
class ConstraintBlock:
    """A constraint of a problem; its rows are those from ``start`` to ``stop``."""

    constraint: Constraint
    start: int
    stop: int

    def describe(self, rows: LinearRows) -> str:
        """Return the constraint in words; ``rows`` are all rows of the problem."""
        describe = getattr(self.constraint, "describe", None)
        return str(describe()) if callable(describe) else "; ".join(rows.labels[self.start : self.stop])


@dataclass(frozen=True)
class ConstraintStatus:
    """A constraint, and how far a diagram satisfies it."""

    required: str  # in words
    reached: str
    # distance of the tightest row to its limits, in units of that row (rates, samples, nodes); negative when
    # it is violated, inf when the constraint has no rows on this problem
    slack: float
    is_soft: bool  # True when it may be violated at a penalty

    def describe(self) -> str:
        """Return the sentence on the constraint: the limit, the value reached and the slack."""
        kind = "Priced" if self.is_soft else "Required"
        if not math.isfinite(self.slack):
            left = "nothing that could violate it"
        elif self.slack < -VIOLATION_TOLERANCE:
            left = f"short by {-self.slack:.4g}"
        else:
            left = f"slack {max(0.0, self.slack):.4g}"
        return f"- {kind}: {self.required}. Reached: {self.reached}; {left}."


def compute_statuses(
    blocks: tuple[ConstraintBlock, ...],
    rows: LinearRows,
    data: TrainingData,
    layout: ObservableLayout,
    observables: FloatArray,
) -> tuple[ConstraintStatus, ...]:
    """Return the status of each constraint on a vector of observables."""
    value = rows.matrix @ observables
    slack = np.minimum(value - rows.lower, rows.upper - value)
    return tuple(_compute_status(block, rows, slack, data, layout, observables) for block in blocks)


def _compute_status(
    block: ConstraintBlock,
    rows: LinearRows,
    slack: FloatArray,
    data: TrainingData,
    layout: ObservableLayout,
    observables: FloatArray,
) -> ConstraintStatus:
    own = slice(block.start, block.stop)
    reached = getattr(block.constraint, "reached", None)
    words = reached(data, layout, observables) if callable(reached) else _tightest_row_text(rows, slack, own)
    own_slack = getattr(block.constraint, "slack", None)
    least = slack[own].min(initial=np.inf) if own_slack is None else own_slack(data, layout, observables)
    return ConstraintStatus(block.describe(rows), str(words), float(least), bool(rows.is_soft[own].any()))


def _tightest_row_text(rows: LinearRows, slack: FloatArray, own: slice) -> str:
    """Return a sentence on the tightest row."""
    if not slack[own].size:
        return "nothing to satisfy"
    tightest = own.start + int(slack[own].argmin())
    return f"{slack[tightest]:g} inside the limits of '{rows.labels[tightest]}'"
