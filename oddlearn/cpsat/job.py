"""What passes between the prover and the process the solver works in."""

from __future__ import annotations

import time
from dataclasses import dataclass

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem


@dataclass(frozen=True)
class Job:
    """What is to be solved.

    Attributes
    ----------
    problem : TrainingProblem
    objective : float
        To be beaten; inf when no diagram that keeps the constraints is known.
    floors : Floors
    order_nodes : bool
    n_jobs, seed : int
    deadline : float
        On the clock of ``time.time``, which both processes share.
    """

    problem: TrainingProblem
    objective: float
    floors: Floors
    order_nodes: bool
    n_jobs: int
    seed: int
    deadline: float

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self.deadline - time.time())


@dataclass(frozen=True)
class Began:
    """The solver was given the model for a number of nodes; ``size`` in literals and clauses."""

    count: int
    n_literals: int
    n_clauses: int
    version: str


@dataclass(frozen=True)
class Refused:
    """The model for a number of nodes was not tried, and why."""

    count: int
    why: str


@dataclass(frozen=True)
class Raised:
    """No diagram with this number of nodes costs less; inf when there is none."""

    count: int
    cost: float


@dataclass(frozen=True)
class Found:
    """A diagram of the solver's."""

    diagram: DecisionDiagram


@dataclass(frozen=True)
class Solved:
    """The solver has ended; bounds and diagrams were told before.

    Attributes
    ----------
    count : int
    is_finished : bool
        False when it ran out of time.
    n_branches : int
    """

    count: int
    is_finished: bool
    n_branches: int


Message = Began | Refused | Raised | Found | Solved
