"""The job of a worker, and the five messages it sends back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem

# a number of active nodes; None for any number
NodeCount = int | None

# the end of one model: "optimal" (its gap is closed), "cutoff" (nothing is better than the incumbent),
# "infeasible", "time", "memory", "interrupted", or "no_diagram" (its best solution is not a diagram)
ExitStatus = Literal["optimal", "cutoff", "infeasible", "time", "memory", "interrupted", "no_diagram"]


@dataclass(frozen=True)
class SolveJob:
    """A solve, as it is sent to the child process."""

    solver: Any  # the solver with its options
    # without constraint objects: classes written by the user may not exist in the child; rows are enough
    problem: TrainingProblem
    diagram: DecisionDiagram  # the incumbent
    objective: float  # of the incumbent; inf when it violates a constraint
    bounds: NodeCountBounds
    deadline: float  # on the clock of ``time.time``, which both processes share
    max_memory: int  # bytes the child may use

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self.deadline - time.time())


@dataclass(frozen=True)
class ModelStarted:
    """The start of the solver on the model of a node count."""

    count: NodeCount
    size: str  # size of the model, for the certificate
    n_nonzeros: int  # the same as one number: of several models the largest is reported
    version: str  # name and version of the solver


@dataclass(frozen=True)
class ModelSkipped:
    """A node count whose model was not solved."""

    count: NodeCount
    reason: str  # a clause after "because"
    is_late: bool = False  # True when there would be no reason with more time


@dataclass(frozen=True)
class BoundImproved:
    """Larger lower bounds on the costs, tolerances already subtracted."""

    bounds: NodeCountBounds


@dataclass(frozen=True)
class SolutionFound:
    """A better solution: a diagram, or whatever the solver's ``decode`` makes a diagram from."""

    count: NodeCount
    content: Any


@dataclass(frozen=True)
class ModelEnded:
    """The end of the solver on the model of a node count; its bounds and solutions were sent before."""

    count: NodeCount
    status: ExitStatus
    nodes: int  # nodes of the solver's search tree


Message = ModelStarted | ModelSkipped | BoundImproved | SolutionFound | ModelEnded

Send = Callable[[Message], None]
