"""The steps of a fit between a prepared problem and a stored model."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import SearchInterruptedWarning
from oddlearn.estimators.parameters import Settings
from oddlearn.estimators.progress_line import progress
from oddlearn.estimators.scaled_problem import Prepared, warn_of_wide_margin
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import evaluate, reached_requirements
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import Trained, train
from oddlearn.solve.solver import Engine, Outcome, Report


@dataclass(frozen=True)
class Started:
    """An engine that begins with a diagram of its own, in unit coordinates, where it is told of no other."""

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


def trained_on(prepared: Prepared, settings: Settings, budget: Budget) -> Trained:
    """Train on a prepared problem, with progress shown and warnings given."""
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


def certificate_of(
    prepared: Prepared, trained: Trained, diagram: DecisionDiagram, raw_rows: FloatArray
) -> Certificate:
    """Return what is known about a diagram in raw units, its value computed anew on the raw rows."""
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
        ignored_features=prepared.ignored,
        requirements=reached_requirements(problem, diagram, raw_rows),
    )
