"""A diagram with splits by single features as an incumbent of hyperplanes: they are searched faster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.problem.evaluate import solver_margin
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_nearest_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import Emit, ignore, univariate_unsupported
from oddlearn.solve.state import SolveState

# seconds of work of the search: on a teacher of single features, 10,000 x 20, the best diagram takes less
SEARCH_WORK = 0.5


@dataclass(frozen=True)
class FeatureStart:
    """The diagram of a local search with univariate splits, as hyperplanes.

    Parameters
    ----------
    seed, n_jobs : int
    """

    seed: int = 0
    n_jobs: int = 1

    name: ClassVar[str] = "single_features"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        return univariate_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Offer the best diagram that is found in a little time."""
        problem = state.problem
        plain = replace(problem, split="univariate", margin=0.0, term_limit=None)
        search = LocalSearch(seed=self.seed, n_jobs=self.n_jobs)
        found = search.search(plain, None, budget.limit_work(SEARCH_WORK), ignore)
        state = replace(state, interrupted=state.interrupted or found.interrupted)
        if found.diagram is None:
            return state
        return state.offer(to_hyperplanes(problem, found.diagram), trusted=False)


def to_hyperplanes(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram:
    """Return a diagram with univariate splits as one with hyperplanes, whose thresholds keep the margin.

    Node by node from the root, the nearest threshold with the margin between the rows of the node; it stays
    where there is none.
    """
    X, margin = problem.data.X, solver_margin(problem)
    for node, split in enumerate(diagram.splits):
        if not isinstance(split, UnivariateSplit):
            continue
        column = X[route_reference(diagram, X).reached[:, node], split.feature]
        threshold = find_nearest_threshold(np.asarray(column, dtype=np.float64), split.threshold, margin)
        plane = MultivariateSplit(
            split.dense_weights(X.shape[1]), split.threshold if threshold is None else threshold
        )
        diagram = diagram.with_splits((*diagram.splits[:node], plane, *diagram.splits[node + 1 :]))
    return diagram
