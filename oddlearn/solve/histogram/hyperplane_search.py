"""Hyperplanes for large tables: found on samples, then thresholds on weighted sums of the features.

A direction found on a sample becomes a further column of the table, so that the candidates, the bins and the
descent of univariate splits choose among features and directions, and place every threshold. Logistic
regressions of the nodes give new directions, first on the rows of comparison, then on all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import cast

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.problem.events import Improved
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.candidates import MIN_GAIN, CandidateSearch
from oddlearn.solve.histogram.node_regressions import (
    AddSlopes,
    Standardisation,
    SumUnits,
    fit_regressions,
    select_terms,
    to_raw_weights,
)
from oddlearn.solve.histogram.projected_rows import Directions, add_columns, collect_directions
from oddlearn.solve.histogram.sample_search import Candidate, UnitSample
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import Emit, ignore
from oddlearn.streaming.memory_rows import MemoryRows

# values of the sample that hyperplanes are searched on, and its rows at most
SAMPLE_CELLS = 200_000
MAX_SAMPLE_ROWS = 10_000

# shares of the time left: for regressions of two classes, for candidates on features and these, and for a
# local search with hyperplanes
LOGISTIC_SHARE = 0.2
CANDIDATE_SHARE = 0.4
SAMPLE_SHARE = 0.4

# classes of which each pair has a regression
MAX_CLASSES = 4

# rounds of new directions on the rows of comparison, and on all rows
MAX_ROUNDS = 8
MAX_FULL_ROUNDS = 3

# Hessians of wider tables are too large: their directions stay those of the sample
MAX_FEATURES = 300

# seconds of a Newton step on all rows, per row, layer and squared feature
SECONDS_PER_TERM = 3e-10


@dataclass(eq=False)
class HyperplaneSearch:
    """The search of one large problem with hyperplanes.

    Attributes
    ----------
    problem : TrainingProblem
    data : LargeData
        Of the problem.
    seed, n_jobs : int
    logistic : DecisionDiagram or None
        The logistic regression of a table with two classes, on the rows of comparison.
    """

    problem: TrainingProblem
    data: LargeData
    seed: int
    n_jobs: int
    logistic: DecisionDiagram | None = None
    best: DecisionDiagram | None = None
    objective: float = math.inf
    iterations: int = 0
    interrupted: bool = False
    _directions: Directions = field(init=False)
    _candidates: CandidateSearch = field(init=False)

    def run(self, start: DecisionDiagram | None, budget: Budget, emit: Emit) -> None:
        """Search samples, choose among features and directions, and improve directions while they gain."""
        diagrams = [] if start is None or start.n_nodes == 0 else [start]
        self._add_columns(diagrams, np.empty((0, self.data.n_features)))
        self.data.source.prepare_samples([*self._candidates.list_samples(), self._sample_rows])
        diagrams += self._fit_classes(budget.share(LOGISTIC_SHARE))
        self._compare(diagrams, budget)
        self._candidates.run(None, budget.share(CANDIDATE_SHARE))
        self._collect()
        if not self.interrupted and not budget.expired:
            best = [self._directions.to_hyperplanes(one.diagram) for one in self._candidates.found[:1]]
            self._compare([*best, *self._search_sample(budget.share(SAMPLE_SHARE))], budget)
        if not self.interrupted:
            self._refine_on_sample(budget)
        self._improve_on_all(budget, emit)

    def _compare(self, diagrams: list[DecisionDiagram], budget: Budget) -> None:
        """Make columns of the directions of some diagrams and improve these on the rows of comparison."""
        self._add_columns(diagrams, np.empty((0, self.data.n_features)))
        for diagram in diagrams:
            self._candidates.add(self._directions.to_columns(diagram), budget)

    def _collect(self) -> None:
        self.iterations += self._candidates.iterations
        self.interrupted = self.interrupted or self._candidates.interrupted

    def _fit_classes(self, budget: Budget) -> list[DecisionDiagram]:
        """Return logistic regressions of two classes each, of those with most weight."""
        if self._is_wide:
            return []
        heaviest = np.sort(np.argsort(-self.data.class_totals, kind="stable")[:MAX_CLASSES]).tolist()
        found = []
        for pair in combinations(heaviest, 2):
            split = self._fit_pair(pair, budget)
            if split is not None:
                found.append(self._stump(split, pair))
        self.logistic = found[0] if len(found) == 1 else None
        return found

    def _fit_pair(self, pair: tuple[int, int], budget: Budget) -> MultivariateSplit | None:
        """Return the logistic regression of two classes on the rows of comparison."""
        any_split = UnivariateSplit(0, 0.0)  # all rows reach the root
        standard, coefficients = self._regress(self._stump(any_split, pair), budget)
        if coefficients is None:
            return None
        weights = to_raw_weights(coefficients, standard)
        if not len(weights):
            return None
        heaviest = int(np.abs(coefficients[0, :-1]).argmax())
        unit = standard.scale[heaviest] / abs(coefficients[0, heaviest])
        threshold = float(weights[0] @ standard.offset - coefficients[0, -1] * unit)
        return MultivariateSplit(weights[0], threshold)

    def _stump(self, split: Split, pair: tuple[int, int]) -> DecisionDiagram:
        negative, positive, layer = np.array([1 + pair[0]]), np.array([1 + pair[1]]), np.array([0])
        return DecisionDiagram((split,), negative, positive, layer, self.data.n_classes, self.data.n_features)

    @property
    def _sample_rows(self) -> IntArray:
        """Numbers of the rows that hyperplanes are searched on, ascending."""
        n_rows = min(MAX_SAMPLE_ROWS, max(1000, SAMPLE_CELLS // self.data.n_features), self.data.n_rows)
        return np.unique(np.linspace(0, self.data.n_rows - 1, n_rows).astype(np.intp))

    def _search_sample(self, budget: Budget) -> list[DecisionDiagram]:
        """Return the diagram of a local search on a sample, in raw units."""
        sample = UnitSample.take(self.problem, self._sample_rows)
        search = LocalSearch(seed=self.seed, n_jobs=self.n_jobs)
        result = search.search(sample.problem, None, budget, ignore)
        self.iterations, self.interrupted = self.iterations + result.iterations, result.interrupted
        return [] if result.diagram is None else sample.list_raw([result.diagram])

    def _add_columns(self, diagrams: list[DecisionDiagram], weights: FloatArray) -> None:
        """Give the problem the directions of some diagrams and further ones as columns."""
        own = collect_directions(diagrams, self.data.n_features).weights
        self._directions = Directions(np.ascontiguousarray(np.vstack([own, weights])))
        extended = add_columns(self.problem, self.data, self._directions)
        n_counted = self.data.n_features + self.problem.skeleton.n_nodes
        before = getattr(self, "_candidates", None)
        self._candidates = CandidateSearch(extended, self.seed, self.n_jobs, n_counted)
        self._candidates.raw_sample = None if before is None else before.raw_sample

    def _refine_on_sample(self, budget: Budget) -> None:
        """Add the directions of the nodes' regressions on the rows of comparison, while that gains."""
        for _ in range(MAX_ROUNDS):
            best = self._candidates.found[0] if self._candidates.found else None
            if best is None or budget.expired or best.diagram.n_nodes == 0 or self._is_wide:
                return
            standard, coefficients = self._regress(best.diagram, budget)
            if coefficients is None:
                return
            diagram, before = self._directions.to_hyperplanes(best.diagram), self._candidates
            directions = self._directions
            self._add_columns([diagram], to_raw_weights(coefficients, standard))
            self._candidates.add(self._directions.to_columns(diagram), budget)
            after = self._candidates.found[0] if self._candidates.found else None
            if after is None or not after.objective < best.objective - MIN_GAIN:
                if after is None or after.sort_key > best.sort_key:
                    self._candidates, self._directions = before, directions
                return

    @property
    def _is_wide(self) -> bool:
        return self.data.n_features > MAX_FEATURES

    def _regress(
        self, diagram: DecisionDiagram, budget: Budget, *, on_all: bool = False
    ) -> tuple[Standardisation, FloatArray | None]:
        """Return coefficients of the regressions of all nodes on the rows of comparison, or on all."""
        sample, n_features = self._candidates.sample, self.data.n_features
        raw = cast(MemoryRows, self._candidates.raw_sample).X
        standard = Standardisation.from_rows(raw)
        start = np.zeros((diagram.n_nodes, n_features + 1))
        largest = self.data.source.weights.largest * float(self.data.cost_matrix.max())
        extremes = np.array([raw.min(axis=0), raw.max(axis=0)])
        units = SumUnits.choose(standard.apply(extremes), largest)
        work = AddSlopes(diagram, n_features, standard, start, self.data.cost_matrix, units)
        found = fit_regressions(sample, work, budget)
        allowed = None
        if found is not None and self.problem.term_limit is not None:
            allowed = select_terms(self.problem.term_limit, found)
            found = fit_regressions(sample, work, budget, allowed=allowed)
        if found is not None and on_all:
            some = replace(work, coefficients=found)
            found = fit_regressions(self._candidates.source, some, budget, 1, allowed)
        return standard, found

    def _improve_on_all(self, budget: Budget, emit: Emit) -> None:
        """Improve the best candidate on all rows, with new directions as long as these gain."""
        for number in range(MAX_FULL_ROUNDS):
            if not self._candidates.found or (number and not self._has_time_for_step(budget)):
                return
            candidate = self._candidates.found[0]
            if number and not self._is_wide and candidate.diagram.n_nodes:
                candidate = self._renew(candidate, budget)
            better = self._candidates.improve_on_all(candidate, budget)
            before = self.objective
            self._keep(better or candidate, budget, emit)
            if better is None or not self.objective < before - MIN_GAIN:
                return
            self._candidates.found = [better]

    def _renew(self, candidate: Candidate, budget: Budget) -> Candidate:
        """Return the candidate on columns with the directions of regressions on all rows."""
        standard, coefficients = self._regress(candidate.diagram, budget, on_all=True)
        if coefficients is None:
            return candidate
        diagram = self._directions.to_hyperplanes(candidate.diagram)
        self._add_columns([diagram], to_raw_weights(coefficients, standard))
        renewed = replace(candidate, diagram=self._directions.to_columns(diagram), objective=math.inf)
        self._candidates.found = [renewed]
        return renewed

    def keep_candidate(self) -> None:
        """Keep the best candidate of a search that was interrupted, if there is nothing better."""
        found = getattr(self, "_candidates", None)
        if self.best is None and found is not None and found.found and found.found[0].is_feasible:
            self.best = self._directions.to_hyperplanes(found.found[0].diagram)

    def _keep(self, candidate: Candidate, budget: Budget, emit: Emit) -> None:
        objective = candidate.objective if candidate.is_of_all else math.inf
        if not candidate.is_feasible or (self.best is not None and not objective < self.objective):
            return
        self.best, self.objective = self._directions.to_hyperplanes(candidate.diagram), objective
        if math.isfinite(objective):
            emit(Improved(budget.elapsed(), objective, candidate.diagram.n_nodes))

    def _has_time_for_step(self, budget: Budget) -> bool:
        terms = self.data.n_rows * self.problem.skeleton.depth * (self.data.n_features + 10) ** 2
        return budget.remaining() > 2 * (SECONDS_PER_TERM * terms + self.data.source.pass_seconds)
