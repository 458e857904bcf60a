"""What an engine is: one clock in, a diagram and a bound out."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.events import Event
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget

Report = Callable[[Event], None]

# name of an engine -> module and class; a module is imported when its engine is asked for
ENGINES = {
    "alternate": ("oddlearn.solve.local_search.solver", "Alternate"),
    "construct": ("oddlearn.solve.construct.solver", "Construct"),
}

# name of a prover -> module and class; importing the module loads no solver
PROVERS = {
    "branch": ("oddlearn.solve.branch_and_bound.solver", "Branch"),
    "milp": ("oddlearn.solve.milp.solver", "Milp"),
    "cpsat": ("oddlearn.solve.cpsat.solver", "CpSat"),
}


def ignore(event: Event) -> None:
    """Take a report and do nothing with it."""


def objections_to_rows(name: str, problem: TrainingProblem) -> list[str]:
    """Return the objection of an engine that cannot keep constraints to a problem that has some."""
    if len(problem.rows):
        return [
            f"The search '{name}' cannot keep constraints; the problem has {len(problem.rows)} rows of them: "
            'use search="alternate".'
        ]
    return []


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
    interrupted : bool
        True when the user ended it from the keyboard.
    iterations : int
    """

    diagram: DecisionDiagram | None
    lower_bound: float = -math.inf
    evidence: tuple[Evidence, ...] = ()
    events: tuple[Event, ...] = ()
    interrupted: bool = False
    iterations: int = 0


class Engine(Protocol):
    """Something that improves a diagram, a bound or both."""

    @property
    def name(self) -> str:
        """Its key in the table of engines."""
        ...

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why this engine cannot take the problem; empty when it can."""
        ...

    def run(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        report: Report,
        lower_bound: float = -math.inf,
    ) -> Outcome:
        """Work on the problem, from a start if there is one, until done or out of budget.

        News are reported from the calling thread as they happen. A diagram that meets ``lower_bound`` ends
        the work. On KeyboardInterrupt the engine stops its workers and returns what it has.
        """
        ...


@dataclass(frozen=True)
class Proof:
    """What a prover hands back.

    Attributes
    ----------
    floors : Floors
        At least those it was given.
    diagram : DecisionDiagram or None
        One that is better than the incumbent, in the unit box, if it found one.
    evidence : tuple of Evidence
    interrupted : bool
        True when the user ended it from the keyboard.
    goes_on : Prover or None
        Takes the same problem up where this proof was left, if it can be.
    """

    floors: Floors
    diagram: DecisionDiagram | None = None
    evidence: tuple[Evidence, ...] = ()
    interrupted: bool = False
    goes_on: Prover | None = None


class Prover(Protocol):
    """Something exact: it raises the floors until they meet the incumbent, or finds a better diagram."""

    @property
    def name(self) -> str:
        """Its key in the table of provers."""
        ...

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why this prover cannot take the problem; empty when it can."""
        ...

    def prove(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Work until the floors meet the best objective or the budget is spent.

        News are reported from the calling thread as they happen: ``Improved`` for diagrams that were
        evaluated, ``Bounded`` for the least of the floors. What ended badly is said in the evidence; on
        KeyboardInterrupt the prover stops and returns what it has.
        """
        ...


def engine_class(name: str) -> Any:  # noqa: ANN401
    """Return the class of the engine of this name; its options are the fields of the class."""
    module, class_name = ENGINES[name]
    return getattr(importlib.import_module(module), class_name)


def prover_class(name: str) -> Any:  # noqa: ANN401
    """Return the class of the prover of this name; its options are the fields of the class."""
    module, class_name = PROVERS[name]
    return getattr(importlib.import_module(module), class_name)
