"""Lower bounds for large tables: the best single split, and the optima of disjoint groups of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evidence import SKIPPED
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.scaling import RankScaling
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.best_large_stump import BINS, find_large_stump
from oddlearn.solve.histogram.candidates import CandidateSearch
from oddlearn.solve.histogram.sample_search import merge_rows, rank_diagram, take_sample
from oddlearn.solve.histogram.stump_columns import LargeStump
from oddlearn.solve.histogram.two_level import TwoLevelSearch, bound_two_levels
from oddlearn.solve.histogram.wide_search import is_wide
from oddlearn.solve.solver import Emit, ignore
from oddlearn.solve.state import MIN_SAVING, SolveState
from oddlearn.streaming.memory_rows import MemoryRows

# of the best single split, per value: 1 million x 20 took 0.2 s
SECONDS_PER_VALUE = 1.5e-8

# columns x bins x classes that are counted
MAX_COUNTS = 20_000_000

# rows of a group: of 20,000 the optimum of three nodes was 0.251 where that of all was at most 0.253
GROUP_ROWS = 20_000

# seconds for one group at least, and nodes at most: of more nodes the branch and bound proves next to nothing
MIN_GROUP_SECONDS = 0.2
MAX_GROUP_NODES = 3

# seconds of a pair of columns, by rows and by classes, and classes at most
SECONDS_PER_COUNT = 1.5e-9
SECONDS_PER_CLASS = 2e-3
MAX_PAIR_CLASSES = 10

PAIRS = "counts by pairs of columns: the best two-level diagram at edges of bins costs {:.6g} of all weight"
STUMP = "the best single split, by bins of all rows, and by raw values where one could be better"
EDGES = "not proved: not all raw values are compared; the best single split found costs {:.6g} of all weight"


@dataclass(frozen=True)
class LargeBounds:
    """Bounds on univariate splits of a large table, as far as there is time.

    The best single split is found exactly in two passes. For a root and nodes below it, counts by the bins of
    all pairs of columns give the best diagram at edges, and a bound on all others. In the time that is left
    the rows are divided into groups: a diagram costs on all rows what it costs on the groups together, so the
    bounds of the groups add up. Each is that of the branch and bound in its share of the time.

    Parameters
    ----------
    seed : int
    uses_groups : bool
        False for the single split alone.
    """

    seed: int = 0
    uses_groups: bool = True

    name: ClassVar[str] = "large_bounds"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why there are no such bounds."""
        if problem.split == "univariate" and isinstance(problem.data, LargeData):
            return []
        return [f'The solver "{self.name}" takes large tables with univariate splits only.']

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds while there is time, and offer the best single split."""
        data = state.problem.data
        if not isinstance(data, LargeData) or state.problem.split != "univariate":
            return state
        if not is_wide(state.problem):  # the single splits of a wide table are tried before the search
            state = self._bound_single_split(state, data, budget)
        if not self.uses_groups or state.is_finished:
            return state
        state = self._bound_two_levels(state, data, budget)
        if state.is_finished:
            return state
        return bound_by_groups(state, data.n_rows, self.seed, budget)

    def _bound_single_split(self, state: SolveState, data: LargeData, budget: Budget) -> SolveState:
        started = budget.elapsed()
        seconds = SECONDS_PER_VALUE * data.n_rows * data.n_features
        if seconds > budget.remaining() or data.n_features * BINS * data.n_classes > MAX_COUNTS:
            text = f"because the best single split takes about {seconds:.1f} s"
            return state.tighten(state.bounds, Evidence("best_stump", 0.0, text, 0.0, status=SKIPPED))
        chooser = CandidateSearch(state.problem, self.seed, 1).edges
        edges = chooser.choose(np.arange(data.n_features), [state.diagram], zoom=True)
        stump = find_large_stump(data, edges, budget)
        if stump is None:
            return state
        text = STUMP if stump.is_complete else EDGES.format(stump.cost / data.total_weight)
        bounds = state.bounds.tightened(1, stump.cost) if stump.is_complete else state.bounds
        lower_bound = bounds.lower_bound(state.problem)
        state = state.tighten(bounds, Evidence("best_stump", lower_bound, text, budget.elapsed() - started))
        is_better = stump.cost < state.evaluation.cost and state.evaluation.n_nodes <= 1
        return state.offer(build_stump(stump, data)) if is_better else state

    def _bound_two_levels(self, state: SolveState, data: LargeData, budget: Budget) -> SolveState:
        """Bound diagrams of two levels, and offer the best one at edges of bins."""
        problem, started = state.problem, budget.elapsed()
        reason = _skips_pairs(problem, data, budget)
        if reason or not isinstance(data.source, MemoryRows):
            return state.tighten(state.bounds, Evidence("column_pairs", 0.0, reason, 0.0, status=SKIPPED))
        chooser = CandidateSearch(problem, self.seed, 1).edges
        edges = chooser.choose(np.arange(data.n_features), [])
        pairs = TwoLevelSearch.build(data, data.source, edges)
        sides = pairs.sum_sides(budget)
        if sides is None:
            return state
        one, two = bound_two_levels(pairs.columns, sides)
        bounds = state.bounds.tightened(2, one)
        if problem.skeleton.n_nodes > 2:
            bounds = bounds.tightened(3, two)
        price = problem.node_price * problem.total_weight
        limit = state.objective * problem.total_weight
        best, diagram = pairs.build_diagram(sides, price, problem.skeleton.widths[1], limit)
        text = PAIRS.format(best / problem.total_weight)
        lower_bound = bounds.lower_bound(problem)
        evidence = Evidence("column_pairs", lower_bound, text, budget.elapsed() - started)
        state = state.tighten(bounds, evidence)
        return state if diagram is None else state.offer(diagram)


def _skips_pairs(problem: TrainingProblem, data: LargeData, budget: Budget) -> str:
    """Return why diagrams of two levels are not bounded by pairs of columns; empty if they are."""
    if problem.skeleton.depth != 2 or problem.skeleton.n_nodes > MAX_GROUP_NODES:
        return f"because pairs of columns are for two levels of at most {MAX_GROUP_NODES} nodes"
    if not isinstance(data.source, MemoryRows):
        return "because pairs of columns are counted of rows in memory only"
    if data.n_classes > MAX_PAIR_CLASSES:
        return f"because pairs of columns are counted of at most {MAX_PAIR_CLASSES} classes"
    per_pair = SECONDS_PER_COUNT * data.n_rows + SECONDS_PER_CLASS * data.n_classes
    seconds = per_pair * data.n_features * (data.n_features + 1) / 2
    if seconds > budget.remaining():
        return f"because counting all pairs of columns takes about {seconds:.1f} s"
    return ""


def build_stump(stump: LargeStump, data: LargeData) -> DecisionDiagram | None:
    """Return the diagram of a single split; None if there is none, or if both sides have the same class.

    The cost of such a split may differ from that of the constant by the rounding of sums of weights.
    """
    if stump.split is None or stump.classes[0] == stump.classes[1]:
        return None
    arcs = (np.array([1 + stump.classes[0]]), np.array([1 + stump.classes[1]]), np.array([0]))
    return DecisionDiagram((stump.split,), *arcs, data.n_classes, data.n_features)


def bound_by_groups(state: SolveState, n_rows: int, seed: int, budget: Budget) -> SolveState:
    """Return the state with the sum of the bounds of disjoint groups of rows.

    It ends when the first group has used its share of the time and nothing was proved for two nodes.
    """
    started, n_groups = budget.elapsed(), -(-n_rows // GROUP_ROWS)
    reason = _skips_groups(state.problem, n_groups, budget)
    if reason:
        return state.tighten(state.bounds, Evidence("row_groups", 0.0, reason, 0.0, status=SKIPPED))
    total, n_done = np.zeros(state.problem.skeleton.n_nodes), 0
    for number in range(n_groups):
        share = budget.remaining() / (n_groups - number)
        if budget.expired:
            break
        rows = np.arange(number, n_rows, n_groups)
        costs = bound_group(state, rows, seed, budget.at_most(share))
        if costs is None:
            return replace(state, interrupted=True)
        total, n_done = total + costs, number + 1
        if number == 0 and total.size > 1 and total[1] <= 0:
            break
    bounds = state.bounds.merged(NodeCountBounds(total))
    text = f"bounds of {n_done} of {n_groups} disjoint groups of rows, added up"
    evidence = Evidence("row_groups", bounds.lower_bound(state.problem), text, budget.elapsed() - started)
    return state.tighten(bounds, evidence)


def _skips_groups(problem: TrainingProblem, n_groups: int, budget: Budget) -> str:
    """Return why groups of rows are not worth a try; empty if they are."""
    if problem.skeleton.n_nodes > MAX_GROUP_NODES:
        return f"because bounds of groups of rows are for skeletons of at most {MAX_GROUP_NODES} nodes"
    if math.isinf(budget.remaining()):
        return "because no time limit is given: bounds of groups of rows use what the search leaves of it"
    if budget.remaining() < n_groups * MIN_GROUP_SECONDS:
        return f"because {n_groups} groups of rows need at least {MIN_GROUP_SECONDS} s each"
    return ""


def bound_group(state: SolveState, rows: IntArray, seed: int, budget: Budget) -> FloatArray | None:
    """Return lower bounds on what diagrams with at most k nodes cost on some rows; None if interrupted.

    Constraints are left out: the bounds hold for all diagrams.
    """
    problem = state.problem
    free = LinearRows.none(problem.layout.size)
    part = take_sample(replace(problem, rows=free, constraint_blocks=()), rows)
    scaling, ranks = RankScaling.rank(part.data.X)
    group = merge_rows(replace(part, data=replace(part.data, X=ranks)))
    start = rank_diagram(scaling, state.diagram, ranks.shape[1])
    own = SolveState.initial(group).offer(start, trusted=False)
    if BranchAndBound().unsupported_reasons(group):
        return np.zeros(problem.skeleton.n_nodes)
    found = BranchAndBound(seed=seed).run(own, budget, ignore)
    if found.interrupted:
        return None
    # a diagram need not use all of its nodes on these rows; a first split that saves next to nothing is not
    # searched for
    least = np.minimum.accumulate(found.bounds.cost) - MIN_SAVING * group.total_weight
    return np.maximum(0.0, least)
