"""The prover's side of the pipe: bounds raise the floors, points become diagrams that are evaluated."""

from __future__ import annotations

import math

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Bounded, Budget, Improved, Proof, Report
from oddlearn.isolation import Ended
from oddlearn.milp.account import Account
from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import lay_out
from oddlearn.milp.decode import decode
from oddlearn.milp.equations.constraints import observation_matrix
from oddlearn.milp.exactness import raised_floors
from oddlearn.milp.formulate import Formulation
from oddlearn.milp.job import Count, Found, Message, Raised
from oddlearn.milp.setting import Setting
from oddlearn.milp.variant import Variant
from oddlearn.problem.certificate import VIOLATION_TOLERANCE
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem

# seconds the last point of a solver may take to read when the time is over
LAST_SECONDS = 0.2


class Listener:
    """What is proved and found so far; ``hear`` takes one message after the other."""

    def __init__(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        floors: Floors,
        variant: Variant,
        budget: Budget,
        report: Report,
    ) -> None:
        value = evaluate(problem, incumbent)
        self.problem, self.floors = problem, floors
        self.objective = value.objective if value.violation <= VIOLATION_TOLERANCE else math.inf
        self._variant, self._budget, self._report = variant, budget, report
        self._diagram: DecisionDiagram | None = None
        self._bound = floors.lower_bound(problem)
        self._unread: Found | None = None
        self._account = Account()

    @property
    def is_proved(self) -> bool:
        """True when nothing can be better than the best diagram."""
        return not self.floors.open_counts(self.problem, self.objective)

    def hear(self, message: Message) -> None:
        """Take in a message of the solver's process."""
        self._account.hear(message)
        if isinstance(message, Raised):
            self._raise(message)
        elif isinstance(message, Found):
            self._unread = message  # kept if reading it is interrupted
            if not self._budget.expired:
                self._read(message, self._budget)

    def proof(self, ended: Ended, options: str) -> Proof:
        """Return what came of it once the process has ended."""
        if self._unread is not None:
            self._read(self._unread, Budget.of(LAST_SECONDS))
        bound = self.floors.lower_bound(self.problem)
        evidence = self._account.evidence(bound, self.is_proved, ended, options)
        return Proof(self.floors, self._diagram, (evidence,), ended.how == "interrupted")

    def _raise(self, raised: Raised) -> None:
        self.floors = raised_floors(self.problem, self.floors, raised.count, raised.bound)
        bound = self.floors.lower_bound(self.problem)
        if bound > self._bound:
            self._bound = bound
            self._report(Bounded(self._budget.elapsed(), bound))

    def _read(self, found: Found, budget: Budget) -> None:
        """Turn a point into a diagram; it counts when plain evaluation says that it is better."""
        formulation = _readable(self.problem, found.count, self._variant)
        diagram = decode(formulation, found.values, budget)
        self._unread = None
        if diagram is None:
            return
        value = evaluate(self.problem, diagram)
        if value.violation <= VIOLATION_TOLERANCE and value.objective < self.objective:
            self._diagram, self.objective = diagram, value.objective
            self._report(Improved(self._budget.elapsed(), value.objective, value.n_nodes))


def _readable(problem: TrainingProblem, count: Count, variant: Variant) -> Formulation:
    """Return a formulation without rows: the columns of its points can be read, nothing else."""
    setting = Setting.of(problem, count, variant)
    builder = ModelBuilder()
    columns = lay_out(builder, setting)
    observation = observation_matrix(builder.n_columns, setting, columns)
    return Formulation(builder.build(), columns, observation, setting)
