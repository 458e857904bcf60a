"""Events of a training run: improved diagrams and bounds, and their history."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Improved:
    """A better diagram was found, ``seconds`` after the start."""

    seconds: float
    objective: float
    n_nodes: int


@dataclass(frozen=True)
class Bounded:
    """A larger lower bound was proved, ``seconds`` after the start."""

    seconds: float
    lower_bound: float


Event = Improved | Bounded

HISTORY_FIELDS = [("seconds", "f8"), ("objective", "f8"), ("lower_bound", "f8"), ("n_nodes", "i8")]


@dataclass(frozen=True)
class ProgressSnapshot:
    """The best objective with its nodes, and the largest bound, at one moment."""

    seconds: float = 0.0
    objective: float = math.inf
    lower_bound: float = -math.inf
    n_nodes: int = 0

    def after(self, event: Event) -> ProgressSnapshot:
        """Return the snapshot after the event."""
        if isinstance(event, Bounded):
            return replace(self, seconds=event.seconds, lower_bound=event.lower_bound)
        return replace(self, seconds=event.seconds, objective=event.objective, n_nodes=event.n_nodes)


def history(events: Iterable[Event]) -> NDArray[Any]:
    """Return the snapshot after each event, a record array with the fields of ``ProgressSnapshot``."""
    snapshots = list(accumulate(events, ProgressSnapshot.after, initial=ProgressSnapshot()))[1:]
    return np.array([astuple(snapshot) for snapshot in snapshots], dtype=HISTORY_FIELDS)
