"""The interface of every solver: a state in, a state out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.events import Event
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.state import SolveState

Emit = Callable[[Event], None]


class Solver(Protocol):
    """Something that improves the incumbent, the bounds, or both."""

    @property
    def name(self) -> str:
        """Name in the table of solvers, and of its evidence in a certificate."""
        ...

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem; empty when it can."""
        ...

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Work until nothing is left to do or the budget is spent.

        Events are emitted from the calling thread: ``Improved`` for a better diagram, ``Bounded`` for a
        larger lower bound. A diagram is in the state, or kept to be put there, before it is emitted. On
        Ctrl-C the solver stops and returns what it has, with ``interrupted`` set.
        """
        ...


def is_resumable(solver: Solver) -> bool:
    """Return True if a solver counts its work and resumes where it stopped, so that it can take turns."""
    return bool(getattr(solver, "is_resumable", False))


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    diagram : DecisionDiagram or None
        The best, None when none satisfies the constraints.
    iterations : int
    interrupted : bool
        True after Ctrl-C.
    """

    diagram: DecisionDiagram | None
    iterations: int = 0
    interrupted: bool = False

    def update(self, state: SolveState) -> SolveState:
        """Return the state with the result of the search."""
        interrupted, iterations = state.interrupted or self.interrupted, state.iterations + self.iterations
        return replace(state, interrupted=interrupted, iterations=iterations).offer(self.diagram)


# the start of a search: the warm start of the state, if there is one, or the incumbent
SearchStart = Literal["warm", "incumbent"]


def search_start(state: SolveState, start: SearchStart) -> DecisionDiagram | None:
    """Return the diagram that a search begins with."""
    return state.diagram if start == "incumbent" else state.warm_start


def ignore(event: Event) -> None:
    """Take an event and do nothing with it."""


def univariate_unsupported(name: str, problem: TrainingProblem) -> list[str]:
    """Return the reason of a solver of weighted sums, if splits compare single features."""
    if problem.split != "multivariate":
        return [f'The solver "{name}" takes multivariate splits only, not {problem.split} ones.']
    return []


def term_limit_unsupported(name: str, problem: TrainingProblem) -> list[str]:
    """Return the reason of a solver of weighted sums of all features, if their terms are limited."""
    if problem.term_limit is not None:
        return [f'The solver "{name}" takes weighted sums of any number of terms only.']
    return []


def constraints_unsupported(name: str, problem: TrainingProblem) -> list[str]:
    """Return the reason of a search that cannot satisfy constraints, if the problem has any."""
    if len(problem.rows):
        return [
            f"The search '{name}' cannot satisfy constraints; the problem has {len(problem.rows)} rows of "
            'them: use search="local_search".'
        ]
    return []
