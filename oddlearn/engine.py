"""What an engine is: one clock in, a diagram and a bound out."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.problem import TrainingProblem

__all__ = ["Bounded", "Budget", "Engine", "Event", "Improved", "Outcome"]


@dataclass(frozen=True)
class Budget:
    """One deadline on ``time.perf_counter``, handed down, and a limit on iterations.

    Attributes
    ----------
    started, deadline : float
        On the clock of ``time.perf_counter``; the deadline may be inf.
    max_iter : int or None
        Iterations allowed, None for no limit.
    """

    started: float
    deadline: float
    max_iter: int | None = None

    @classmethod
    def of(cls, seconds: float | None, max_iter: int | None = None) -> Budget:
        """Return a budget that starts now; None seconds means no deadline."""
        now = time.perf_counter()
        return cls(now, math.inf if seconds is None else now + seconds, max_iter)

    @property
    def expired(self) -> bool:
        """True once the deadline has passed."""
        return time.perf_counter() >= self.deadline

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self.deadline - time.perf_counter())

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self.started

    def share(self, fraction: float) -> Budget:
        """Return a budget with the same start and a fraction of what is left."""
        now = time.perf_counter()
        return Budget(self.started, now + fraction * max(0.0, self.deadline - now), self.max_iter)


@dataclass(frozen=True)
class Outcome:
    """What an engine hands back.

    Attributes
    ----------
    diagram : DecisionDiagram or None
        The best it found, in the unit box.
    lower_bound : float
        Proved for the problem it was given; -inf when it proves nothing.
    evidence : tuple of Evidence
    events : tuple of Event
    """

    diagram: DecisionDiagram | None
    lower_bound: float = -math.inf
    evidence: tuple[Evidence, ...] = ()
    events: tuple[Event, ...] = ()


class Engine(Protocol):
    """Something that improves a diagram, a bound or both."""

    name: str

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why this engine cannot take the problem; empty when it can."""
        ...

    def run(self, problem: TrainingProblem, start: DecisionDiagram | None, budget: Budget) -> Outcome:
        """Work on the problem, from a start if there is one, until done or out of budget."""
        ...
