"""The interface of every MILP back end, and the callback that passes on what a solver reports."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.solve.milp.linear_model import LinearModel
from oddlearn.solve.worker.messages import ExitStatus

IndicatorKind = Literal["big-m", "native"]


@dataclass(frozen=True)
class SolveOptions:
    """The options of a solve."""

    seconds: float  # its own time limit; the process it runs in is ended from outside in any case
    cutoff: float  # only points with a lower objective are of interest; inf for no cutoff
    start: FloatArray | None  # (n_columns,): a feasible point to begin with, if it is below the cutoff
    indicators: IndicatorKind  # "big-m" or "native"
    threads: int = 1
    seed: int = 0  # one of 0 to 2**31 - 1
    tolerance: float = 1e-6  # largest violation of rows and of integrality that a point may have


@dataclass(frozen=True)
class SolverEvent:
    """A better point, a larger bound, or both, while a solver runs."""

    bound: float
    objective: float
    values: FloatArray | None


SendEvent = Callable[[SolverEvent], None]


@dataclass(frozen=True)
class Solution:
    """The result of a solve."""

    values: FloatArray | None  # (n_columns,): the best point it found below the cutoff
    # no point has a lower objective, up to the solver's tolerances. Never above the cutoff: what lies there
    # was not searched. Inf when infeasible (no cutoff given), -inf when nothing is known.
    bound: float
    status: ExitStatus
    nodes: int  # nodes of its search tree


class Backend(Protocol):
    """A solver; its module imports the solver's package only inside its methods."""

    def unavailable_reason(self, indicators: IndicatorKind) -> str | None:
        """Return, in a sentence, why it cannot work here (not installed, licence, options), or None."""
        ...

    def version(self) -> str:
        """Return the name and version of the solver."""
        ...

    def solve(self, model: LinearModel, options: SolveOptions, send: SendEvent) -> Solution:
        """Solve the model; ``send`` is called with every better point and larger bound.

        Raises UnsupportedError when the solver refuses the model, as one too large for its licence.
        Raises RuntimeError when the solver fails.
        """
        ...


BOUND_INTERVAL = 0.1  # seconds between two bounds that are sent; a better point is sent at once


class SolverCallback:
    """The events of one solve: objectives with the model's offset, points below the cutoff only.

    Solvers prune what is not below the cutoff, so that no bound they prove can be larger. Some report one
    that is: HiGHS 1.15 with an objective bound reports the worse point it happened to see as its dual bound.
    """

    def __init__(self, model: LinearModel, options: SolveOptions, send: SendEvent) -> None:
        self.cutoff = options.cutoff - model.offset
        self._offset, self._send = model.offset, send
        self._bound, self._objective = -math.inf, self.cutoff
        self._values: FloatArray | None = None
        self._sent_at = -math.inf

    def on_bound(self, bound: float) -> None:
        """Take in a lower bound, in the solver's terms: without the offset."""
        self._bound = max(self._bound, min(bound, self.cutoff))
        now = time.perf_counter()
        if math.isfinite(self._bound) and now - self._sent_at >= BOUND_INTERVAL:
            self._send_event(now, None)

    def on_solution(self, objective: float, values: FloatArray) -> None:
        """Take in a point, shape (n_columns,)."""
        if objective < self._objective:
            self._objective, self._values = objective, np.array(values, dtype=np.float64)
            self._send_event(time.perf_counter(), self._values)

    def on_finish(self, bound: float, nodes: int) -> Solution:
        """Return the solution of a solver that has searched everything below the cutoff.

        A bound below the cutoff without a point: the solver's point was not a solution within its tolerances.
        """
        bound = min(bound, self._objective)
        if self._values is not None or bound < self.cutoff:
            return self._solution(bound, "optimal", nodes)
        return self._solution(bound, "infeasible" if math.isinf(self.cutoff) else "cutoff", nodes)

    def on_stop(self, bound: float, status: ExitStatus, nodes: int) -> Solution:
        """Return the solution of a solver that was stopped before it had finished."""
        return self._solution(min(bound, self.cutoff), status, nodes)

    def _send_event(self, now: float, values: FloatArray | None) -> None:
        self._sent_at = now
        self._send(SolverEvent(self._bound + self._offset, self._objective + self._offset, values))

    def _solution(self, bound: float, status: ExitStatus, nodes: int) -> Solution:
        return Solution(self._values, bound + self._offset, status, nodes)


def install_hint(package: str, requirement: str) -> str | None:
    """Return a sentence on how to install a solver's package, None if it is installed."""
    if importlib.util.find_spec(package) is not None:
        return None
    return f'The package {package} is not installed: pip install "{requirement}"'
