"""One deadline, shares of it, and a number of iterations."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


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
        return cls.since(time.perf_counter(), seconds, max_iter)

    @classmethod
    def since(cls, started: float, seconds: float | None, max_iter: int | None = None) -> Budget:
        """Return a budget that started earlier; None seconds means no deadline."""
        return cls(started, math.inf if seconds is None else started + seconds, max_iter)

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

    def at_most(self, seconds: float) -> Budget:
        """Return a budget with the same start that ends in so many seconds, if not before."""
        return Budget(self.started, min(self.deadline, time.perf_counter() + seconds), self.max_iter)

    def without(self, reserve: float) -> Budget:
        """Return a budget that ends ``reserve`` seconds earlier."""
        return Budget(self.started, self.deadline - reserve, self.max_iter)
