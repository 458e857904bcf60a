"""One deadline and shares of it, a limit on the work done, and a number of iterations."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass
class WorkMeter:
    """The work done in one solve, in the seconds that it usually takes.

    Solvers count operations, which depend on nothing but the problem. So a solve that ends by its work gives
    the same result again, on a busy machine too.
    """

    seconds: float = 0.0


@dataclass(frozen=True)
class Budget:
    """One deadline on ``time.perf_counter``, handed down, and limits on work and iterations.

    Attributes
    ----------
    started, deadline : float
        On the clock of ``time.perf_counter``; the deadline may be inf.
    max_iter : int or None
        Iterations allowed, None for no limit.
    meter : WorkMeter
        Shared by all budgets of a solve.
    max_work : float
        Reading of the meter at which the budget is spent; inf for no limit.
    """

    started: float
    deadline: float
    max_iter: int | None = None
    meter: WorkMeter = field(default_factory=WorkMeter)
    max_work: float = math.inf

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
        """True once the deadline has passed or the work is done."""
        return self.is_late or self.meter.seconds >= self.max_work

    @property
    def is_late(self) -> bool:
        """True once the deadline has passed."""
        return time.perf_counter() >= self.deadline

    def remaining(self) -> float:
        """Return the seconds until the deadline, never below 0."""
        return max(0.0, self.deadline - time.perf_counter())

    def remaining_work(self) -> float:
        """Return the work left, in the seconds that it usually takes; inf without a limit."""
        return max(0.0, self.max_work - self.meter.seconds)

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self.started

    def spend(self, seconds: float) -> None:
        """Count work that usually takes so many seconds."""
        self.meter.seconds += seconds

    def limit_work(self, seconds: float) -> Budget:
        """Return a budget that also ends after so many seconds' worth of work."""
        return self._ending(self.deadline, min(self.max_work, self.meter.seconds + seconds))

    def share(self, fraction: float) -> Budget:
        """Return a budget with a fraction of what is left: of the work if it is limited, else of the time."""
        if math.isfinite(self.max_work):
            return self.limit_work(fraction * self.remaining_work())
        return self._ending(time.perf_counter() + fraction * self.remaining(), self.max_work)

    def at_most(self, seconds: float) -> Budget:
        """Return a budget that ends after so many seconds, if not before: of work if that is limited."""
        if math.isfinite(self.max_work):
            return self.limit_work(seconds)
        return self._ending(min(self.deadline, time.perf_counter() + seconds), self.max_work)

    def without(self, reserve: float) -> Budget:
        """Return a budget whose deadline is ``reserve`` seconds earlier."""
        return self._ending(self.deadline - reserve, self.max_work)

    def _ending(self, deadline: float, max_work: float) -> Budget:
        return Budget(self.started, deadline, self.max_iter, self.meter, max_work)
