"""Options that several commands share, and what they come to."""

from __future__ import annotations

import argparse
from typing import Any

import oddlearn
from oddlearn.cli.column_roles import ColumnRoles
from oddlearn.cli.console import print_note
from oddlearn.cli.parser import parse_seconds, parse_seed, parse_share
from oddlearn.table.column_table import FileTable
from oddlearn.table.csv_dialect import DEFAULT_DIALECT
from oddlearn.table.read_table import Reading, read_table

EXACT = ("auto", "none", "branch", "cpsat", "highs", "scip", "gurobi")

MILP_SOLVERS = ("highs", "scip", "gurobi")

# the usual margin of hyperplanes; with more rows than fit into a column's range at this distance it would
# leave hardly a place to split at, and a hundredth of their mean distance is used instead
MARGIN = 1e-4
SHARE_OF_DISTANCE = 0.01


def add_read_options(parser: argparse.ArgumentParser) -> None:
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


def add_column_options(parser: argparse.ArgumentParser) -> None:
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
        type=parse_share,
        default=0.25,
        help="held out to test on; 0 for none (0.25)",
    )
    group.add_argument(
        "--seed", metavar="N", type=parse_seed, default=0, help="of the rows held out and of the search (0)"
    )


def add_training_options(parser: argparse.ArgumentParser, time_limit: float = 10.0) -> None:
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
        type=parse_seconds,
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


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add the answer for machines."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_quiet_option(parser: argparse.ArgumentParser) -> None:
    """Add silence while working."""
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def build_read_options(args: argparse.Namespace, roles: ColumnRoles | None = None) -> Reading:
    """Return how the table is to be read: as the options say, else as the training table was."""
    dialect = DEFAULT_DIALECT if roles is None else roles.dialect
    return Reading(args.delimiter, args.decimal, args.encoding, not args.no_header, dialect)


def read_with_notes(path: str, reading: Reading, text_columns: tuple[str, ...] = ()) -> FileTable:
    """Return the table of a file, and tell what its reader decided."""
    table = read_table(path, reading, text_columns=text_columns)
    for remark in table.remarks:
        print_note(f"Note: {remark}")
    return table


def build_roles(args: argparse.Namespace) -> ColumnRoles:
    """Return what the columns are for."""
    return ColumnRoles(
        target=args.target,
        weights=args.weights,
        dropped=tuple(dict.fromkeys(args.drop)),
        sensitive=tuple(dict.fromkeys(getattr(args, "sensitive", ()))),
        skip_missing=args.skip_missing,
        test_size=args.test_size,
        seed=args.seed,
    )


def build_parameters(args: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of an estimator that the options of ``add_training_options`` ask for."""
    return {
        "split": args.split,
        "exact": _exact(args.exact),
        "time_limit": args.time_limit,
        "epsilon": args.epsilon,
        "class_weight": "balanced" if args.balanced else None,
        "n_jobs": args.jobs,
        "random_state": args.seed,
        "verbose": 0 if args.quiet else 1,
    }


def choose_margin(args: argparse.Namespace, n_rows: int) -> float | None:
    """Return the margin of hyperplanes on so many training rows; one below the usual is told."""
    if args.epsilon is not None or args.split == "univariate" or n_rows * MARGIN <= 1:
        return None if args.epsilon is None else float(args.epsilon)
    margin = SHARE_OF_DISTANCE / n_rows
    kept = f"hyperplanes keep a margin of {margin:.1g}, not {MARGIN:g}"
    print_note(f"Note: with {n_rows:,} rows {kept} (see --epsilon).")
    return margin


def _exact(name: str) -> Any:  # noqa: ANN401
    """Return what ``exact`` of an estimator takes."""
    if name in MILP_SOLVERS:
        return oddlearn.Milp(solver=name)
    return None if name == "none" else name
