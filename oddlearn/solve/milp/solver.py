"""The solver that uses the paper's mixed-integer linear program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import InvalidInputError
from oddlearn.problem.row_structure import SIDES_DIFFER, sides_are_symmetric
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.backends import BACKENDS
from oddlearn.solve.milp.backends.backend import IndicatorKind
from oddlearn.solve.milp.bound_rounding import SOLVER_TOLERANCE
from oddlearn.solve.milp.context import FormulationName, FormulationOptions
from oddlearn.solve.milp.decode import decode
from oddlearn.solve.milp.formulation import formulate_columns
from oddlearn.solve.worker.messages import ExitStatus, SolutionFound
from oddlearn.solve.worker.worker_solver import STATUS_TEXTS, WorkerSolver

_NO_DIAGRAM = "the solver's best point is within its tolerances only, no diagram keeps the margin there"
_NO_PAPER_DIAGRAM = (
    "the best point of the paper's form has weights that add up to more than 1, a smaller margin"
)

# largest coordinate of a row: times the tolerance of a binary, 1e-6, it is how far a row may be misplaced
MAX_COORDINATE = 1e4
FAR_OUTLIERS = (
    f"Some values are more than {MAX_COORDINATE:g} times as far from the others as these from each other, "
    "too far for the tolerances of a MILP with multivariate splits: correct or leave out such outliers."
)


@dataclass(frozen=True)
class Milp(WorkerSolver):
    """Prove bounds by the paper's mixed-integer linear program, solved in a process of its own.

    Parameters
    ----------
    solver : "highs", "scip" or "gurobi"
    formulation : "tight" or "paper"
        Tight: one small model for each number of nodes that can still be better. Paper: the model as the
        paper prints it, on the whole skeleton.
    indicators : "big-m" or "native"
        Model a row's side of a hyperplane by big-M rows, or by the solver's own indicators (not HiGHS).
    order_arcs, order_nodes : bool
        Break the symmetry of sides, and of the slots of a layer.
    flows : bool
        True for a flow on every arc, as in the paper; False projects them out: a smaller model.
    n_jobs : int
        Threads of the solver; SCIP works in one.
    seed : int
    max_memory : int, optional
        Bytes the solver may use; half of the available memory by default.
    """

    name: ClassVar[str] = "milp"
    task: ClassVar[str] = "oddlearn.solve.milp.worker:work"
    tolerance: ClassVar[float] = SOLVER_TOLERANCE
    # a solution may need a linear program to decode, which a callback of a solver cannot run
    decodes_after_exit: ClassVar[bool] = True

    solver: str = "highs"
    formulation: FormulationName = "tight"
    indicators: IndicatorKind = "big-m"
    order_arcs: bool = True
    order_nodes: bool = True
    flows: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("solver", self.solver, tuple(BACKENDS))
        _check_choice("formulation", self.formulation, get_args(FormulationName))
        _check_choice("indicators", self.indicators, get_args(IndicatorKind))
        for name in ("order_arcs", "order_nodes", "flows"):
            _check_choice(name, getattr(self, name), (True, False))
        if (self.solver, self.indicators) == ("highs", "native"):
            raise InvalidInputError(str(BACKENDS["highs"].unavailable_reason("native")))

    @property
    def formulation_options(self) -> FormulationOptions:
        """The options that the formulation takes."""
        return FormulationOptions(self.formulation, self.order_arcs, self.order_nodes, self.flows)

    @property
    def status_texts(self) -> Mapping[ExitStatus, str]:
        """Texts for the exit status of a model."""
        no_diagram = _NO_PAPER_DIAGRAM if self.formulation == "paper" else _NO_DIAGRAM
        return {**STATUS_TEXTS, "no_diagram": no_diagram}

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        if problem.data.n_classes < 2:
            return ["With one class there is nothing to prove: the constant diagram is optimal."]
        reason = BACKENDS[self.solver].unavailable_reason(self.indicators)
        found = [] if reason is None else [reason]
        if problem.split == "multivariate" and np.abs(problem.data.X).max(initial=0.0) > MAX_COORDINATE:
            found.append(FAR_OUTLIERS)
        return found if sides_are_symmetric(problem) else [*found, SIDES_DIFFER]

    def decode(
        self, problem: TrainingProblem, message: SolutionFound, budget: Budget
    ) -> DecisionDiagram | None:
        """Return the diagram of a point of the model, None if it has none."""
        formulation = formulate_columns(problem, message.count, self.formulation_options)
        return decode(formulation, message.content, budget)


def _check_choice(name: str, given: object, allowed: tuple[object, ...]) -> None:
    if not any(given is choice or (isinstance(choice, str) and given == choice) for choice in allowed):
        names = ", ".join(repr(choice) for choice in allowed)
        raise InvalidInputError(f"{name} is {given!r}: give one of {names}.")
