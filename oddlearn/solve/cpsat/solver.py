"""The solver for univariate splits that uses OR-Tools CP-SAT."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

from oddlearn.errors import InvalidInputError
from oddlearn.problem.cost_units import scale_rows
from oddlearn.problem.row_structure import SIDES_DIFFER, sides_are_symmetric
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.worker.worker_solver import WorkerSolver


@dataclass(frozen=True)
class CpSat(WorkerSolver):
    """Prove bounds by constraint programming over thresholds, in a process of its own.

    Parameters
    ----------
    order_nodes : bool
        Break the symmetry of the slots of a layer. (The sides of a univariate split have none.)
    n_jobs : int
        Threads of the solver.
    seed : int
    max_memory : int, optional
        Bytes the solver may use; half of the available memory by default.
    """

    name: ClassVar[str] = "cpsat"
    task: ClassVar[str] = "oddlearn.solve.cpsat.worker:work"

    order_nodes: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.order_nodes, bool):
            raise InvalidInputError(f"order_nodes is {self.order_nodes!r}: give True or False.")

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        if problem.split != "univariate":
            return ['CP-SAT works on univariate splits only: use exact="milp" for multivariate ones.']
        if find_spec("ortools") is None:
            return ['CP-SAT needs OR-Tools, which is not installed: pip install "oddlearn[cpsat]".']
        sides = [] if sides_are_symmetric(problem) else [SIDES_DIFFER]
        return [*_cost_reasons(problem), *_row_reasons(problem), *sides]


def _cost_reasons(problem: TrainingProblem) -> list[str]:
    if problem.cost_units.is_exact:
        return []
    return [
        "CP-SAT works in integers, and the costs, sample weights and penalties of soft constraints of this "
        "problem cannot be scaled to integers without loss: round them to a few digits."
    ]


def _row_reasons(problem: TrainingProblem) -> list[str]:
    labels = zip(problem.rows.labels, scale_rows(problem.rows), strict=True)
    return [
        f"CP-SAT works in integers, and the constraint '{label}' cannot be scaled to integers without loss."
        for label, row in labels
        if not row.is_exact
    ]
