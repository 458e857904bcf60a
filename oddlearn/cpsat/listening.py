"""The prover's side of the pipe: bounds raise the floors, diagrams are evaluated."""

from __future__ import annotations

import math

from oddlearn.cpsat.account import Account
from oddlearn.cpsat.job import Found, Message, Raised
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Bounded, Budget, Improved, Proof, Report
from oddlearn.isolation import Ended
from oddlearn.problem.certificate import VIOLATION_TOLERANCE
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem


class Listener:
    """What is proved and found so far; ``hear`` takes one message after the other."""

    def __init__(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> None:
        value = evaluate(problem, incumbent)
        self.objective = value.objective if value.violation <= VIOLATION_TOLERANCE else math.inf
        self.floors = floors
        self._problem, self._budget, self._report = problem, budget, report
        self._bound = floors.lower_bound(problem)
        self._diagram: DecisionDiagram | None = None
        self._account = Account()

    @property
    def is_proved(self) -> bool:
        """True when nothing can be better than the best diagram."""
        return not self.floors.open_counts(self._problem, self.objective)

    def hear(self, message: Message) -> None:
        """Take in a message of the solver's process."""
        self._account.hear(message)
        if isinstance(message, Raised):
            self._raise(message)
        elif isinstance(message, Found):
            self._consider(message.diagram)

    def proof(self, ended: Ended, options: str) -> Proof:
        """Return what came of it once the process has ended."""
        bound = self.floors.lower_bound(self._problem)
        evidence = self._account.evidence(bound, self.is_proved, ended, options)
        return Proof(self.floors, self._diagram, (evidence,), ended.how == "interrupted")

    def _raise(self, raised: Raised) -> None:
        self.floors = self.floors.raised(raised.count, raised.cost)
        bound = self.floors.lower_bound(self._problem)
        if bound > self._bound:
            self._bound = bound
            self._report(Bounded(self._budget.elapsed(), bound))

    def _consider(self, diagram: DecisionDiagram) -> None:
        """Keep a diagram if plain evaluation says that it is better."""
        value = evaluate(self._problem, diagram)
        if value.violation <= VIOLATION_TOLERANCE and value.objective < self.objective:
            self._diagram, self.objective = diagram, value.objective
            self._report(Improved(self._budget.elapsed(), value.objective, value.n_nodes))
