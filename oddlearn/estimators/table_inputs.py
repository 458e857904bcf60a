"""The training table of a fit: arrays, frames, files in batches, Dask collections; which keep their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from oddlearn.constraints.parsimony import MaxDepth, MaxNodes, MaxNodesPerLayer
from oddlearn.constraints.stability import MinFlow, MinFlowPerArc
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.estimators.parameters import Settings
from oddlearn.problem.row_passes import take_first_sample
from oddlearn.problem.training_data import distinct_rows
from oddlearn.solve import large_tables
from oddlearn.streaming.available_memory import available_bytes
from oddlearn.streaming.batch_profile import ProfileBatches, TableProfile
from oddlearn.streaming.dask_batches import DaskBatches, is_dask, open_dask
from oddlearn.streaming.dask_rows import DaskRows, compute_batches, profile_dask
from oddlearn.streaming.dask_tasks import TaskRunner
from oddlearn.streaming.file_batches import FileBatches, is_file_table, open_batches
from oddlearn.streaming.large_table import LargeTable, LearnedTable, collect_samples
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import RowSource
from oddlearn.streaming.streamed_rows import StreamedRows
from oddlearn.table.encoding import Encoding
from oddlearn.table.samples import LabelledSamples
from oddlearn.table.training_table import TrainingTable, check_training_table

# the share of the memory at hand that a table may have which has to be read as a whole
MEMORY_SHARE = 0.25

# if fewer than this share of the first sample differ, equal rows are put together
MAX_MERGED_SHARE = 0.5

# the rows that differ in these columns are counted first: often they are enough
MERGE_COLUMNS = 50

# those that the search by histograms keeps; the first three also of rows that are not in memory
NODE_LIMITS = (MaxNodes, MaxNodesPerLayer, MaxDepth)
HISTOGRAM_CONSTRAINTS = (*NODE_LIMITS, MinFlow, MinFlowPerArc)


def read_training_table(
    estimator: BaseEstimator,
    settings: Settings,
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    sample_weight: Any,  # noqa: ANN401
    sensitive_features: object = None,
    *,
    encoding: Encoding | None = None,
) -> TrainingTable:
    """Check a training table; one that is large and not in memory stays where it is."""
    if isinstance(X, FileBatches) or is_file_table(X):
        _refuse_groups(sensitive_features)
        batches = X if isinstance(X, FileBatches) else open_batches(X, y, sample_weight)
        return _read_files(estimator, settings, batches, encoding)
    if is_dask(X):
        _refuse_groups(sensitive_features)
        return _read_dask(estimator, settings, open_dask(X, y, sample_weight), encoding)
    return check_training_table(estimator, X, y, sample_weight, sensitive_features, encoding=encoding)


def _refuse_groups(sensitive_features: object) -> None:
    if sensitive_features is not None:
        raise UnsupportedError(
            "Groups (sensitive_features) need a table in memory: read it into a frame, and give that."
        )


def _read_files(
    estimator: BaseEstimator, settings: Settings, batches: FileBatches, encoding: Encoding | None
) -> TrainingTable:
    """Read files: small tables into memory, large ones in passes."""
    profile = profile_files(batches)

    def open_rows(learned: LearnedTable) -> RowSource:
        return StreamedRows(batches, learned.encoder, learned.n_rows, learned.weights)

    table = _keep_large(estimator, settings, profile, encoding, open_rows)
    return table or _read_whole(estimator, batches.read(), encoding)


def _read_dask(
    estimator: BaseEstimator, settings: Settings, given: DaskBatches, encoding: Encoding | None
) -> TrainingTable:
    """Read Dask collections: small tables into memory, large ones by tasks."""
    runner = TaskRunner.current()
    profile, sizes = profile_dask(runner, given)

    def open_rows(learned: LearnedTable) -> RowSource:
        return DaskRows(runner, given, learned.encoder, sizes, learned.weights)

    table = _keep_large(estimator, settings, profile, encoding, open_rows)
    return table or _read_whole(estimator, compute_batches(runner, given), encoding)


def _keep_large(
    estimator: BaseEstimator,
    settings: Settings,
    profile: TableProfile,
    encoding: Encoding | None,
    open_rows: Callable[[LearnedTable], RowSource],
) -> LargeTable | None:
    """Return a large table that stays where it is; None for one that is to be read as a whole."""
    if profile.n_rows < large_tables.LARGE_ROWS:
        return None
    learned = LearnedTable.from_profile(estimator, profile, encoding)
    if not large_tables.is_large(profile.n_rows, learned.encoder.n_features, profile.classes().size):
        return None
    reason = unsupported_reason(settings)
    if reason is None and settings.split == "multivariate":
        learned = learned if encoding is not None else learned.fill_medians(open_rows)
        return learned.to_table(open_rows(learned))
    rows = open_rows(learned)
    if reason is None and keeps_rows_of(rows):
        return learned.to_table(rows)
    _check_memory(profile, reason)
    return None


def _read_whole(
    estimator: BaseEstimator, batches: Iterable[LabelledSamples], encoding: Encoding | None
) -> TrainingTable:
    samples = collect_samples(batches)
    return check_training_table(estimator, samples.X, samples.y, samples.sample_weight, encoding=encoding)


def profile_files(batches: FileBatches) -> TableProfile:
    """Return what one pass over files finds."""
    work, profile = ProfileBatches(), None
    for batch in batches.read():
        profile = work.add(batch, profile)
    if profile is None:
        raise InvalidInputError(f"{batches.source} has no rows: give at least two.")
    return profile


def _check_memory(profile: TableProfile, reason: str | None) -> None:
    """Refuse to read a table as a whole that would take more than a share of the memory at hand."""
    needed = 8 * profile.n_rows * len(profile.columns)
    if needed > MEMORY_SHARE * available_bytes():
        why = reason or "Most of its rows are equal, and equal rows are put together in memory."
        raise UnsupportedError(
            f"The table has {profile.n_rows:,} rows, {needed / 1e9:.1f} GB as numbers, more than may be read "
            f"into memory at once. {why}"
        )


def keeps_raw_rows(table: TrainingTable, settings: Settings) -> bool:
    """Return True if rows are searched by histograms, and putting equal ones together does not pay."""
    is_multivariate = settings.split == "multivariate"
    is_asked_for = is_multivariate and settings.search.name == "histogram"
    n_rows, n_features = table.X.shape
    is_taken = large_tables.is_large_or_wide(settings.split, n_rows, n_features, table.classes.size)
    if not is_taken and not is_asked_for:
        return False
    if is_multivariate and settings.margin is not None:
        return False
    if not large_tables.uses_histogram(settings.search, settings.exact):
        return False
    if any(not isinstance(constraint, HISTOGRAM_CONSTRAINTS) for constraint in settings.constraints):
        return False
    if is_multivariate:
        return True
    parts = (table.X[:, :MERGE_COLUMNS], table.X)[table.X.shape[1] <= MERGE_COLUMNS :]
    return any(keeps_rows_of(MemoryRows.from_arrays(X, table.codes, None)) for X in parts)


def keeps_rows_of(source: RowSource) -> bool:
    """Return True if a sample shows that most rows of a large table differ."""
    rows = np.array(take_first_sample(source).X, dtype=np.float64)
    rows[np.isnan(rows)] = np.inf
    return distinct_rows(rows)[0].size > MAX_MERGED_SHARE * len(rows)


def unsupported_reason(settings: Settings) -> str | None:
    """Return why the parameters need all rows in memory, in a sentence; None if they do not."""
    if settings.split == "multivariate" and settings.margin is not None:
        return "A given epsilon needs all rows in memory: leave it out."
    if not large_tables.uses_histogram(settings.search, settings.exact):
        return 'The solver that is named needs all rows in memory: use the default search and exact="auto".'
    for constraint in settings.constraints:
        if not isinstance(constraint, NODE_LIMITS):
            return f"The constraint {type(constraint).__name__} needs all rows in memory: leave it out."
    if settings.skeleton is None:
        return "max_depth=None needs all rows in memory: give a depth."
    return None
