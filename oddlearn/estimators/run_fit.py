"""Solve a scaled training problem and build the certificate."""

from __future__ import annotations

import warnings

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import SearchInterruptedWarning
from oddlearn.estimators.parameters import Settings
from oddlearn.estimators.progress_line import progress
from oddlearn.estimators.scaled_problem import ScaledProblem, warn_of_wide_margin
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import constraint_statuses, evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import SolveResult, solve_problem


def run_fit(
    prepared: ScaledProblem, settings: Settings, budget: Budget, warm_start: DecisionDiagram | None = None
) -> SolveResult:
    """Solve a prepared problem, with progress shown and warnings given."""
    with progress(settings.verbose, budget.started) as report:
        training_budget = budget.without(prepared.finishing_seconds)
        result = solve_problem(
            prepared.problem, settings.search, training_budget, report, settings.exact, warm_start
        )
    warn_of_wide_margin(prepared.problem)
    if result.state.interrupted:
        warnings.warn(
            "The fit was interrupted: the best diagram found so far is kept.",
            SearchInterruptedWarning,
            stacklevel=4,
        )
    return result


def build_certificate(
    prepared: ScaledProblem, result: SolveResult, diagram: DecisionDiagram, raw_X: FloatArray
) -> Certificate:
    """Return the certificate of a diagram in raw units, re-evaluated on the raw rows."""
    problem = prepared.problem
    value = evaluate(problem, diagram, raw_X)
    return Certificate(
        digest=problem.digest,
        objective=value.objective,
        lower_bound=result.state.lower_bound,
        violation=value.raw_violation,
        margin=problem.margin,
        split=problem.split,
        skeleton=problem.skeleton,
        alpha=problem.alpha,
        evidence=result.state.evidence,
        events=result.events,
        ignored_features=prepared.ignored_features,
        constraints=constraint_statuses(problem, diagram, raw_X),
    )
