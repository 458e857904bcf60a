"""One model, one run of a solver: built, started, listened to, and its point read."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget
from oddlearn.errors import DiagramMisfitError
from oddlearn.milp.backends import BACKENDS
from oddlearn.milp.backends.contract import Ending, News, SolveOptions
from oddlearn.milp.decode import decode
from oddlearn.milp.encode import encode
from oddlearn.milp.exactness import cutoff_below, objective_scale, proved, scaled, value_step
from oddlearn.milp.formulate import Formulation, formulate
from oddlearn.milp.job import Count, Found, Job, Message, Raised
from oddlearn.problem.floors import Floors

# the paper gives its solver this multiple of the incumbent's objective as a cutoff
PRINTED_CUTOFF = 1.01


@dataclass(frozen=True)
class Result:
    """What came of an attempt.

    Attributes
    ----------
    ending : Ending
    bound : float
        Proved, the solver's tolerance taken off.
    nodes : int
    diagram : DecisionDiagram or None
        Of the best point.
    is_reproduced : bool
        False when the solver has a point that stands for no diagram.
    """

    ending: Ending
    bound: float
    nodes: int
    diagram: DecisionDiagram | None
    is_reproduced: bool


@dataclass(frozen=True)
class Attempt:
    """A model that is about to be solved.

    Attributes
    ----------
    job : Job
    count : int or None
        Number of active nodes.
    best : DecisionDiagram
        The best known, and its objective; inf when it does not keep the constraints.
    objective : float
    floors : Floors
    tolerance : float
        What rows may be violated by.
    send : callable
        Told of bounds and points.
    """

    job: Job
    count: Count
    best: DecisionDiagram
    objective: float
    floors: Floors
    tolerance: float
    send: Callable[[Message], None]

    def run(self, seconds: float) -> Result:
        """Build and solve the model in this time."""
        started = time.perf_counter()
        formulation = formulate(self.job.problem, self.count, self.job.variant, self._floor())
        scale = objective_scale(self.job.problem, formulation.model)
        model = scaled(formulation.model, scale)
        options = self._options(formulation, scale, seconds - (time.perf_counter() - started))
        solution = BACKENDS[self.job.solver].solve(model, options, lambda news: self._hear(news, scale))
        bound = proved(solution.bound / scale)
        self.send(Raised(self.count, bound))
        diagram = None
        if solution.values is not None:
            diagram = decode(formulation, solution.values, Budget.of(self.job.remaining()))
        is_reproduced = diagram is not None or (solution.values is None and solution.ending != "optimal")
        return Result(solution.ending, bound, solution.nodes, diagram, is_reproduced)

    def _options(self, formulation: Formulation, scale: float, seconds: float) -> SolveOptions:
        cutoff = self._cutoff()
        return SolveOptions(
            seconds=max(0.0, seconds),
            cutoff=scale * cutoff,
            start=self._start(formulation) if math.isinf(cutoff) else None,
            indicators=self.job.indicators,
            threads=self.job.threads,
            seed=self.job.seed % 2**31,
            tolerance=self.tolerance,
        )

    def _floor(self) -> float:
        if self.count is None:
            return -math.inf
        return proved(float(self.floors.objectives(self.job.problem)[self.count - 1]))

    def _cutoff(self) -> float:
        if self.count is None:
            return PRINTED_CUTOFF * self.objective
        if value_step(self.job.problem) == 0 and self.count == max(1, self.best.n_nodes):
            return math.inf  # a start says the same, and is a point to improve upon
        return cutoff_below(self.job.problem, self.count, self.objective)

    def _start(self, formulation: Formulation) -> FloatArray | None:
        if math.isinf(self.objective):
            return None
        try:
            return encode(formulation, self.best)
        except DiagramMisfitError:
            return None

    def _hear(self, news: News, scale: float) -> None:
        if math.isfinite(news.bound):
            self.send(Raised(self.count, proved(news.bound / scale)))
        if news.values is not None:
            self.send(Found(self.count, news.values))
