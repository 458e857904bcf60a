"""Options shared by several commands, and the objects built from them."""

from __future__ import annotations

import argparse
from typing import Any

import oddlearn
from oddlearn.cli.console import print_note
from oddlearn.cli.parser import (
    parse_count_or_share,
    parse_limit,
    parse_number,
    parse_seconds,
    parse_seed,
    parse_share,
    parse_whole,
)
from oddlearn.cli.stored_model import ColumnRoles
from oddlearn.errors import InvalidInputError
from oddlearn.problem import defaults
from oddlearn.table.categories import DEFAULT_MAX_CATEGORIES
from oddlearn.table.csv_reader import UNKNOWN_DIALECT
from oddlearn.table.read_table import FileTable, ReadOptions, read_table

EXACT = ("auto", "none", "branch_and_bound", "cpsat", "highs", "scip", "gurobi")

MILP_SOLVERS = ("highs", "scip", "gurobi")


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a table."""
    group = parser.add_argument_group("reading the table")
    group.add_argument(
        "--delimiter", metavar="CHAR", help="field delimiter (detected: comma, semicolon, tab or |)"
    )
    group.add_argument(
        "--decimal", metavar="CHAR", choices=(".", ","), help="decimal point or comma (detected)"
    )
    group.add_argument(
        "--encoding", metavar="NAME", help="text encoding, such as cp1252 (UTF-8, or by byte-order mark)"
    )
    group.add_argument(
        "--missing",
        metavar="TEXTS",
        action="append",
        default=[],
        help="texts of a missing value beside NA, NaN, null, ? and nothing, comma-separated; repeatable",
    )
    group.add_argument(
        "--no-header", action="store_true", help="the first line is a row; columns are named x0, x1, ..."
    )


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the columns and rows of training data."""
    group = parser.add_argument_group("columns and rows")
    group.add_argument("--target", metavar="COLUMN", required=True, help="column to predict")
    group.add_argument(
        "--drop",
        metavar="COLUMNS",
        action="append",
        default=[],
        help="columns to leave out, comma-separated; repeatable",
    )
    group.add_argument("--weights", metavar="COLUMN", help="column of sample weights; 2 counts as two rows")
    group.add_argument("--skip-missing", action="store_true", help="leave out rows with missing values")
    group.add_argument(
        "--max-categories",
        metavar="N",
        type=parse_limit,
        default=DEFAULT_MAX_CATEGORIES,
        help="most categories of a column of text, the rarest are put together; none for no limit "
        f"({DEFAULT_MAX_CATEGORIES})",
    )
    group.add_argument(
        "--min-frequency",
        metavar="ROWS",
        type=parse_count_or_share,
        help="put categories of fewer rows together; below 1, of a smaller share of the rows",
    )
    group.add_argument(
        "--test-size",
        metavar="SHARE",
        type=parse_share,
        default=0.25,
        help="share of rows held out for testing; 0 for none (0.25)",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=parse_seed,
        default=0,
        help="random seed of the held-out rows and of the search (0)",
    )


def add_training_options(parser: argparse.ArgumentParser, time_limit: float = defaults.TIME_LIMIT) -> None:
    """Add the options of training, except skeleton and alpha."""
    group = parser.add_argument_group("training")
    group.add_argument(
        "--split",
        choices=("univariate", "multivariate"),
        default="univariate",
        help="a node asks about one column, or about a weighted sum of all (univariate)",
    )
    group.add_argument(
        "--max-terms",
        metavar="N",
        type=parse_whole,
        help="the most columns in a weighted sum, with --split multivariate (all)",
    )
    group.add_argument(
        "--exact",
        choices=EXACT,
        default="auto",
        help="solver that proves the result: chosen for the problem (auto), none, or one of these",
    )
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=parse_seconds,
        default=time_limit,
        help=f"time limit of the whole command; none for no limit ({time_limit:g})",
    )
    group.add_argument(
        "--epsilon",
        metavar="MARGIN",
        type=parse_number,
        help="least distance of two rows on different sides of a weighted sum, in columns scaled to 0..1 "
        "(1e-4 up to 100 rows, less with more)",
    )
    group.add_argument("--balanced", action="store_true", help="count all classes alike, rare ones too")
    group.add_argument(
        "--jobs", metavar="N", type=parse_whole, help="number of threads; -1 for one per core (1)"
    )


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --json."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_quiet_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --quiet."""
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def build_read_options(args: argparse.Namespace, roles: ColumnRoles | None = None) -> ReadOptions:
    """Return the read options: those given, else the dialect of the training table."""
    dialect = UNKNOWN_DIALECT if roles is None else roles.dialect
    missing = tuple(text.strip() for texts in args.missing for text in texts.split(","))
    return ReadOptions(args.delimiter, args.decimal, args.encoding, not args.no_header, dialect, missing)


def read_with_notes(path: str, reading: ReadOptions, text_columns: tuple[str, ...] = ()) -> FileTable:
    """Read the table of a file and print the notes of the reader."""
    table = read_table(path, reading, text_columns=text_columns)
    for remark in table.messages:
        print_note(f"Note: {remark}")
    return table


def build_roles(args: argparse.Namespace) -> ColumnRoles:
    """Return the roles of the columns."""
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
    """Return the parameters of an estimator from the options of ``add_training_options``."""
    if args.epsilon is not None and args.split == "univariate":
        raise InvalidInputError(
            "--epsilon is a margin of weighted sums, and univariate splits have none: leave it out, or give "
            "--split multivariate."
        )
    return {
        "split": args.split,
        "max_terms": args.max_terms,
        "exact": _exact(args.exact),
        "time_limit": args.time_limit,
        "epsilon": args.epsilon,
        "max_categories": args.max_categories,
        "min_frequency": args.min_frequency,
        "class_weight": "balanced" if args.balanced else None,
        "n_jobs": args.jobs,
        "random_state": args.seed,
        "verbose": 0 if args.quiet else 1,
    }


def _exact(name: str) -> Any:  # noqa: ANN401
    """Return the value of the parameter ``exact``."""
    if name in MILP_SOLVERS:
        return oddlearn.Milp(solver=name)
    return None if name == "none" else name
