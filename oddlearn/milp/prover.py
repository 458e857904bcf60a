"""The prover that solves the paper's mixed-integer linear program."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget, Proof, Report, check_whole
from oddlearn.errors import InvalidInputError
from oddlearn.isolation import allowed_memory, run_isolated
from oddlearn.milp.backends import BACKENDS
from oddlearn.milp.backends.contract import IndicatorKind
from oddlearn.milp.job import Job
from oddlearn.milp.listening import Listener
from oddlearn.milp.variant import Variant
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem
from oddlearn.problem.symmetry import SIDES_DIFFER, sides_are_alike

VariantName = Literal["prepared", "faithful"]

TASK = "oddlearn.milp.child:work"

# the solver's process is ended this much before the deadline, or this share: its last point is read then
RESERVE, RESERVED_SHARE = 0.1, 0.05


@dataclass(frozen=True)
class Milp:
    """Raise the floors by the paper's mixed-integer linear program, solved in a process of its own.

    Parameters
    ----------
    solver : "highs", "scip" or "gurobi"
    variant : "prepared" or "faithful"
        Prepared: one small model for each number of nodes that can still be better. Faithful: the model as
        the paper prints it, on the whole skeleton.
    indicators : "big-m" or "native"
        How a row is kept to its side: by rows with slack, or by the solver's own indicators (not HiGHS).
    order_arcs, order_nodes : bool
        Break the symmetry of sides, and of the slots of a layer.
    flows : bool
        True for a flow on every arc, as in the paper; False projects them out: a smaller model.
    n_jobs : int
        Threads of the solver; SCIP works in one.
    seed : int
    most_memory : int, optional
        Bytes the solver may use; half of the available memory by default.
    """

    solver: str = "highs"
    variant: VariantName = "prepared"
    indicators: IndicatorKind = "big-m"
    order_arcs: bool = True
    order_nodes: bool = True
    flows: bool = True
    n_jobs: int = 1
    seed: int = 0
    most_memory: int | None = None

    def __post_init__(self) -> None:
        _check_choice("solver", self.solver, tuple(BACKENDS))
        _check_choice("variant", self.variant, get_args(VariantName))
        _check_choice("indicators", self.indicators, get_args(IndicatorKind))
        for name in ("order_arcs", "order_nodes", "flows"):
            _check_choice(name, getattr(self, name), (True, False))
        check_whole("n_jobs", self.n_jobs, 1)
        check_whole("seed", self.seed, 0)
        if self.most_memory is not None:
            check_whole("most_memory", self.most_memory, 1)
        if (self.solver, self.indicators) == ("highs", "native"):
            raise InvalidInputError(str(BACKENDS["highs"].objection("native")))

    @property
    def name(self) -> str:
        """Its key in the table of provers."""
        return "milp"

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why it cannot take the problem; empty when it can."""
        if problem.data.n_classes < 2:
            return ["With one class there is nothing to prove: the constant diagram is optimal."]
        objection = BACKENDS[self.solver].objection(self.indicators)
        found = [] if objection is None else [objection]
        return found if sides_are_alike(problem) else [*found, SIDES_DIFFER]

    def prove(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Work until the floors meet the best objective or the budget is spent."""
        listener = Listener(problem, incumbent, floors, self._variant(), budget, report)
        if listener.is_proved:
            return Proof(floors)
        inner = budget.without(min(RESERVE, RESERVED_SHARE * budget.remaining()))
        job = self._job(listener, incumbent, inner)
        ended = run_isolated(TASK, job, inner, listener.hear, job.most_memory)
        return listener.proof(ended, self._described())

    def _job(self, listener: Listener, incumbent: DecisionDiagram, budget: Budget) -> Job:
        return Job(
            # constraints a user wrote himself may be unknown to another process; their rows are enough
            problem=replace(listener.problem, demands=()),
            incumbent=incumbent,
            objective=listener.objective,
            floors=listener.floors,
            solver=self.solver,
            variant=self._variant(),
            indicators=self.indicators,
            threads=self.n_jobs,
            seed=self.seed,
            most_memory=allowed_memory(self.most_memory),
            deadline=time.time() + budget.remaining() if math.isfinite(budget.deadline) else math.inf,
        )

    def _variant(self) -> Variant:
        is_faithful = self.variant == "faithful"
        return Variant(is_faithful, self.order_arcs, self.order_nodes, self.flows)

    def _described(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in asdict(self).items() if value is not None)


def _check_choice(name: str, given: object, allowed: tuple[object, ...]) -> None:
    if not any(given is choice or (isinstance(choice, str) and given == choice) for choice in allowed):
        names = ", ".join(repr(choice) for choice in allowed)
        raise InvalidInputError(f"{name} is {given!r}: give one of {names}.")
