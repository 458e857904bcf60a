"""``oddlearn fit``: train a diagram on a table."""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.column_roles import ColumnRoles
from oddlearn.cli.console import print_note, progress_on_standard_error, rows_text
from oddlearn.cli.constraint_options import (
    add_constraint_options,
    build_constraints,
    check_constraint_options,
    find_favourable,
    select_fit_groups,
)
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.results import FitResult, add_output_options, build_outputs, report_fit
from oddlearn.cli.shared_options import (
    add_column_options,
    add_json_option,
    add_quiet_option,
    add_read_options,
    add_training_options,
    build_parameters,
    build_read_options,
    build_roles,
    choose_margin,
    read_with_notes,
)
from oddlearn.cli.training_rows import LabelledSamples, build_samples, holdout_mask
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning
from oddlearn.problem import defaults
from oddlearn.view.number_text import one_line

SUMMARY = "train a diagram on a table"

DESCRIPTION = """\
Train a decision diagram on a table (CSV, TSV or Parquet): hold out a quarter of the rows, train on the
others, and write model.json and report.html. Columns of text become categories. Ctrl-C ends the training
and writes the best diagram so far."""

EXAMPLES = """\
  oddlearn fit data.csv --target y
  oddlearn fit data.csv --target y --skeleton 1-2-4 --alpha 0.01 --time-limit 60
  oddlearn fit data.csv --target y --tree 3                     a tree instead of a diagram
  oddlearn fit data.csv --target y --split multivariate         thresholds on weighted sums
  oddlearn fit data.csv --target y --drop id --drop name --output results
  oddlearn fit data.csv --target y --json --quiet | jq .accuracy.test
  oddlearn fit loans.csv --target paid --sensitive sex --parity 0.8 --favourable yes
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "fit", "DATA --target COLUMN", SUMMARY, DESCRIPTION, EXAMPLES)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    add_column_options(parser)
    shape = parser.add_argument_group("model size")
    either = shape.add_mutually_exclusive_group()
    either.add_argument(
        "--skeleton",
        metavar="WIDTHS",
        default=defaults.SKELETON,
        help=f"maximum number of nodes per layer ({defaults.SKELETON})",
    )
    either.add_argument(
        "--tree", metavar="DEPTH", type=int, help="train a tree of this maximum depth instead"
    )
    shape.add_argument(
        "--alpha",
        type=float,
        default=defaults.ALPHA,
        help=f"complexity penalty; higher values give smaller models ({defaults.ALPHA:g})",
    )
    add_training_options(parser)
    add_constraint_options(parser)
    add_read_options(parser)
    add_output_options(parser)
    add_json_option(parser)
    add_quiet_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, write the files and print the result."""
    outputs = build_outputs(args)
    model = _build_estimator(args)
    check_parameters(model)
    check_constraint_options(args)
    train, test, roles = split_samples(args, build_roles(args))
    classes = np.unique(train.labels).tolist()
    constraints = build_constraints(args, classes)
    model.set_params(constraints=constraints, epsilon=choose_margin(args, train.n_rows))
    further = select_fit_groups(args, train.groups)
    started = time.perf_counter()
    interrupted = fit_with_notes(model, train, further)
    seconds = time.perf_counter() - started
    favourable = find_favourable(args, classes)
    report_fit(FitResult(model, train, test, roles, seconds, interrupted, favourable), outputs, args)
    return 0


def _build_estimator(args: argparse.Namespace) -> Any:  # noqa: ANN401
    parameters = build_parameters(args) | {"alpha": args.alpha}
    if args.tree is not None:
        return oddlearn.OptimalDecisionTreeClassifier(args.tree, **parameters)
    return oddlearn.OptimalDecisionDiagramClassifier(args.skeleton, **parameters)


def check_parameters(model: Any) -> None:  # noqa: ANN401
    """Validate the parameters before a large file is read."""
    from oddlearn.estimators.parameters import validate_parameters

    validate_parameters(model.get_params(deep=False), model._skeleton())


def split_samples(
    args: argparse.Namespace, roles: ColumnRoles
) -> tuple[LabelledSamples, LabelledSamples, ColumnRoles]:
    """Return training samples, test samples, and the roles with the dialect of the table."""
    table = read_with_notes(args.data, build_read_options(args))
    samples, n_skipped = build_samples(table, roles)
    if n_skipped:
        print_note(f"Note: {rows_text(n_skipped)} with missing values left out.")
    is_test = holdout_mask(samples.labels, roles.test_size, roles.seed)
    train, test = samples.rows(~is_test), samples.rows(is_test)
    if not args.quiet:
        n_features = len(samples.features.columns)
        columns = f"{n_features:,} column{'s' * (n_features != 1)}"
        print_note(f"{rows_text(train.n_rows)} to train on, {test.n_rows:,} held out, {columns}.")
    return train, test, replace(roles, dialect=table.dialect)


def fit_with_notes(model: Any, train: LabelledSamples, further: dict[str, Any]) -> bool:  # noqa: ANN401
    """Fit a model, print its warnings as notes, and return True if it was interrupted."""
    interrupted = False
    with warnings.catch_warnings(record=True) as caught, progress_on_standard_error():
        warnings.simplefilter("always", OddlearnWarning)
        model.fit(train.features, train.labels, sample_weight=train.weights, **further)
    notes = []
    for warning in caught:
        if issubclass(warning.category, SearchInterruptedWarning):
            interrupted = True
            notes.append("Interrupted: the best diagram so far is written.")
        else:
            notes.append(f"Note: {one_line(str(warning.message))}")
    for text in dict.fromkeys(notes):  # each once, in their order
        print_note(text)
    return interrupted
