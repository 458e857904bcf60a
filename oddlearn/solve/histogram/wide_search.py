"""The search of a wide table: a local search of all rows on some columns at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_data import row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.column_choice import ColumnChoice, count_columns
from oddlearn.solve.histogram.sample_search import search_sample
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import Emit, SearchResult
from oddlearn.streaming.memory_rows import MemoryRows

# tables in memory of fewer rows, and at least so many columns, are searched by columns. Others may not be in
# memory, and the search must be the same there
MAX_WIDE_ROWS = 50_000
MIN_WIDE_COLUMNS = 100

# rows by which columns are scanned
MAX_SCANNED_ROWS = 5_000

# seconds of work of the first search; later ones have twice as much every second time, up to 4 times
FIRST_WORK = 0.5
MAX_SCALE = 4

# searches without a better diagram after which there are no more. With 6 of them, up to 8 times the work and
# any gain, 20,000 x 300 took 61.6 s without a limit
PATIENCE = 4
MIN_GAIN = 1e-4  # in the objective


def is_wide(problem: TrainingProblem) -> bool:
    """Return True for a large table of few rows and many columns."""
    data = problem.data
    is_here = isinstance(data, LargeData) and isinstance(data.source, MemoryRows)
    return is_here and data.n_rows < MAX_WIDE_ROWS and data.n_features >= MIN_WIDE_COLUMNS


@dataclass(eq=False)
class WideSearch:
    """The search of one wide problem with univariate splits.

    Attributes
    ----------
    problem : TrainingProblem
    data : LargeData
        Of the problem.
    seed, n_jobs : int
    best : DecisionDiagram or None
        None until one satisfies the constraints.
    """

    problem: TrainingProblem
    data: LargeData
    seed: int
    n_jobs: int
    best: DecisionDiagram | None = None
    objective: float = math.inf
    iterations: int = 0
    interrupted: bool = False

    def run(self, start: DecisionDiagram | None, budget: Budget, emit: Emit) -> SearchResult:
        """Search some columns after the others until nothing gains or the budget is spent."""
        try:
            self._search_columns(start, budget, emit)
        except KeyboardInterrupt:
            self.interrupted = True
        return SearchResult(self.best, self.iterations, self.interrupted)

    def _search_columns(self, start: DecisionDiagram | None, budget: Budget, emit: Emit) -> None:
        if start is not None:
            self._keep(start, budget, emit)
        number, n_unchanged = 0, 0
        while n_unchanged < PATIENCE and not budget.expired and not self.interrupted:
            before, diagram = self.objective, self.best or best_constant(self.problem)
            count = count_columns(self.data.n_rows, budget.remaining())
            columns = self.columns.choose(diagram, count, number, lambda: budget.expired)
            if columns is None:
                return
            self._search(number, columns, budget, emit)
            n_unchanged = 0 if self.objective < before - MIN_GAIN else n_unchanged + 1
            number += 1
            if budget.max_iter is not None:
                return  # its iterations are used up

    def _search(self, number: int, columns: IntArray, budget: Budget, emit: Emit) -> None:
        """Search some columns, every second time from the best diagram."""
        part = budget
        if budget.max_iter is None:
            part = budget.limit_work(FIRST_WORK * min(MAX_SCALE, 2 ** (number // 2)))
        start = self.best if number % 2 else None
        options = LocalSearch(seed=self.seed + number, n_jobs=self.n_jobs)
        result = search_sample(self.problem, np.arange(self.data.n_rows), start, options, part, columns)
        self.iterations += result.iterations
        self.interrupted = result.interrupted
        if result.diagram is not None:
            self._keep(result.diagram, replace(budget, max_work=math.inf), emit)

    def _keep(self, diagram: DecisionDiagram, budget: Budget, emit: Emit) -> None:
        """Keep a diagram if it satisfies the constraints and is better."""
        value = evaluate(self.problem, diagram)
        if value.violation == 0 and value.objective < self.objective:
            self.best, self.objective = diagram, value.objective
            emit(Improved(budget.elapsed(), value.objective, value.n_nodes))

    @cached_property
    def columns(self) -> ColumnChoice:
        """The choice of columns, by some of the rows."""
        data = self.data
        n_scanned = min(data.n_rows, MAX_SCANNED_ROWS)
        rows = np.unique(np.linspace(0, data.n_rows - 1, n_scanned).astype(np.intp))
        cost = row_costs(data.class_weight[rows], data.cost_matrix)
        return ColumnChoice(data.X, rows, cost, self.problem.skeleton.depth, self.seed)
