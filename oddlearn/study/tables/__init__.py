"""The tables of the study, each computed from the results alone, ours beside the paper's numbers."""

from __future__ import annotations

from oddlearn.study.calibration import Results
from oddlearn.study.tables.accuracy_tables import build_accuracy_table, build_significance_table
from oddlearn.study.tables.choice_tables import build_monks_table, build_stability_table, build_tuning_table
from oddlearn.study.tables.proof_tables import build_performance_table, build_proofs_table
from oddlearn.study.tables.report_table import Table
from oddlearn.study.tables.run_tables import build_coverage_table, build_long_table

__all__ = ["Table", "build_tables"]

# in the order of the report
TABLES = (
    build_coverage_table,
    build_performance_table,
    build_proofs_table,
    build_long_table,
    build_accuracy_table,
    build_significance_table,
    build_tuning_table,
    build_stability_table,
    build_monks_table,
)


def build_tables(results: Results) -> list[Table]:
    """Return all tables; a table without results has a note instead of rows, that of the monks is left out.

    ``results``: results of a whole study or of a part. If the grid ran with several time limits, the tables
    use the one with the most trials.
    """
    tables = (build(results) for build in TABLES)
    return [table for table in tables if table is not None]
