"""Candidates from samples, each improved on a larger sample in bins; then on all rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem.evaluate import best_constant
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_table import EdgeChooser, bin_rows
from oddlearn.solve.histogram.column_choice import ColumnChoice, count_columns
from oddlearn.solve.histogram.layer_polish import LayerPolish, StructureLimits
from oddlearn.solve.histogram.projected_rows import ProjectedRows, problem_rows, sample_weight
from oddlearn.solve.histogram.sample_search import Candidate, search_sample
from oddlearn.solve.histogram.threshold_snap import snap_thresholds
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import RowBlock, RowSource

# values of the sample on which candidates are compared, and its rows at least and at most
COMPARED_CELLS = 2_500_000
MIN_COMPARED_ROWS = 20_000
MAX_COMPARED_ROWS = 250_000

# rows at least where they have weighted sums, which need all columns: on 50,000 x 300 test accuracies were
# the same as with 20,000, or higher
MIN_PROJECTED_ROWS = 10_000

# samples of up to so many values, sums among them, are held; sums of larger ones are made in every pass: 0.13
# seconds for 21,739 x 100 with 15 sums
MAX_EXTENDED_CELLS = 2_700_000

# the part of it from which edges are chosen
EDGE_SHARE = 0.2

# rows and seconds of work of the first searches, which begin from nothing: on two teachers like that of
# benchmarks/scale.py five and four of six ended near the best, with 5,000 rows and as much work two and three
N_FIRST = 4
FIRST_ROWS = 2_500
FIRST_WORK = 0.25

# later ones have twice as much every second time, up to 16 times: a search without a time limit must end
MAX_ROWS = 50_000
MAX_SCALE = 16

# and so many values at most: the arrays of a local search take about 30 bytes a value. Fewer rows do not
# concern tables of up to 100 columns
MAX_SEARCHED_CELLS = 4_000_000

# rows from which edges are chosen, at least
MIN_EDGE_ROWS = 5_000

# searches without a better candidate after which there are no more
PATIENCE = 4
MIN_GAIN = 1e-4  # in the objective; a standard error of it is 5e-4 and more on 250,000 rows

# samples of later searches that are read beforehand where the rows are not in memory, and their values
MAX_PREPARED = 12
PREPARED_CELLS = 10_000_000

# tables with more columns are binned in those that a candidate uses
MAX_COLUMNS = 100


@dataclass(eq=False)
class CandidateSearch:
    """The candidates of one problem.

    Attributes
    ----------
    problem : TrainingProblem
    seed, n_jobs : int
    n_counted : int or None
        Number of features by which the size of samples is chosen, None for that of the problem. With the same
        number, problems with different columns have samples of the same rows, which are read once.
    found : list of Candidate
        The best first.
    iterations : int
        Of the local search.
    interrupted : bool
    raw_sample : MemoryRows or None
        The rows on which candidates are compared, without weighted sums, once they are read.
    """

    problem: TrainingProblem
    seed: int
    n_jobs: int
    n_counted: int | None = None
    found: list[Candidate] = field(default_factory=list)
    iterations: int = 0
    interrupted: bool = False
    raw_sample: MemoryRows | None = None

    @cached_property
    def limits(self) -> StructureLimits:
        """The limits that every change keeps."""
        return StructureLimits.from_problem(self.problem)

    @cached_property
    def source(self) -> RowSource:
        """All rows of the problem."""
        return problem_rows(self.problem, self.limits.row_flow)

    @cached_property
    def sample(self) -> MemoryRows | ProjectedRows:
        """The rows on which candidates are compared; weighted sums of many values are made in every pass."""
        source = self.source
        raw = source.source if isinstance(source, ProjectedRows) else source
        if self.raw_sample is None:
            self.raw_sample = MemoryRows.from_block(raw.take(self.compared))
        if not isinstance(source, ProjectedRows):
            return self.raw_sample
        sample = ProjectedRows(self.raw_sample, source.directions)
        if sample.n_rows * sample.n_features > MAX_EXTENDED_CELLS:
            return sample
        return MemoryRows.from_block(sample.take(np.arange(sample.n_rows)))

    @cached_property
    def compared(self) -> IntArray:
        """Numbers of the rows on which candidates are compared, ascending."""
        n_rows = self.problem.data.n_rows
        least = MIN_PROJECTED_ROWS if isinstance(self.source, ProjectedRows) else MIN_COMPARED_ROWS
        count = int(np.clip(COMPARED_CELLS // self._n_counted, least, MAX_COMPARED_ROWS))
        return self._draw(np.random.default_rng(self.seed), min(count, n_rows))

    @property
    def _n_counted(self) -> int:
        return max(1, self.n_counted or self.problem.data.n_features)

    def _take_compared(self, features: IntArray) -> MemoryRows | ProjectedRows:
        """Return the rows of comparison; of a wide table in memory with some features alone."""
        source = self.source
        if features.size == self.problem.data.n_features or not isinstance(source, MemoryRows):
            return self.sample
        return MemoryRows.from_block(source.take_columns(self.compared, features))

    @cached_property
    def edges(self) -> EdgeChooser:
        """Values of some rows, from which edges are chosen."""
        return EdgeChooser(self._edge_block.X)

    @cached_property
    def _edge_block(self) -> RowBlock:
        return self.source.take(self._edge_rows)

    @cached_property
    def _edge_rows(self) -> IntArray:
        count = max(MIN_EDGE_ROWS, int(EDGE_SHARE * self.compared.size))
        return self._draw(np.random.default_rng([self.seed, 1]), min(count, self.problem.data.n_rows))

    def _search_rows(self, number: int) -> IntArray:
        """Return the rows of a search, ascending."""
        most = min(MAX_ROWS, max(FIRST_ROWS, MAX_SEARCHED_CELLS // self._n_counted))
        count = min(self.problem.data.n_rows, FIRST_ROWS * _search_scale(number), most)
        return self._draw(np.random.default_rng([self.seed, 2 + number]), count)

    def list_samples(self) -> list[IntArray]:
        """Return the rows of the samples to come, as many as may be kept."""
        samples, n_kept = [self.compared, self._edge_rows], 0
        for number in range(MAX_PREPARED):
            samples.append(self._search_rows(number))
            n_kept += samples[-1].size * self.problem.data.n_features
            if n_kept > PREPARED_CELLS:
                break
        return samples

    def _draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """Return about so many rows, ascending: of a large table one at random in each of equal parts."""
        n_rows = self.problem.data.n_rows
        if 2 * count > n_rows:
            return np.sort(rng.choice(n_rows, count, replace=False, shuffle=False))
        return np.unique(((np.arange(count) + rng.random(count)) * (n_rows / count)).astype(np.intp))

    def run(self, start: DecisionDiagram | None, budget: Budget) -> None:
        """Search samples one after the other until no better candidate comes or the budget is spent."""
        self.source.prepare_samples(self.list_samples())
        if start is not None:
            self.add(start, budget)
        n_unchanged, number = 0, 0
        while n_unchanged < PATIENCE and not budget.expired and not self.interrupted:
            best = self.found[0].objective if self.found else math.inf
            self._search(number, budget)
            n_unchanged = 0 if self.found and self.found[0].objective < best - MIN_GAIN else n_unchanged + 1
            number += 1
            if budget.max_iter is not None:
                return  # its iterations are used up

    def _search(self, number: int, budget: Budget) -> None:
        """Search one sample, later every second time from the best candidate, and add what was found."""
        later, scale, rows = number - N_FIRST, _search_scale(number), self._search_rows(number)
        start = self.found[0].diagram if self.found and later >= 0 and later % 2 == 0 else None
        options = LocalSearch(seed=self.seed + number, n_jobs=self.n_jobs)
        part = budget if budget.max_iter is not None else budget.limit_work(FIRST_WORK * scale)
        columns = self._choose_columns(number, rows.size, budget)
        result = search_sample(self.problem, rows, start, options, part, columns)
        self.iterations += result.iterations
        self.interrupted = result.interrupted
        if result.diagram is not None:
            self.add(result.diagram, replace(budget, max_work=math.inf))

    def _choose_columns(self, number: int, n_rows: int, budget: Budget) -> IntArray | None:
        """Return the columns of a search, those that promise most for the best candidate; None for all."""
        if self._column_choice is None:
            return None
        diagram = self.found[0].diagram if self.found else best_constant(self.problem)
        return self._column_choice.choose(diagram, count_columns(n_rows, budget.remaining()), number)

    @cached_property
    def _column_choice(self) -> ColumnChoice | None:
        """The choice of columns of a wide table, by the rows from which edges are chosen."""
        problem = self.problem
        if problem.data.n_features < MAX_COLUMNS or not isinstance(problem.data, LargeData):
            return None
        return ColumnChoice.of_block(problem, self._edge_block, self.seed)

    def add(self, diagram: DecisionDiagram, budget: Budget) -> None:
        """Improve a diagram on the rows of comparison and put it in its place."""
        features = self._columns([diagram])
        candidate = self._polish(diagram, self._take_compared(features), features, budget, zoom=False)
        if candidate is None:  # no time was left to compare it
            candidate = Candidate(math.inf, diagram)
        self.found = sorted([*self.found, candidate], key=lambda one: one.sort_key)

    def list_different(self) -> list[Candidate]:
        """Return the candidates, the best first, without those that cost as much as a better one."""
        kept: list[Candidate] = []
        for one in self.found:
            if not kept or not one.objective < kept[-1].objective + MIN_GAIN:
                kept.append(one)
        return kept

    def _columns(self, diagrams: list[DecisionDiagram]) -> IntArray:
        """Return the features to be binned: all of them, or those in use if there are many."""
        n_features = self.problem.data.n_features
        if n_features <= MAX_COLUMNS:
            return np.arange(n_features)
        used = [
            split.feature
            for diagram in [*diagrams, *(candidate.diagram for candidate in self.found)]
            for split in diagram.splits
            if isinstance(split, UnivariateSplit)
        ]
        return np.unique(np.array(used or [0], dtype=np.intp))

    def _polish(
        self,
        diagram: DecisionDiagram,
        rows: RowSource,
        features: IntArray,
        budget: Budget,
        *,
        zoom: bool,
    ) -> Candidate | None:
        """Return a diagram improved on some rows or on all; None if there was no time to begin."""
        problem, is_of_all = self.problem, rows is self.source
        weight = problem.total_weight if is_of_all else sample_weight(rows)
        edges = self.edges.choose(features, [diagram], zoom=zoom)
        table = bin_rows(rows, problem.cost_matrix, weight, features, edges, budget)
        if table is None:
            return None
        binned = BinnedDiagram.from_diagram(problem, table, diagram)
        share = table.total_weight / problem.total_weight
        polish = LayerPolish(problem, table, binned, self.limits, share, self.n_jobs)
        is_done = polish.run(budget)
        if is_of_all:
            n_classes = problem.data.n_classes
            while is_done and snap_thresholds(table, polish.diagram, n_classes, budget):
                is_done = polish.run(budget)
        is_feasible = polish.satisfies_flows(replace(budget, deadline=math.inf)) is True
        better = polish.diagram.to_diagram(problem, table)
        return Candidate(polish.objective(), better, is_feasible, is_of_all)

    def improve_on_all(self, candidate: Candidate, budget: Budget) -> Candidate | None:
        """Return a candidate improved on all rows, with finer bins near its thresholds; None without time."""
        features = self._columns([])
        if self.compared.size < self.problem.data.n_rows:
            rows = self._take_compared(features)
            finer = self._polish(candidate.diagram, rows, features, budget, zoom=True)
            candidate = finer or candidate
        return self._polish(candidate.diagram, self.source, features, budget, zoom=True)


def _search_scale(number: int) -> int:
    """Return how many times the rows and the work of the first searches one has."""
    return 1 if number < N_FIRST else min(MAX_SCALE, int(2 ** (1 + (number - N_FIRST) // 2)))
