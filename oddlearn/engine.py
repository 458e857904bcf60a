"""What an engine is: one clock in, a diagram and a bound out."""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import InvalidInputError
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem

__all__ = [
    "ENGINES",
    "PROVERS",
    "Bounded",
    "Budget",
    "Engine",
    "Event",
    "Improved",
    "Outcome",
    "Proof",
    "Prover",
    "Report",
    "check_whole",
    "engine_class",
    "ignore",
    "objections_to_rows",
    "prover_class",
]

Report = Callable[[Event], None]

# name of an engine -> module and class; a module is imported when its engine is asked for
ENGINES = {
    "alternate": ("oddlearn.search.alternate", "Alternate"),
    "construct": ("oddlearn.search.construct", "Construct"),
}

# name of a prover -> module and class; importing the module loads no solver
PROVERS = {
    "branch": ("oddlearn.branch.prover", "Branch"),
    "milp": ("oddlearn.solve.milp.solver", "Milp"),
    "cpsat": ("oddlearn.solve.cpsat.solver", "CpSat"),
}


def ignore(event: Event) -> None:
    """Take a report and do nothing with it."""


def check_whole(name: str, given: object, least: int) -> None:
    """Raise InvalidInputError unless an option of an engine is a whole number of at least ``least``."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise InvalidInputError(f"{name} is {given!r}: give a whole number of at least {least}.")


def objections_to_rows(name: str, problem: TrainingProblem) -> list[str]:
    """Return the objection of an engine that cannot keep constraints to a problem that has some."""
    if len(problem.rows):
        return [
            f"The search '{name}' cannot keep constraints; the problem has {len(problem.rows)} rows of them: "
            'use search="alternate".'
        ]
    return []


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
