"""The search of a wide table with hyperplanes: regressions on all columns, then some columns at a time.

No copy of the table is made. A hyperplane on all columns is found by regressions, which read the table in
blocks; all other diagrams have the columns that a search by columns chooses, and 0 for all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.row_passes import project_diagram, used_features
from oddlearn.problem.term_limit import TermLimit, expand_weights
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.column_choice import count_columns
from oddlearn.solve.histogram.hyperplane_search import MAX_FEATURES, HyperplaneSearch
from oddlearn.solve.histogram.wide_regressions import grow_regressions, regression_seconds
from oddlearn.solve.histogram.wide_search import MIN_GAIN, WideSearch
from oddlearn.solve.solver import Emit, SearchResult
from oddlearn.streaming.memory_rows import MemoryRows

# shares of the time left: for regressions on all columns, and for a search with univariate splits
REGRESSION_SHARE = 0.3
COLUMN_SHARE = 0.5

# searches of other columns without a better diagram after which there are no more
PATIENCE = 2


@dataclass(eq=False)
class WideHyperplaneSearch:
    """The search of one wide problem with hyperplanes.

    Attributes
    ----------
    problem : TrainingProblem
    data : LargeData
        Of the problem.
    seed, n_jobs : int
    lower_bound : float
        On the objective: a diagram that has it ends the search.
    best : DecisionDiagram or None
        None until one satisfies the constraints.
    """

    problem: TrainingProblem
    data: LargeData
    seed: int
    n_jobs: int
    lower_bound: float = 0.0
    best: DecisionDiagram | None = None
    objective: float = math.inf
    iterations: int = 0
    interrupted: bool = False

    def run(self, start: DecisionDiagram | None, budget: Budget, emit: Emit) -> SearchResult:
        """Search until nothing gains or the budget is spent."""
        from threadpoolctl import threadpool_limits

        try:
            with threadpool_limits(1):  # several threads wait for each other on a busy machine
                if start is not None:
                    self._keep(start, budget, emit)
                self._keep(self._grow_regressions(budget), budget, emit)
                if self.objective > max(0.0, self.lower_bound) + OPTIMALITY_TOLERANCE:
                    self._search_columns(budget, emit)
        except KeyboardInterrupt:
            self.interrupted = True
        return SearchResult(self.best, self.iterations, self.interrupted)

    def _grow_regressions(self, budget: Budget) -> DecisionDiagram:
        """Return the diagram of regressions on all columns; in little time they may use all of it."""
        part, needed = budget.share(REGRESSION_SHARE), regression_seconds(self.problem, self.data)
        if part.remaining() < needed:
            part = budget.at_most(needed)
        return grow_regressions(self.problem, self.data, part)

    def _search_columns(self, budget: Budget, emit: Emit) -> None:
        """Search univariate splits, then hyperplanes on the columns that promise most for the best ones."""
        plain = replace(self.problem, split="univariate", margin=0.0, term_limit=None)
        search = WideSearch(plain, self.data, self.seed, self.n_jobs)
        found = search.run(None, budget.share(COLUMN_SHARE), emit)
        self._count(found)
        diagram = best_constant(plain) if found.diagram is None else found.diagram
        self._keep(_to_hyperplanes(diagram), budget, emit)
        number, n_unchanged = 0, 0
        while n_unchanged < PATIENCE and not budget.expired and not self.interrupted:
            before = self.objective
            count = min(MAX_FEATURES, count_columns(self.data.n_rows, budget.remaining()))
            if used_features(diagram).size >= count:
                return  # there is no room for others
            columns = search.columns.choose(diagram, count, number, lambda: budget.expired)
            if columns is None:
                return
            diagram = self._search_hyperplanes(number, columns, diagram, budget, emit)
            n_unchanged = 0 if self.objective < before - MIN_GAIN else n_unchanged + 1
            number += 1
            if budget.max_iter is not None:
                return  # its iterations are used up

    def _search_hyperplanes(
        self, number: int, columns: IntArray, start: DecisionDiagram, budget: Budget, emit: Emit
    ) -> DecisionDiagram:
        """Search hyperplanes on some columns, from a diagram on these; return the best."""
        own = _take_columns(self.problem, self.data, columns)
        search = HyperplaneSearch(own, cast(LargeData, own.data), self.seed + number, self.n_jobs)
        search.run(_to_hyperplanes(project_diagram(start, columns)), budget, emit)
        self._count(SearchResult(search.best, search.iterations, search.interrupted))
        if search.best is None:
            return start
        diagram = _restore(search.best, columns, self.data.n_features)
        self._keep(diagram, budget, emit)
        return diagram

    def _count(self, found: SearchResult) -> None:
        self.iterations += found.iterations
        self.interrupted = self.interrupted or found.interrupted

    def _keep(self, diagram: DecisionDiagram, budget: Budget, emit: Emit) -> None:
        """Keep a diagram if it satisfies the constraints and is better."""
        value = evaluate(self.problem, diagram)
        if value.violation == 0 and value.objective < self.objective:
            self.best, self.objective = diagram, value.objective
            emit(Improved(budget.elapsed(), value.objective, value.n_nodes))


def _take_columns(problem: TrainingProblem, data: LargeData, columns: IntArray) -> TrainingProblem:
    """Return the problem on some columns: their values are the only ones that are copied."""
    rows = cast(MemoryRows, data.source).take_columns(np.arange(data.n_rows), columns)
    part = LargeData(MemoryRows.from_block(rows), data.cost_matrix, data.sample_groups)
    limit = problem.term_limit
    if limit is not None:
        limit = TermLimit.build(limit.max_terms, limit.column_of[columns].tolist())
    return replace(problem, data=part, term_limit=limit)


def _to_hyperplanes(diagram: DecisionDiagram) -> DecisionDiagram:
    """Return a diagram of univariate splits or hyperplanes with hyperplanes alone."""
    splits = (
        MultivariateSplit(split.dense_weights(diagram.n_features), split.threshold)
        for split in diagram.splits
    )
    return replace(diagram, splits=tuple(splits))


def _restore(diagram: DecisionDiagram, columns: IntArray, n_features: int) -> DecisionDiagram:
    """Return a diagram of hyperplanes on some columns as one on all."""
    splits = (
        MultivariateSplit(
            expand_weights(split.dense_weights(columns.size), columns, n_features), split.threshold
        )
        for split in diagram.splits
    )
    return replace(diagram, splits=tuple(splits), n_features=n_features)
