"""The job of a worker, and the five messages it sends back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.state import SolveState

# a number of active nodes; None for any number
NodeCount = int | None

# the end of one model: "optimal" (its gap is closed), "cutoff" (nothing is better than the incumbent),
# "infeasible", "time", "memory", "interrupted", or "no_diagram" (its best solution is not a diagram)
ExitStatus = Literal["optimal", "cutoff", "infeasible", "time", "memory", "interrupted", "no_diagram"]


@dataclass(frozen=True)
class SolveJob:
    """A solve, as it is sent to the child process.

    Attributes
    ----------
    solver : WorkerSolver
        The solver with its options.
    problem : TrainingProblem
        Without constraint objects: classes written by the user may not exist in the child; rows are enough.
    diagram : DecisionDiagram
        The incumbent.
    objective : float
        Of the incumbent; inf when it violates a constraint.
    bounds : NodeCountBounds
    deadline : float
        On the clock of ``time.time``, which both processes share.
    max_memory : int
        Bytes the child may use.
    """

    solver: Any
    problem: TrainingProblem
    diagram: DecisionDiagram
    objective: float
    bounds: NodeCountBounds
    deadline: float
    max_memory: int

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self.deadline - time.time())

    def initial_state(self) -> SolveState:
        """Return the state at the start of the job."""
        return SolveState.initial(self.problem, self.diagram, self.bounds)


@dataclass(frozen=True)
class ModelStarted:
    """The start of the solver on the model of a node count.

    Attributes
    ----------
    count : int or None
    size : str
        Size of the model, for the certificate.
    n_nonzeros : int
        The same as one number: of several models the largest is reported.
    version : str
        Name and version of the solver.
    """

    count: NodeCount
    size: str
    n_nonzeros: int
    version: str


@dataclass(frozen=True)
class ModelSkipped:
    """A node count whose model was not solved.

    Attributes
    ----------
    count : int or None
    reason : str
        A clause after "because".
    is_late : bool
        True when there would be no reason with more time.
    """

    count: NodeCount
    reason: str
    is_late: bool = False


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
    """The end of the solver on the model of a node count; its bounds and solutions were sent before.

    Attributes
    ----------
    count : int or None
    status : ExitStatus
    nodes : int
        Nodes of the solver's search tree.
    """

    count: NodeCount
    status: ExitStatus
    nodes: int


Message = ModelStarted | ModelSkipped | BoundImproved | SolutionFound | ModelEnded

Send = Callable[[Message], None]
