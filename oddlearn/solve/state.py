"""The state of a solve: the incumbent, the bounds, and the evidence for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import BrokenProofError, DiagramMisfitError
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import Evaluation, best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem

# the first split is free, but one that saves less than this share of all weight is not worth having:
# it would separate samples that hardly count
MIN_SAVING = 1e-7


@dataclass(frozen=True, eq=False)
class SolveState:
    """Incumbent, bounds and evidence; every change returns a new state.

    Attributes
    ----------
    problem : TrainingProblem
    diagram : DecisionDiagram
        The incumbent, at first the best constant. One that satisfies the constraints is better than one that
        does not.
    evaluation : Evaluation
        Of the incumbent, by plain code.
    bounds : NodeCountBounds
        A lower bound on the cost with each number of nodes.
    evidence : tuple of Evidence
        The latest of each solver.
    warm_start : DecisionDiagram or None
        Start of the first search.
    resumable : mapping
        Searches that a solver can resume, by name of the solver.
    iterations : int
        Of the search.
    interrupted : bool
        True once the user has pressed Ctrl-C.
    gave_up : bool
        True if a proof ended that was not going to be finished in the time left.
    """

    problem: TrainingProblem
    diagram: DecisionDiagram
    evaluation: Evaluation
    bounds: NodeCountBounds
    evidence: tuple[Evidence, ...] = ()
    warm_start: DecisionDiagram | None = None
    resumable: Mapping[str, object] = field(default_factory=dict)
    iterations: int = 0
    interrupted: bool = False
    gave_up: bool = False

    @classmethod
    def initial(
        cls,
        problem: TrainingProblem,
        diagram: DecisionDiagram | None = None,
        bounds: NodeCountBounds | None = None,
        warm_start: DecisionDiagram | None = None,
    ) -> SolveState:
        """Return the state before any work: the given diagram or the best constant, and bounds of 0.

        A warm start with more terms than the problem allows is left out.
        """
        limit = problem.term_limit
        if warm_start is not None and limit is not None and not limit.allows(warm_start):
            warm_start = None
        diagram = best_constant(problem) if diagram is None else diagram
        bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes)) if bounds is None else bounds
        return cls(problem, diagram, evaluate(problem, diagram), bounds, warm_start=warm_start)

    @cached_property
    def objective_bounds(self) -> FloatArray:
        """The lower bound on the objective with 1, 2, ... nodes; conditions of steps read it often."""
        return self.bounds.objectives(self.problem)

    @cached_property
    def lower_bound(self) -> float:
        """The largest lower bound proved on the objective."""
        return float(self.objective_bounds.min())

    @property
    def is_feasible(self) -> bool:
        """True when the incumbent satisfies the constraints."""
        return self.evaluation.violation == 0

    @property
    def is_infeasible(self) -> bool:
        """True when it is proved that no diagram satisfies the constraints."""
        return math.isinf(self.lower_bound)

    @property
    def objective(self) -> float:
        """The objective to beat: the incumbent's, inf when it violates a constraint."""
        return self.evaluation.objective if self.is_feasible else math.inf

    @property
    def is_optimal(self) -> bool:
        """True when the incumbent is proved to be optimal."""
        return self.is_feasible and self.objective - self.lower_bound <= OPTIMALITY_TOLERANCE

    @property
    def unresolved_node_counts(self) -> tuple[int, ...]:
        """The numbers of nodes, ascending, with which the incumbent might still be improved."""
        is_open = self.objective_bounds < self.objective - OPTIMALITY_TOLERANCE
        return tuple((np.flatnonzero(is_open) + 1).tolist())

    @property
    def is_resolved(self) -> bool:
        """True when no diagram can be better than the incumbent; one that violates constraints is worst."""
        return not self.unresolved_node_counts

    @property
    def is_finished(self) -> bool:
        """True when there is nothing left to do."""
        return self.interrupted or self.is_optimal or self.is_infeasible

    def offer(self, diagram: DecisionDiagram | None, *, trusted: bool = True) -> SolveState:
        """Take over a diagram unless it is worse; it is evaluated here, whatever its finder says of it.

        Parameters
        ----------
        diagram : DecisionDiagram or None
        trusted : bool
            False for the diagram of a solver that rounds: one that is no solution of the problem is dropped.

        Raises
        ------
        DiagramMisfitError
            When a trusted diagram is no solution of the problem.
        """
        if diagram is None:
            return self
        try:
            return self._accept(diagram)
        except KeyboardInterrupt:  # the diagram has been paid for: evaluate it once more, then stop
            return replace(self._accept(diagram), interrupted=True)
        except DiagramMisfitError:
            if trusted:
                raise
            return self

    def _accept(self, diagram: DecisionDiagram) -> SolveState:
        evaluation = evaluate(self.problem, diagram)
        saving = self.evaluation.objective - evaluation.objective
        min_saving = MIN_SAVING if self.diagram.n_nodes == 0 else 0.0
        if (evaluation.violation, -saving) <= (self.evaluation.violation, -min_saving):
            return replace(self, diagram=diagram, evaluation=evaluation)
        return self

    def tighten(self, bounds: NodeCountBounds, *evidence: Evidence) -> SolveState:
        """Merge bounds and record the evidence for them; it replaces earlier evidence of the same solver."""
        names = {entry.solver for entry in evidence}
        others = (entry for entry in self.evidence if entry.solver not in names)
        recorded = (*others, *(_with_finite_bound(entry) for entry in evidence))
        return replace(self, bounds=self.bounds.merged(bounds), evidence=recorded)

    def store_resumable(self, name: str, search: object | None) -> SolveState:
        """Keep the search that a solver can resume in place of its last one; None if there is none."""
        others = {solver: kept for solver, kept in self.resumable.items() if solver != name}
        return replace(self, resumable=others if search is None else {**others, name: search})

    def check(self) -> SolveState:
        """Raise BrokenProofError if a bound is above the objective of the incumbent."""
        # a node that no row reaches is in no solver's diagrams, so fewer nodes count too
        bounds = self.objective_bounds[: max(1, self.evaluation.n_nodes)]
        largest = float(bounds.min())
        if self.is_feasible and largest > self.objective + OPTIMALITY_TOLERANCE:
            raise BrokenProofError(
                f"A bound of {largest!r} was claimed and a diagram of {self.objective!r} was found: "
                "one is wrong."
            )
        return self


def _with_finite_bound(evidence: Evidence) -> Evidence:
    # no objective is below 0, and an infinite bound is reported as infeasibility
    return evidence if math.isfinite(evidence.bound) else replace(evidence, bound=0.0)
