"""The prover for univariate splits that works with OR-Tools CP-SAT."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec

from oddlearn.cpsat.job import Job
from oddlearn.cpsat.listening import Listener
from oddlearn.cpsat.whole import WholeCosts, whole_rows
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget, Proof, Report, check_whole
from oddlearn.errors import InvalidInputError
from oddlearn.isolation import run_isolated
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem
from oddlearn.problem.symmetry import SIDES_DIFFER, sides_are_alike

TASK = "oddlearn.cpsat.child:work"

# the solver is to end this much before its process is ended, or this share of the time
RESERVE, RESERVED_SHARE = 0.1, 0.05


@dataclass(frozen=True)
class CpSat:
    """Raise the floors by constraint programming on thresholds, in a process of its own.

    Parameters
    ----------
    n_jobs : int
        Threads of the solver.
    seed : int
    most_memory : int, optional
        Bytes the solver may use; half of the available memory by default.
    order_nodes : bool
        Break the symmetry of the slots of a layer. (The sides of a univariate split have none.)
    """

    n_jobs: int = 1
    seed: int = 0
    most_memory: int | None = None
    order_nodes: bool = True

    def __post_init__(self) -> None:
        check_whole("n_jobs", self.n_jobs, 1)
        check_whole("seed", self.seed, 0)
        if self.most_memory is not None:
            check_whole("most_memory", self.most_memory, 1)
        if not isinstance(self.order_nodes, bool):
            raise InvalidInputError(f"order_nodes is {self.order_nodes!r}: give True or False.")

    @property
    def name(self) -> str:
        """Its key in the table of provers."""
        return "cpsat"

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why it cannot take the problem; empty when it can."""
        if problem.split != "univariate":
            return ['CP-SAT works on univariate splits only: use exact="milp" for multivariate ones.']
        if find_spec("ortools") is None:
            return ["CP-SAT needs OR-Tools, which is not installed: pip install oddlearn[cpsat]."]
        sides = [] if sides_are_alike(problem) else [SIDES_DIFFER]
        return [*_objections_to_costs(problem), *_objections_to_rows(problem), *sides]

    def prove(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Work until the floors meet the best objective or the budget is spent."""
        listener = Listener(problem, incumbent, floors, budget, report)
        if listener.is_proved:
            return Proof(floors)
        job = self._job(problem, listener.objective, floors, budget)
        ended = run_isolated(TASK, job, budget, listener.hear, self.most_memory)
        return listener.proof(ended, self._described())

    def _job(self, problem: TrainingProblem, objective: float, floors: Floors, budget: Budget) -> Job:
        left = budget.remaining()
        deadline = math.inf
        if math.isfinite(left):
            deadline = time.time() + left - min(RESERVE, RESERVED_SHARE * left)
        # constraints a user wrote himself may be unknown to another process; their rows are enough
        problem = replace(problem, demands=())
        return Job(problem, objective, floors, self.order_nodes, self.n_jobs, self.seed, deadline)

    def _described(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in asdict(self).items() if value is not None)


def _objections_to_costs(problem: TrainingProblem) -> list[str]:
    if WholeCosts.of(problem).is_exact(problem):
        return []
    return [
        "CP-SAT works in whole numbers, and the costs, sample weights and prices of soft constraints of this "
        "problem cannot be scaled to whole numbers without loss: round them to a few digits."
    ]


def _objections_to_rows(problem: TrainingProblem) -> list[str]:
    labels = zip(problem.rows.labels, whole_rows(problem), strict=True)
    return [
        f"CP-SAT works in whole numbers, and the constraint '{label}' cannot be scaled to whole numbers "
        "without loss."
        for label, row in labels
        if not row.is_exact
    ]
