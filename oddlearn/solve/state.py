"""What is known at one moment of training: the best diagram, the floors, and what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import BrokenProofError
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import Evaluation, best_constant, evaluate
from oddlearn.problem.events import Bounded, Event, Improved, Standing
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.solver import Report

# the first split is free, but one that saves less than this share of all weight is not worth having:
# it would tell apart samples that hardly count
NEGLIGIBLE = 1e-7


@dataclass(frozen=True, eq=False)
class Known:
    """The state of training; every step returns a new one.

    Attributes
    ----------
    problem : TrainingProblem
    diagram : DecisionDiagram
        The best so far, in the unit box; one that keeps the constraints is better than one that does not.
    value : Evaluation
        Its value, by plain evaluation.
    floors : Floors
    bound : float
        Proved of all diagrams at once, beside the floors.
    evidence : tuple of Evidence
    interrupted : bool
        True once the user has ended the work from the keyboard.
    iterations : int
        Of the search.
    """

    problem: TrainingProblem
    diagram: DecisionDiagram
    value: Evaluation
    floors: Floors
    bound: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    interrupted: bool = False
    iterations: int = 0

    @classmethod
    def of(cls, problem: TrainingProblem) -> Known:
        """Return what is known of every problem: its best constant, and that nothing costs less than 0.

        The constant need not keep the constraints.
        """
        constant = best_constant(problem)
        return cls(problem, constant, evaluate(problem, constant), Floors(np.zeros(problem.skeleton.n_nodes)))

    @property
    def lower_bound(self) -> float:
        """The largest bound proved."""
        return max(self.bound, self.floors.lower_bound(self.problem))

    @property
    def is_feasible(self) -> bool:
        """True when the diagram keeps the constraints."""
        return self.value.excess == 0

    @property
    def is_infeasible(self) -> bool:
        """True when it is proved that no diagram keeps the constraints."""
        return math.isinf(self.lower_bound)

    @property
    def objective(self) -> float:
        """What is to be beaten: the diagram's objective; inf when it does not keep the constraints."""
        return self.value.objective if self.is_feasible else math.inf

    @property
    def is_met(self) -> bool:
        """True when the diagram is proved to be optimal."""
        return self.is_feasible and self.value.objective - self.lower_bound <= OPTIMALITY_TOLERANCE

    @property
    def is_over(self) -> bool:
        """True when no more work is wanted."""
        return self.interrupted or self.is_met or self.is_infeasible

    def offered(self, diagram: DecisionDiagram | None) -> Known:
        """Take over a diagram unless it is worse; its value is computed here, whatever was said of it.

        Raises
        ------
        DiagramMisfitError
            When it is no solution of the problem.
        """
        if diagram is None:
            return self
        value = evaluate(self.problem, diagram)
        saved = self.value.objective - value.objective
        least = NEGLIGIBLE if self.diagram.n_nodes == 0 else 0.0
        if (value.excess, -saved) <= (self.value.excess, -least):
            return replace(self, diagram=diagram, value=value)
        return self

    def with_floors(self, floors: Floors, evidence: tuple[Evidence, ...]) -> Known:
        """Add what was proved for each number of nodes."""
        told = (*self.evidence, *(_finite(proof) for proof in evidence))
        return replace(self, floors=self.floors.merged(floors), evidence=told)

    def checked(self) -> Known:
        """Raise BrokenProofError if a bound is above the objective of the diagram; return it otherwise."""
        # a node that no row reaches is in no solver's diagrams, so fewer nodes count too
        floors = self.floors.objectives(self.problem)[: max(1, self.value.n_nodes)]
        largest = max(self.bound, float(floors.min()))
        if self.is_feasible and largest > self.value.objective + OPTIMALITY_TOLERANCE:
            raise BrokenProofError(
                f"A bound of {largest!r} was claimed and a diagram of {self.value.objective!r} was found: "
                "one is wrong."
            )
        return self


class Log:
    """The events that are news, passed on as they happen."""

    def __init__(self, report: Report) -> None:
        self.events: list[Event] = []
        self.standing = Standing()
        self._report = report

    def __call__(self, event: Event) -> None:
        """Keep and pass on an event if it is news: a better diagram or a larger bound."""
        if self._is_news(event):
            self.standing = self.standing.after(event)
            self.events.append(event)
            self._report(event)

    def tell(self, known: Known, seconds: float) -> None:
        """Take in what is known ``seconds`` after the start."""
        if not known.is_infeasible:
            self(Bounded(seconds, known.lower_bound))
        if known.is_feasible:
            self(Improved(seconds, known.value.objective, known.value.n_nodes))

    def _is_news(self, event: Event) -> bool:
        if isinstance(event, Bounded):
            # an infinite bound says that no diagram keeps the constraints, which ends in an error
            return math.inf > event.lower_bound > self.standing.lower_bound
        return event.objective < self.standing.objective - NEGLIGIBLE


def _finite(proof: Evidence) -> Evidence:
    # no objective is below 0, whatever a prover that proved nothing says of it
    return proof if math.isfinite(proof.bound) else replace(proof, bound=0.0)
