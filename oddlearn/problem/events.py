"""News of a training run, in the order they happened."""

from __future__ import annotations

from dataclasses import dataclass


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
