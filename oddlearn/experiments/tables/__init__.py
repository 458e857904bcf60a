"""The tables of the study, each from the results alone, ours beside the paper's numbers."""

from __future__ import annotations

from oddlearn.experiments.selection import Results
from oddlearn.experiments.tables.accuracy import accuracy_table
from oddlearn.experiments.tables.coverage import coverage_table
from oddlearn.experiments.tables.long import long_table
from oddlearn.experiments.tables.monks import monks_table
from oddlearn.experiments.tables.performance import performance_table
from oddlearn.experiments.tables.proofs import proofs_table
from oddlearn.experiments.tables.significance import significance_table
from oddlearn.experiments.tables.stability import stability_table
from oddlearn.experiments.tables.table import Table
from oddlearn.experiments.tables.tuning import tuning_table

__all__ = ["Table", "all_tables"]

# in the order they are read
WRITERS = (
    coverage_table,
    performance_table,
    proofs_table,
    long_table,
    accuracy_table,
    significance_table,
    tuning_table,
    stability_table,
    monks_table,
)


def all_tables(results: Results) -> list[Table]:
    """Return every table; one whose trials have not run says so, that of the monks is then left out.

    Parameters
    ----------
    results : sequence of Result
        Of a whole study or any part of it. When trials with several time limits are among them, the tables
        are of the limit with most trials of the grid.
    """
    tables = (write(results) for write in WRITERS)
    return [table for table in tables if table is not None]
