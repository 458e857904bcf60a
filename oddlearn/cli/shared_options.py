"""Options that several commands share, and what they come to."""

from __future__ import annotations

import argparse
from typing import Any

import oddlearn
from oddlearn.cli.column_roles import Roles
from oddlearn.cli.console import note
from oddlearn.cli.parser import seconds, seed, share
from oddlearn.table.column_table import FileTable
from oddlearn.table.csv_dialect import NO_HABIT
from oddlearn.table.read_table import Reading, read_table

EXACT = ("auto", "none", "branch", "cpsat", "highs", "scip", "gurobi")

MILP_SOLVERS = ("highs", "scip", "gurobi")

# the usual margin of hyperplanes; with more rows than fit into a column's range at this distance it would
# leave hardly a place to split at, and a hundredth of their mean distance is used instead
MARGIN = 1e-4
SHARE_OF_DISTANCE = 0.01


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add how a table is read."""
    group = parser.add_argument_group("reading the table")
    group.add_argument(
        "--delimiter", metavar="CHAR", help="between fields; else comma, semicolon, tab or |, as found"
    )
    group.add_argument(
        "--decimal", metavar="CHAR", choices=(".", ","), help="decimal point or comma; else as found"
    )
    group.add_argument(
        "--encoding", metavar="NAME", help="such as cp1252; else UTF-8, or as its first bytes say"
    )
    group.add_argument(
        "--no-header", action="store_true", help="the first line is a row: columns are called x0, x1, ..."
    )


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add what the columns of training data are for."""
    group = parser.add_argument_group("columns and rows")
    group.add_argument("--target", metavar="COLUMN", required=True, help="the labels to learn")
    group.add_argument(
        "--drop", metavar="COLUMN", action="append", default=[], help="leave out; may be repeated"
    )
    group.add_argument("--weights", metavar="COLUMN", help="weight of each row; 2 counts as two rows")
    group.add_argument("--skip-missing", action="store_true", help="leave out rows with missing values")
    group.add_argument(
        "--test-size",
        metavar="SHARE",
        type=share,
        default=0.25,
        help="held out to test on; 0 for none (0.25)",
    )
    group.add_argument(
        "--seed", metavar="N", type=seed, default=0, help="of the rows held out and of the search (0)"
    )


def add_training(parser: argparse.ArgumentParser, time_limit: float = 10.0) -> None:
    """Add how a diagram is found, all but its shape and price; ``time_limit`` is the usual one."""
    group = parser.add_argument_group("training")
    group.add_argument(
        "--split",
        choices=("univariate", "multivariate"),
        default="univariate",
        help="compare one feature, or a weighted sum, with a threshold (univariate)",
    )
    group.add_argument(
        "--exact",
        choices=EXACT,
        default="auto",
        help="what closes the gap: the best that is installed (auto), nothing, or one of these",
    )
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=seconds,
        default=time_limit,
        help=f"for everything; none for no limit ({time_limit:g})",
    )
    group.add_argument(
        "--epsilon",
        metavar="MARGIN",
        type=float,
        help=f"margin of multivariate splits, in the unit box ({MARGIN:g}, less with many rows)",
    )
    group.add_argument("--balanced", action="store_true", help="weigh the classes equally, however rare")
    group.add_argument("--jobs", metavar="N", type=int, help="threads; -1 for one per core (1)")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the answer for machines."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add silence while working."""
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def reading_of(asked: argparse.Namespace, roles: Roles | None = None) -> Reading:
    """Return how the table is to be read: as the options say, else as the training table was."""
    habit = NO_HABIT if roles is None else roles.habit
    return Reading(asked.delimiter, asked.decimal, asked.encoding, not asked.no_header, habit)


def read_noted(path: str, reading: Reading, text_columns: tuple[str, ...] = ()) -> FileTable:
    """Return the table of a file, and tell what its reader decided."""
    table = read_table(path, reading, text_columns=text_columns)
    for remark in table.remarks:
        note(f"Note: {remark}")
    return table


def roles_of(asked: argparse.Namespace) -> Roles:
    """Return what the columns are for."""
    return Roles(
        target=asked.target,
        weights=asked.weights,
        dropped=tuple(dict.fromkeys(asked.drop)),
        sensitive=tuple(dict.fromkeys(getattr(asked, "sensitive", ()))),
        skip_missing=asked.skip_missing,
        test_size=asked.test_size,
        seed=asked.seed,
    )


def training_parameters(asked: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of an estimator that the options of ``add_training`` ask for."""
    return {
        "split": asked.split,
        "exact": _exact(asked.exact),
        "time_limit": asked.time_limit,
        "epsilon": asked.epsilon,
        "class_weight": "balanced" if asked.balanced else None,
        "n_jobs": asked.jobs,
        "random_state": asked.seed,
        "verbose": 0 if asked.quiet else 1,
    }


def margin_for(asked: argparse.Namespace, n_rows: int) -> float | None:
    """Return the margin of hyperplanes on so many training rows; one below the usual is told."""
    if asked.epsilon is not None or asked.split == "univariate" or n_rows * MARGIN <= 1:
        return None if asked.epsilon is None else float(asked.epsilon)
    margin = SHARE_OF_DISTANCE / n_rows
    kept = f"hyperplanes keep a margin of {margin:.1g}, not {MARGIN:g}"
    note(f"Note: with {n_rows:,} rows {kept} (see --epsilon).")
    return margin


def _exact(name: str) -> Any:  # noqa: ANN401
    """Return what ``exact`` of an estimator takes."""
    if name in MILP_SOLVERS:
        return oddlearn.Milp(solver=name)
    return None if name == "none" else name
