"""``oddlearn fit``: train a diagram on a table."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.console import print_note
from oddlearn.cli.constraint_options import (
    add_constraint_options,
    any_compares_groups,
    build_constraints,
    check_constraint_options,
    find_favourable,
)
from oddlearn.cli.parser import Commands, add_command, parse_depth, parse_number
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
    read_with_notes,
)
from oddlearn.cli.stored_model import ColumnRoles
from oddlearn.cli.streamed_tables import (
    RowCounter,
    draw_samples,
    is_streamed,
    open_streamed,
    training_batches,
)
from oddlearn.cli.training_rows import (
    build_samples,
    find_row_numbers,
    holdout_mask,
    list_format_hints,
    split_names,
)
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning, UnpredictedClassWarning
from oddlearn.problem import defaults
from oddlearn.table.samples import LabelledSamples
from oddlearn.view.number_text import one_line, plural

DESCRIPTION = """\
Train a decision diagram on a table (CSV, TSV or Parquet, or a folder of such files, which is read in
batches): hold out a quarter of the rows, train on the others, and write model.json and report.html. Columns
of text become categories, dates are ordered, and values may be missing. Ctrl-C ends the training and writes
the best diagram so far."""

EXAMPLES = """\
  oddlearn fit data.csv --target y
  oddlearn fit data.csv --target y --skeleton 1-2-4 --node-price 0.005 --time-limit 60
  oddlearn fit frauds.csv --target fraud --balanced             the rare class counts as much as the other
  oddlearn fit data.csv --target y --tree 3                     a tree instead of a diagram
  oddlearn fit data.csv --target y --split multivariate         thresholds on weighted sums
  oddlearn fit folder/ --target y --time-limit 120              Parquet or CSV files that exceed the memory
  oddlearn fit data.csv --target y --drop id,name --output results
  oddlearn fit data.csv --target y --json --quiet | jq .accuracy.test
  oddlearn fit loans.csv --target paid --sensitive sex --parity 0.8 --favourable yes
