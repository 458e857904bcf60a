"""Solve a scaled training problem and build the certificate."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import SearchInterruptedWarning
from oddlearn.estimators.parameters import Settings
from oddlearn.estimators.progress_line import progress
from oddlearn.estimators.scaled_problem import ScaledProblem, warn_of_wide_margin
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import evaluate, reached_requirements
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import Trained, train
from oddlearn.solve.solver import Engine, Outcome, Report


@dataclass(frozen=True)
class WarmStartedSearch:
    """A search that starts from a given diagram, in unit coordinates, if it gets no other start."""

    engine: Engine
    start: DecisionDiagram

    @property
    def name(self) -> str:
        """The engine's key in the table of engines."""
        return self.engine.name

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return the engine's objections."""
        return self.engine.objections(problem)

    def run(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        report: Report,
        lower_bound: float = -math.inf,
    ) -> Outcome:
        """Run the engine, from the given start if there is one."""
        return self.engine.run(problem, start or self.start, budget, report, lower_bound)


def run_fit(prepared: ScaledProblem, settings: Settings, budget: Budget) -> Trained:
    """Solve the problem, show progress and issue warnings."""
    with progress(settings.verbose, budget.started) as report:
        training_budget = budget.without(prepared.finishing_seconds)
        trained = train(prepared.problem, settings.engine, training_budget, report, settings.exact)
    warn_of_wide_margin(prepared.problem)
    if trained.interrupted:
        warnings.warn(
            "The fit was interrupted: the best diagram found so far is kept.",
            SearchInterruptedWarning,
            stacklevel=4,
        )
    return trained


def build_certificate(
    prepared: ScaledProblem, trained: Trained, diagram: DecisionDiagram, raw_rows: FloatArray
) -> Certificate:
    """Return the certificate of a diagram in raw units, re-evaluated on the raw rows."""
    problem = prepared.problem
    value = evaluate(problem, diagram, raw_rows)
    return Certificate(
        digest=problem.digest,
        objective=value.objective,
        lower_bound=trained.lower_bound,
        violation=value.violation,
        margin=problem.margin,
        split=problem.split,
        skeleton=problem.skeleton,
        alpha=problem.alpha,
        evidence=trained.evidence,
        events=trained.events,
        ignored_features=prepared.ignored_features,
        requirements=reached_requirements(problem, diagram, raw_rows),
    )
