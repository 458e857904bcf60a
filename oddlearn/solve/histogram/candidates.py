"""Candidates from samples, each improved on a larger sample in bins; then on all rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from oddlearn.solve.histogram.binned_table import BinnedTable, EdgeChooser, bin_rows
from oddlearn.solve.histogram.column_choice import ColumnChoice, count_columns
from oddlearn.solve.histogram.layer_polish import LayerPolish, StructureLimits
from oddlearn.solve.histogram.projected_rows import ProjectedRows, problem_rows, sample_weight
from oddlearn.solve.histogram.sample_draws import N_SCALES, SampleDraws
from oddlearn.solve.histogram.sample_search import Candidate, search_sample
from oddlearn.solve.histogram.threshold_snap import snap_thresholds
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import RowBlock, RowSource

# samples of up to so many values, weighted sums among them, are held; sums of larger ones are made in every
# pass: 0.13 seconds for 21,739 x 100 with 15 sums
MAX_EXTENDED_CELLS = 2_700_000

# seconds of work of a search from nothing, of 15 nodes; others have as much a node, at most twice as much in
# all. And how many a chain begins with
FIRST_WORK = 0.25
WORK_NODES, MAX_EFFORT = 15, 2.0
N_FIRST = 4

# of a search from the best diagram of its chain. On flights (252,582 x 18, three seeds, 13 s) the mean
# objective was 0.2093, with twice the work on as many rows more 0.2095, as before chains 0.2104
ROUND_WORK = 0.12

# searches without a gain after which samples have twice as many rows; after four sizes a chain ends
ROUNDS_PER_SCALE = 3
MIN_GAIN = 1e-4  # in the objective; a standard error of it is 5e-4 and more on 250,000 rows

MAX_CHAINS = 6  # a search without a time limit must end

# tables with more columns are binned in those that one of the best candidates uses
MAX_COLUMNS = 100
N_MIXED = 12

Diagrams = Sequence[DecisionDiagram]


@dataclass(eq=False)
class CandidateSearch:
    """The candidates of one problem.

    Attributes
    ----------
    problem : TrainingProblem
    seed, n_jobs : int
    n_counted : int or None
        Number of features by which the size of samples is chosen, None for that of the problem. The samples
        of problems with the same number have the same rows, which are read once.
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
    n_searches: int = field(default=0, init=False)  # samples searched so far
    _compared_table: BinnedTable | None = field(default=None, init=False)

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
            self.raw_sample = MemoryRows.from_block(raw.take(self._draws.compared))
        if not isinstance(source, ProjectedRows):
            return self.raw_sample
        sample = ProjectedRows(self.raw_sample, source.directions)
        if sample.n_rows * sample.n_features > MAX_EXTENDED_CELLS:
            return sample
        return MemoryRows.from_block(sample.take(np.arange(sample.n_rows)))

    @cached_property
    def _draws(self) -> SampleDraws:
        data = self.problem.data
        n_counted, has_sums = self.n_counted or data.n_features, isinstance(self.source, ProjectedRows)
        return SampleDraws(data.n_rows, max(1, n_counted), self.seed, has_sums)

    def _take_compared(self, features: IntArray) -> MemoryRows | ProjectedRows:
        """Return the rows of comparison; of a wide table in memory with some features alone."""
        source = self.source
        if features.size == self.problem.data.n_features or not isinstance(source, MemoryRows):
            return self.sample
        return MemoryRows.from_block(source.take_columns(self._draws.compared, features))

    @cached_property
    def edges(self) -> EdgeChooser:
        """Values of some rows, from which edges are chosen."""
        return EdgeChooser(self._edge_block.X)

    @cached_property
    def _edge_block(self) -> RowBlock:
        return self.source.take(self._draws.edge_rows)

    def list_samples(self) -> list[IntArray]:
        """Return the rows of the samples to come, as many as may be kept."""
        draws = self._draws
        return [draws.compared, draws.edge_rows, *draws.list_searched(self.problem.data.n_features)]

    def run(self, start: DecisionDiagram | None, budget: Budget) -> None:
        """Search in chains until two of them end alike, there were enough, or the budget is spent."""
        self.source.prepare_samples(self.list_samples())
        if start is not None:
            self.add(start, budget)
        for number in range(MAX_CHAINS):
            before = self.found[0].objective if self.found else math.inf
            new = self._search_from_nothing(budget)
            if not new:
                return
            # the first chain begins with what there was before, too
            end = self._improve_in_chain(_best(new if number else self.found), budget)
            if self._is_over(budget) or (number and abs(end.objective - before) < MIN_GAIN):
                return

    def _is_over(self, budget: Budget) -> bool:
        """Return True if there is no time for another search; given iterations are used up by one."""
        return budget.expired or self.interrupted or (budget.max_iter is not None and self.n_searches > 0)

    def _search_from_nothing(self, budget: Budget) -> list[Candidate]:
        """Return the diagrams of several searches."""
        found: list[Candidate] = []
        while len(found) < N_FIRST and not self._is_over(budget):
            found += self._search(None, 1, FIRST_WORK, budget)
        return found

    def _improve_in_chain(self, present: Candidate, budget: Budget) -> Candidate:
        """Search samples from the best diagram so far until none gains, and return it."""
        n_unchanged = 0
        while n_unchanged < ROUNDS_PER_SCALE * N_SCALES and not self._is_over(budget):
            scale = 2 ** (n_unchanged // ROUNDS_PER_SCALE)
            found = self._search(present.diagram, scale, ROUND_WORK * scale, budget)
            better = _best([present, *found])
            n_unchanged = 0 if better.objective < present.objective - MIN_GAIN else n_unchanged + 1
            present = better
        return present

    def _search(
        self, start: DecisionDiagram | None, scale: int, work: float, budget: Budget
    ) -> list[Candidate]:
        """Search one sample and add what was found, if anything."""
        number = self.n_searches
        self.n_searches += 1
        rows = self._draws.draw_searched(number, scale)
        options = LocalSearch(seed=self.seed + number, n_jobs=self.n_jobs)
        work *= min(MAX_EFFORT, self.problem.skeleton.n_nodes / WORK_NODES)
        part = budget if budget.max_iter is not None else budget.limit_work(work)
        columns = self._choose_columns(start, number, rows.size, budget)
        result = search_sample(self.problem, rows, start, options, part, columns)
        self.iterations, self.interrupted = self.iterations + result.iterations, result.interrupted
        if result.diagram is None:
            return []
        rest = replace(budget, max_work=math.inf)
        return [self._insert(result.diagram, self._bin_compared(result.diagram, rest), rest)]

    def _choose_columns(
        self, start: DecisionDiagram | None, number: int, n_rows: int, budget: Budget
    ) -> IntArray | None:
        """Return the columns that promise most for a start or else for the best candidate; None for all."""
        if self._column_choice is None:
            return None
        diagram = start or (self.found[0].diagram if self.found else best_constant(self.problem))
        return self._column_choice.choose(diagram, count_columns(n_rows, budget.remaining()), number)

    @cached_property
    def _column_choice(self) -> ColumnChoice | None:
        """The choice of columns of a wide table, by the rows from which edges are chosen."""
        problem = self.problem
        if problem.data.n_features < MAX_COLUMNS or not isinstance(problem.data, LargeData):
            return None
        return ColumnChoice.of_block(problem, self._edge_block, self.seed)

    def add(self, diagram: DecisionDiagram, budget: Budget) -> None:
        """Improve a diagram on the rows of comparison, in bins of its own, and put it in its place."""
        features = self._columns([diagram])
        self._insert(diagram, self._bin(self._take_compared(features), features, [diagram], budget), budget)

    def _insert(self, diagram: DecisionDiagram, table: BinnedTable | None, budget: Budget) -> Candidate:
        """Improve a diagram on a table, None if there was no time to make it, and put it in its place."""
        candidate = Candidate(math.inf, diagram) if table is None else self._polish(diagram, table, budget)
        self.found = sorted([*self.found, candidate], key=lambda one: one.sort_key)
        return candidate

    def _bin_compared(self, diagram: DecisionDiagram, budget: Budget) -> BinnedTable | None:
        """Return the rows of comparison in bins, once for all diagrams of the search if columns are few."""
        features = self._columns([diagram])
        if features.size < self.problem.data.n_features:
            return self._bin(self._take_compared(features), features, [diagram], budget)
        if self._compared_table is None:
            before = [one.diagram for one in self.found]
            self._compared_table = self._bin(self.sample, features, before, budget)
        return self._compared_table

    def list_different(self) -> list[Candidate]:
        """Return the candidates, the best first, without those that cost as much as a better one."""
        kept: list[Candidate] = []
        for one in self.found:
            if not kept or not one.objective < kept[-1].objective + MIN_GAIN:
                kept.append(one)
        return kept

    def _columns(self, diagrams: Diagrams) -> IntArray:
        """Return the features to be binned: all of them, or those in use if there are many."""
        n_features = self.problem.data.n_features
        if n_features <= MAX_COLUMNS:
            return np.arange(n_features)
        used = [
            split.feature
            for diagram in [*diagrams, *(candidate.diagram for candidate in self.found[:N_MIXED])]
            for split in diagram.splits
            if isinstance(split, UnivariateSplit)
        ]
        return np.unique(np.array(used or [0], dtype=np.intp))

    def _bin(
        self, rows: RowSource, features: IntArray, diagrams: Diagrams, budget: Budget, *, zoom: bool = False
    ) -> BinnedTable | None:
        """Return some rows or all in bins, the thresholds of diagrams among their edges."""
        weight = self.problem.total_weight if rows is self.source else sample_weight(rows)
        edges = self.edges.choose(features, diagrams, zoom=zoom)
        return bin_rows(rows, self.problem.cost_matrix, weight, features, edges, budget)

    def _polish(self, diagram: DecisionDiagram, table: BinnedTable, budget: Budget) -> Candidate:
        """Return a diagram improved on the rows of a table."""
        problem, is_of_all = self.problem, table.source is self.source
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
        if self._draws.compared.size < self.problem.data.n_rows:
            rows = self._take_compared(features)
            candidate = self._improve(candidate, rows, features, budget) or candidate
            del rows
            self._forget_sample()
        return self._improve(candidate, self.source, features, budget)

    def _forget_sample(self) -> None:
        """Make room for all rows in bins: 20 MB. Rows in memory are taken again in no time."""
        if isinstance(self.source, MemoryRows):
            vars(self).pop("sample", None)
            self.raw_sample = self._compared_table = None

    def _improve(self, one: Candidate, rows: RowSource, used: IntArray, budget: Budget) -> Candidate | None:
        """Return a candidate improved on some rows or on all, with finer bins; None without time."""
        table = self._bin(rows, used, [one.diagram], budget, zoom=True)
        return None if table is None else self._polish(one.diagram, table, budget)


def _best(candidates: Sequence[Candidate]) -> Candidate:
    return min(candidates, key=lambda one: one.sort_key)
