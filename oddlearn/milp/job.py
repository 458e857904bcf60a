"""What passes between a prover and the process its solver works in."""

from __future__ import annotations

import time
from dataclasses import dataclass

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.milp.backends.contract import Ending, IndicatorKind
from oddlearn.milp.size import Size
from oddlearn.milp.variant import Variant
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem

# a number of active nodes; None for any, as in the faithful variant
Count = int | None


@dataclass(frozen=True)
class Job:
    """What is to be solved.

    Attributes
    ----------
    problem : TrainingProblem
    incumbent : DecisionDiagram
    objective : float
        Of the incumbent; inf when it does not keep the constraints.
    floors : Floors
    solver : str
    variant : Variant
    indicators : "big-m" or "native"
    threads, seed : int
    most_memory : int
        Bytes the process may use.
    deadline : float
        On the clock of ``time.time``, which both processes share.
    """

    problem: TrainingProblem
    incumbent: DecisionDiagram
    objective: float
    floors: Floors
    solver: str
    variant: Variant
    indicators: IndicatorKind
    threads: int
    seed: int
    most_memory: int
    deadline: float

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self.deadline - time.time())


@dataclass(frozen=True)
class Began:
    """The solver was given the model for a number of nodes."""

    count: Count
    size: Size
    version: str


@dataclass(frozen=True)
class Refused:
    """The model for a number of nodes was not tried, and why."""

    count: Count
    why: str


@dataclass(frozen=True)
class Raised:
    """No diagram with this number of nodes has an objective below the bound, tolerances taken off."""

    count: Count
    bound: float


@dataclass(frozen=True)
class Found:
    """A point of the model for a number of nodes, as the solver gave it."""

    count: Count
    values: FloatArray


@dataclass(frozen=True)
class Solved:
    """The solver has ended; its bound and points were told before.

    Attributes
    ----------
    count : int or None
    ending : Ending
    nodes : int
        Of its search tree.
    is_reproduced : bool
        False when the solver's best point stands for no diagram.
    """

    count: Count
    ending: Ending
    nodes: int
    is_reproduced: bool = True


Message = Began | Refused | Raised | Found | Solved
