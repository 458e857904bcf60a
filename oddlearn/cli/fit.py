"""``oddlearn fit``: train on a table of a file."""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.column_roles import Roles
from oddlearn.cli.console import note, one_line, progress_on_standard_error, rows_told
from oddlearn.cli.constraint_options import (
    add_requirements,
    check_requirements,
    constraints_of,
    favourable_of,
    groups_to_compare,
)
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.results import Fitted, add_output, finished, outputs_of
from oddlearn.cli.shared_options import (
    add_columns,
    add_json,
    add_quiet,
    add_reading,
    add_training,
    margin_for,
    read_noted,
    reading_of,
    roles_of,
    training_parameters,
)
from oddlearn.cli.training_rows import Samples, held_out, samples_of
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning

SUMMARY = "train a diagram on a table"

DESCRIPTION = """\
Train a decision diagram on a table (CSV, TSV or Parquet): hold out a quarter of the rows, train on the
others, and write model.json and report.html. Columns of text become categories. Ctrl-C ends the training
and keeps the best diagram so far: it is written all the same."""

EXAMPLES = """\
  oddlearn fit data.csv --target y
  oddlearn fit data.csv --target y --skeleton 1-2-4 --alpha 0.01 --time-limit 60
  oddlearn fit data.csv --target y --tree 3                     a tree: branches never meet
  oddlearn fit data.csv --target y --split multivariate         weighted sums instead of single features
  oddlearn fit data.csv --target y --drop id --drop name --output results
  oddlearn fit data.csv --target y --json --quiet | jq .accuracy.test
  oddlearn fit loans.csv --target paid --sensitive sex --parity 0.8 --favourable yes
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "fit", "DATA --target COLUMN", SUMMARY, DESCRIPTION, EXAMPLES)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    add_columns(parser)
    shape = parser.add_argument_group("shape and price")
    either = shape.add_mutually_exclusive_group()
    either.add_argument(
        "--skeleton", metavar="WIDTHS", default="1-2-4-4-4", help="most nodes per layer (1-2-4-4-4)"
    )
    either.add_argument("--tree", metavar="DEPTH", type=int, help="all trees of this depth instead")
    shape.add_argument(
        "--alpha", type=float, default=0.1, help="price of all nodes, in shares of the rows (0.1)"
    )
    add_training(parser)
    add_requirements(parser)
    add_reading(parser)
    add_output(parser)
    add_json(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """Train, write and tell."""
    outputs = outputs_of(asked)
    model = _estimator(asked)
    check_parameters(model)
    check_requirements(asked, model)
    train, test, roles = split_samples(asked, roles_of(asked))
    classes = np.unique(train.labels).tolist()
    constraints = constraints_of(asked, classes)
    model.set_params(constraints=constraints, epsilon=margin_for(asked, train.n_rows))
    further = groups_to_compare(asked, train.groups)
    started = time.perf_counter()
    interrupted = fit_noting_interrupts(model, train, further)
    seconds = time.perf_counter() - started
    favourable = favourable_of(asked, classes)
    finished(Fitted(model, train, test, roles, seconds, interrupted, favourable), outputs, asked)
    return 0


def _estimator(asked: argparse.Namespace) -> Any:  # noqa: ANN401
    parameters = training_parameters(asked) | {"alpha": asked.alpha}
    if asked.tree is not None:
        return oddlearn.OptimalDecisionTreeClassifier(asked.tree, **parameters)
    return oddlearn.OptimalDecisionDiagramClassifier(asked.skeleton, **parameters)


def check_parameters(model: Any) -> None:  # noqa: ANN401
    """Refuse parameters that are not allowed, before a large file is read for them."""
    from oddlearn.estimators.parameters import checked_settings

    checked_settings(model.get_params(deep=False), model._skeleton())


def split_samples(asked: argparse.Namespace, roles: Roles) -> tuple[Samples, Samples, Roles]:
    """Return the samples to train on, those held out, and the roles with how the table was read."""
    table = read_noted(asked.data, reading_of(asked))
    samples, n_skipped = samples_of(table, roles)
    if n_skipped:
        note(f"Note: {rows_told(n_skipped)} with missing values left out.")
    is_test = held_out(samples.labels, roles.test_size, roles.seed)
    train, test = samples.rows(~is_test), samples.rows(is_test)
    if not asked.quiet:
        n_features = len(samples.features.columns)
        columns = f"{n_features:,} column{'s' * (n_features != 1)}"
        note(f"{rows_told(train.n_rows)} to train on, {test.n_rows:,} held out, {columns}.")
    return train, test, replace(roles, habit=table.habit)


def fit_noting_interrupts(model: Any, train: Samples, further: dict[str, Any]) -> bool:  # noqa: ANN401
    """Fit a model, and return whether the keyboard ended it early."""
    interrupted = False
    with warnings.catch_warnings(record=True) as caught, progress_on_standard_error():
        warnings.simplefilter("always", OddlearnWarning)
        model.fit(train.features, train.labels, sample_weight=train.weights, **further)
    notes = []
    for warning in caught:
        if issubclass(warning.category, SearchInterruptedWarning):
            interrupted = True
            notes.append("Interrupted: the best diagram so far is kept and written.")
        else:
            notes.append(f"Note: {one_line(warning.message)}")
    for text in dict.fromkeys(notes):  # each once, in their order
        note(text)
    return interrupted
