"""The choice of a large table: its rows as they are, or ranked and equal ones put together."""

from __future__ import annotations

import numpy as np

from oddlearn.constraints.parsimony import MaxDepth, MaxNodes, MaxNodesPerLayer
from oddlearn.constraints.stability import MinFlow, MinFlowPerArc
from oddlearn.estimators.parameters import Settings
from oddlearn.problem.training_data import distinct_rows
from oddlearn.solve.large_tables import is_large, uses_histogram
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import RowSource
from oddlearn.table.training_table import TrainingTable

# rows drawn of a large table: if fewer than this share of them differ, equal rows are put together
MERGE_SAMPLE = 20_000
MAX_MERGED_SHARE = 0.5

# those that the search by histograms keeps; the first three also of rows that are not in memory
NODE_LIMITS = (MaxNodes, MaxNodesPerLayer, MaxDepth)
HISTOGRAM_CONSTRAINTS = (*NODE_LIMITS, MinFlow, MinFlowPerArc)


def keeps_raw_rows(table: TrainingTable, settings: Settings) -> bool:
    """Return True if rows are searched by histograms, and putting equal ones together does not pay."""
    is_multivariate = settings.split == "multivariate"
    is_asked_for = is_multivariate and settings.search.name == "histogram"
    if not is_large(*table.X.shape) and not is_asked_for:
        return False
    if is_multivariate and settings.margin is not None:
        return False
    if not uses_histogram(settings.search, settings.exact):
        return False
    if any(not isinstance(constraint, HISTOGRAM_CONSTRAINTS) for constraint in settings.constraints):
        return False
    if is_multivariate:
        return True
    return keeps_rows_of(MemoryRows.from_arrays(table.X, table.codes, None))


def keeps_rows_of(source: RowSource) -> bool:
    """Return True if a sample shows that most rows of a large table differ."""
    sample = np.sort(np.random.default_rng(0).choice(source.n_rows, MERGE_SAMPLE, replace=False))
    rows = np.nan_to_num(np.asarray(source.take(sample).X, dtype=np.float64), nan=np.inf)
    return distinct_rows(rows)[0].size > MAX_MERGED_SHARE * MERGE_SAMPLE


def unsupported_reason(settings: Settings) -> str | None:
    """Return why the parameters need all rows in memory, in a sentence; None if they do not."""
    if settings.split == "multivariate" and settings.margin is not None:
        return "A given epsilon needs all rows in memory: leave it out."
    if not uses_histogram(settings.search, settings.exact):
        return 'The solver that is named needs all rows in memory: use the default search and exact="auto".'
    for constraint in settings.constraints:
        if not isinstance(constraint, NODE_LIMITS):
            return f"The constraint {type(constraint).__name__} needs all rows in memory: leave it out."
    if settings.skeleton is None:
        return "max_depth=None needs all rows in memory: give a depth."
    return None