"""


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "fit", "DATA --target COLUMN", summary, DESCRIPTION, EXAMPLES)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    add_column_options(parser)
    shape = parser.add_argument_group("model size")
    either = shape.add_mutually_exclusive_group()
    either.add_argument(
        "--skeleton",
        metavar="WIDTHS",
        default=defaults.SKELETON,
        help=f"most nodes of each layer, from the top ({defaults.SKELETON})",
    )
    either.add_argument(
        "--tree",
        metavar="DEPTH",
        type=parse_depth,
        help="train a tree of this maximum depth instead; none for no limit",
    )
    penalty = shape.add_mutually_exclusive_group()
    penalty.add_argument(
        "--node-price",
        metavar="PRICE",
        type=parse_number,
        help="share of the rows a node must save from errors; higher values give smaller models "
        f"({defaults.NODE_PRICE:g})",
    )
    penalty.add_argument(
        "--alpha", type=parse_number, help="the price of all nodes of the skeleton together, instead"
    )
    add_further_options(parser)
    parser.set_defaults(run=run)


def add_further_options(parser: argparse.ArgumentParser, time_limit: float = defaults.TIME_LIMIT) -> None:
    """Add the options that ``fit`` and ``tune`` share besides those of the columns."""
    add_training_options(parser, time_limit)
    add_constraint_options(parser)
    add_read_options(parser)
    add_output_options(parser)
    add_json_option(parser)
    add_quiet_option(parser)


def run(args: argparse.Namespace) -> int:
    """Train, write the files and print the result."""
    outputs = build_outputs(args)
    model = _build_estimator(args)
    check_parameters(model)
    train = train_on_files if is_streamed(args.data) else train_model
    report_fit(train(model, args), outputs, args)
    return 0


def train_on_files(model: Any, args: argparse.Namespace) -> FitResult:  # noqa: ANN401
    """Fit an estimator to the training rows of a folder or a large file, read in batches."""
    check_constraint_options(args)
    roles = build_roles(args)
    batches = open_streamed(args, roles, roles.target)
    roles = replace(roles, dropped=split_names(roles.dropped, batches.dataset.schema.names))
    counter = RowCounter()
    n_rows = batches.dataset.count_rows()
    train, test = draw_samples(batches, roles, n_rows)
    model.set_params(constraints=build_constraints(args, np.unique(train.y).tolist()))
    if not args.quiet:
        print_note(f"{n_rows:,} rows, {plural(len(batches.names), 'column')}, read in batches.")
    started = time.perf_counter()
    rows = LabelledSamples(training_batches(batches, roles, None if args.quiet else counter), None)  # type: ignore
    interrupted = fit_with_notes(model, rows, compares_groups=False)
    counter.close()
    seconds = time.perf_counter() - started
    if max(train.n_rows, test.n_rows) < n_rows * min(roles.test_size or 1.0, 1 - roles.test_size) - 1:
        print_note(
            f"Note: metrics and report are of {train.n_rows:,} training and {test.n_rows:,} test rows "
            "drawn at random."
        )
    return FitResult(
        model, train, test, roles, seconds, interrupted, find_favourable(args, model.classes_.tolist())
    )


def _build_estimator(args: argparse.Namespace) -> Any:  # noqa: ANN401
    parameters = build_parameters(args) | {"alpha": args.alpha, "node_price": args.node_price}
    if args.tree is not None:
        depth = None if args.tree == "none" else args.tree
        return oddlearn.OptimalDecisionTreeClassifier(depth, **parameters)
    return oddlearn.OptimalDecisionDiagramClassifier(args.skeleton, **parameters)


def check_parameters(model: Any) -> None:  # noqa: ANN401
    """Validate the parameters before a large file is read."""
    from oddlearn.estimators.parameters import validate_parameters

    validate_parameters(model.get_params(deep=False), model._skeleton())


def train_model(
    model: Any,  # noqa: ANN401
    args: argparse.Namespace,
    choose_parameters: Callable[[LabelledSamples], dict[str, Any]] | None = None,
) -> FitResult:
    """Fit an estimator to the training rows of the table that the options name.

    ``choose_parameters`` returns parameters that depend on the training rows.
    """
    check_constraint_options(args)
    train, test, roles = split_samples(args, build_roles(args))
    further = {} if choose_parameters is None else choose_parameters(train)
    classes = np.unique(train.y).tolist()
    constraints = build_constraints(args, classes)
    model.set_params(constraints=constraints, **further)
    started = time.perf_counter()
    interrupted = fit_with_notes(model, train, compares_groups=any_compares_groups(args))
    seconds = time.perf_counter() - started
    fitted = getattr(model, "best_estimator_", model)
    return FitResult(fitted, train, test, roles, seconds, interrupted, find_favourable(args, classes))


def split_samples(
    args: argparse.Namespace, roles: ColumnRoles
) -> tuple[LabelledSamples, LabelledSamples, ColumnRoles]:
    """Return training samples, test samples, and the roles with the dialect of the table."""
    table = read_with_notes(args.data, build_read_options(args))
    roles = replace(roles, dropped=split_names(roles.dropped, table.names))
    samples, n_skipped = build_samples(table, roles)
    features = table.without([roles.target, *roles.dropped])
    for name in find_row_numbers(features):
        print_note(f"Note: {name!r} counts the rows and is used like any other column (see --drop).")
    for hint in list_format_hints(features):
        print_note(f"Note: {hint}")
    if n_skipped:
        values = "missing values" if roles.skip_missing else f"no {roles.target}"
        print_note(f"Note: {plural(n_skipped, 'row')} with {values} left out.")
    is_test = holdout_mask(samples.y, roles.test_size, roles.seed)
    train, test = samples.rows(~is_test), samples.rows(is_test)
    if not args.quiet:
        columns = plural(len(samples.X.columns), "column")
        print_note(f"{plural(train.n_rows, 'row')} to train on, {test.n_rows:,} held out, {columns}.")
    return train, test, replace(roles, dialect=table.dialect)


def fit_with_notes(model: Any, train: LabelledSamples, compares_groups: bool) -> bool:  # noqa: ANN401
    """Fit a model, print its warnings as notes, and return True if it was interrupted."""
    interrupted = False
    groups = train.sensitive_features if compares_groups else None
    # progress goes to standard error: standard output is for results
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(sys.stderr):
        warnings.simplefilter("always", OddlearnWarning)
        model.fit(train.X, train.y, train.sample_weight, groups)
    notes = []
    for warning in caught:
        if issubclass(warning.category, SearchInterruptedWarning):
            interrupted = True
            notes.append("Interrupted: the best diagram so far is written.")
        elif issubclass(warning.category, UnpredictedClassWarning):
            notes.append(_unpredicted_note(getattr(model, "best_estimator_", model)))
        else:
            notes.append(f"Note: {one_line(str(warning.message))}")
    for text in dict.fromkeys(notes):  # each once, in their order
        print_note(text)
    return interrupted


def _unpredicted_note(model: Any) -> str:  # noqa: ANN401
    """Return the hint of what to try when a class is never or hardly ever predicted."""
    certificate, n_classes = model.certificate_, len(model.classes_)
    options = [] if model.class_weight is not None else ["--balanced"]
    options += ["a smaller --node-price", "higher --weights of its rows (cost_matrix in Python)"]
    if n_classes > certificate.skeleton.n_nodes + 1:
        options = [f"a larger --skeleton, for {n_classes} classes at least {n_classes - 1} nodes"]
    return f"Hint: the diagram {certificate.missed_text}. Try {' or '.join(options)}."
