"""A checked table as a training problem, solved, and its solution back in raw units with a certificate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, Split
from oddlearn.errors import (
    ConstantTableWarning,
    IgnoredFeatureWarning,
    SearchInterruptedWarning,
    UnusedTermLimitWarning,
    WideMarginWarning,
)
from oddlearn.estimators.parameters import Settings
from oddlearn.estimators.progress_line import progress
from oddlearn.estimators.reserved_time import check_seconds, finishing_seconds, has_time_to_centre
from oddlearn.estimators.table_inputs import keeps_raw_rows
from oddlearn.problem.defaults import choose_node_price
from oddlearn.problem.events import Event, Improved
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.robust_scaling import MAX_QUARTILE_ROWS, choose_margin, fit_robust_scaling
from oddlearn.problem.row_passes import find_varying
from oddlearn.problem.scaling import (
    SMALLEST_HALF_SPAN,
    RankScaling,
    RawValues,
    UnitScaling,
    centre_thresholds,
    to_raw_units,
)
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_data import TrainingData, distinct_rows
from oddlearn.problem.training_problem import TrainingProblem, build_problem
from oddlearn.problem.tree_skeleton import choose_tree_skeleton
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import SolveResult, solve_problem
from oddlearn.solve.single_node_check import improve_single_nodes
from oddlearn.solve.solver import Emit, ignore
from oddlearn.streaming.large_table import LargeTable
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import RowSource
from oddlearn.table.encoding import Encoding
from oddlearn.table.training_table import TrainingTable


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """A training problem and the way back to the units of its table."""

    problem: TrainingProblem
    scaling: RankScaling | UnitScaling | RawValues  # by the kind of split and the size of the table
    is_usable: BoolArray  # (n_features,): features of the table that splits may use
    ignored_features: tuple[int, ...] = ()  # features that vary but cannot be used

    def to_raw_units(
        self, diagram: DecisionDiagram, raw_X: FloatArray, budget: Budget | None = None
    ) -> DecisionDiagram:
        """Return a diagram in raw units; ``raw_X`` (m, n_features) are the distinct rows in these.

        Thresholds of a large table stay where they are if there is no time to evaluate them anew.
        """
        data = self.problem.data
        if isinstance(data, LargeData):
            has_time = budget is None or has_time_to_centre(self.problem, budget)
            return centre_thresholds(diagram, data) if has_time else diagram
        if isinstance(self.scaling, RawValues):
            return diagram
        plain = diagram.with_splits(tuple(_drop_weights(split, self.is_usable) for split in diagram.splits))
        return to_raw_units(self.scaling, plain, data.X, raw_X, data.class_weight.sum(axis=1))


def scale_problem(
    table: TrainingTable, settings: Settings, scaling: UnitScaling | None = None
) -> ScaledProblem:
    """Build the training problem of a table: on ranks, or for hyperplanes in the unit box.

    On ranks, a feature with missing values has two columns in the problem, see ``RankScaling``.
    The unit box is that of ``fit_robust_scaling`` unless a scaling is given.
    """
    if isinstance(table, LargeTable):
        prepared = _keep_rows(table.rows, find_varying(table.rows), table, settings)
    elif keeps_raw_rows(table, settings):
        varies = RawValues.varies(table.X)
        rows = MemoryRows.from_arrays(table.X, table.codes, table.weight)
        prepared = _keep_rows(rows, varies, table, settings)
    elif settings.split == "univariate":
        prepared = _scale_to_ranks(table, settings)
    else:
        prepared = _scale_to_unit_box(table, settings, scaling)
    if not prepared.is_usable.any() and not prepared.ignored_features:
        warnings.warn(
            "No feature of X varies: the constant classifier is trained. Give features that vary.",
            ConstantTableWarning,
            stacklevel=4,
        )
    return prepared


def _keep_rows(rows: RowSource, varies: BoolArray, table: TrainingTable, settings: Settings) -> ScaledProblem:
    """Build the problem of a large table on its own values: nothing is sorted, ranked or copied."""
    data = LargeData(rows, table.cost_matrix, table.sample_groups)
    return ScaledProblem(_pose_problem(data, table, settings, 0.0), RawValues(), varies)


def _scale_to_ranks(table: TrainingTable, settings: Settings) -> ScaledProblem:
    scaling, ranks = RankScaling.rank(table.X)
    problem = _build_problem(table, settings, ranks, 0.0)
    return ScaledProblem(problem, scaling, scaling.varies)


def _scale_to_unit_box(
    table: TrainingTable, settings: Settings, scaling: UnitScaling | None
) -> ScaledProblem:
    # of distinct rows, so that a row of weight 2 counts as two rows here too
    rows = np.asarray(table.X, dtype=np.float64)
    representatives = distinct_rows(rows)[0]
    # their order matters only where quartiles are of a sample
    if representatives.size < len(rows) or len(rows) > MAX_QUARTILE_ROWS:
        rows = rows[representatives]
    margin = choose_margin(len(rows)) if settings.margin is None else settings.margin
    scaling = fit_robust_scaling(rows, margin) if scaling is None else scaling
    usable = _varying(scaling) & _weighable(scaling, rows, margin)
    _warn_of_unusable(scaling, usable, table.encoding)
    unit = scaling.apply(table.X)
    unit[:, ~usable] = 0.0
    ignored = np.flatnonzero((scaling.low < scaling.high) & ~usable)
    problem = _build_problem(table, settings, unit, margin)
    return ScaledProblem(problem, scaling, usable, tuple(ignored.tolist()))


def _build_problem(table: TrainingTable, settings: Settings, X: FloatArray, margin: float) -> TrainingProblem:
    data = TrainingData.collect(X, table.codes, table.classes.size, table.weight, table.sample_groups)
    return _pose_problem(data, table, settings, margin)


def _pose_problem(
    data: TrainingData, table: TrainingTable, settings: Settings, margin: float
) -> TrainingProblem:
    price = settings.node_price
    if price is None:
        price = choose_node_price(table.row_weight, data.total_weight)
    skeleton = settings.skeleton
    if skeleton is None:
        skeleton = choose_tree_skeleton(data, price, table.cost_matrix)
    return build_problem(
        data,
        skeleton,
        None,
        settings.split,
        margin,
        table.cost_matrix,
        settings.constraints,
        node_price=price,
        term_limit=_limit_terms(settings, table.encoding, data.n_features),
    )


def _limit_terms(settings: Settings, encoding: Encoding | None, n_features: int) -> TermLimit | None:
    """Return the limit on the columns of a weighted sum, None if there is none or it allows all of them."""
    column_of = range(n_features) if encoding is None else encoding.column_of
    has_own = settings.split == "multivariate" and len(column_of) == n_features
    n_columns = len(set(column_of))
    if has_own and settings.max_terms is not None and settings.max_terms > n_columns:
        warnings.warn(
            f"max_terms is {settings.max_terms}, and X has {n_columns} columns: no weighted sum is limited. "
            f"Give fewer than {n_columns}, or None for no limit.",
            UnusedTermLimitWarning,
            stacklevel=8,
        )
    return TermLimit.build(settings.max_terms, column_of) if has_own else None


def _varying(scaling: UnitScaling) -> BoolArray:
    return np.asarray(scaling.high / 2 - scaling.low / 2 >= SMALLEST_HALF_SPAN)


def _weighable(scaling: UnitScaling, rows: FloatArray, margin: float) -> BoolArray:
    """Return the features whose terms of a weighted sum are exact enough to keep the margin in raw units.

    With weights of absolute sum 1 in the unit box, a sum of d raw terms is off by less than
    2 d eps max|x| / span; it must stay below a quarter of the margin. A robust box is wide enough for that,
    but then the rows may differ by less than the margin in it.
    """
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    largest = np.maximum(np.abs(lowest), np.abs(highest))
    noise = lowest.size * np.finfo(np.float64).eps * (largest / scaling.half_span)
    differs = highest / 2 - lowest / 2 >= margin * scaling.half_span
    return np.asarray((noise <= margin / 4) & differs)


def _warn_of_unusable(scaling: UnitScaling, usable: BoolArray, encoding: Encoding | None) -> None:
    ending = "." if usable.any() else "; no feature is left, and the constant classifier is trained."
    far = np.flatnonzero(_varying(scaling) & ~usable)
    tiny = np.flatnonzero((scaling.low < scaling.high) & ~_varying(scaling))
    if far.size:
        warnings.warn(
            f"The features {_feature_names(far, encoding)} lie too far from 0 for the little they vary, and "
            "multivariate splits ignore them: subtract a constant from them, or use univariate "
            f"splits{ending}",
            IgnoredFeatureWarning,
            stacklevel=6,
        )
    if tiny.size:
        warnings.warn(
            f"The features {_feature_names(tiny, encoding)} vary by less than {2 * SMALLEST_HALF_SPAN:g}, "
            "too little to compute with, and multivariate splits ignore them: multiply them by a constant, "
            f"such as 1e300, or use univariate splits{ending}",
            IgnoredFeatureWarning,
            stacklevel=6,
        )


def _feature_names(features: IntArray, encoding: Encoding | None) -> list[str] | list[int]:
    """Return features for a message: by index, or by name where columns are encoded."""
    if encoding is None:
        return [int(place) for place in features]
    return [encoding.features[place].name for place in features]


def _warn_of_wide_margin(problem: TrainingProblem) -> None:
    """Warn if the rows lie so densely that the margin excludes most hyperplanes.

    m rows spread over the unit box leave gaps of 1 / m along a direction.
    """
    if problem.data.n_rows * problem.margin > 1:
        warnings.warn(
            f"The {problem.data.n_rows} distinct rows lie closer together than epsilon={problem.margin} "
            "along most directions, and no hyperplane may pass between samples that close: for more to "
            f"choose from give a smaller epsilon, such as {0.01 / problem.data.n_rows:.0e}.",
            WideMarginWarning,
            stacklevel=5,
        )


def _drop_weights(split: Split, usable: BoolArray) -> Split:
    # other features are 0 in the problem: a weight there changes nothing, in raw units it would
    if isinstance(split, MultivariateSplit):
        return MultivariateSplit(np.where(usable, split.weights, 0.0), split.threshold)
    return split


def run_fit(
    prepared: ScaledProblem,
    settings: Settings,
    budget: Budget,
    warm_start: DecisionDiagram | None = None,
    emit: Emit = ignore,
) -> SolveResult:
    """Solve a prepared problem, with progress shown, events emitted and warnings given."""
    with progress(settings.verbose, budget.started) as show:

        def report(event: Event) -> None:
            show(event)
            emit(event)

        reserve = finishing_seconds(prepared.problem, budget) + check_seconds(prepared.problem, budget)
        training_budget = budget.without(reserve)
        result = solve_problem(
            prepared.problem, settings.search, training_budget, report, settings.exact, warm_start
        )
    if settings.margin is not None:
        _warn_of_wide_margin(prepared.problem)
    if result.state.interrupted:
        warn_of_interrupt(stacklevel=5)
    return result


def warn_of_interrupt(stacklevel: int) -> None:
    """Warn that Ctrl-C was pressed."""
    warnings.warn(
        "The fit was interrupted: the best diagram found so far is kept.",
        SearchInterruptedWarning,
        stacklevel=stacklevel,
    )


def check_single_nodes(
    prepared: ScaledProblem, result: SolveResult, budget: Budget
) -> tuple[SolveResult, bool]:
    """Improve the diagram by changes of one node; return True if none is left, False if that is not known."""
    state = result.state
    if state.is_optimal or state.interrupted:
        return result, False
    checked = improve_single_nodes(prepared.problem, state.diagram, budget)
    after = state.offer(checked.diagram)
    events = result.events
    if after.objective < state.objective:
        events = (*events, Improved(budget.elapsed(), after.objective, after.evaluation.n_nodes))
    return replace(result, state=after, events=events), checked.is_optimal and not after.interrupted
