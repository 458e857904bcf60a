"""``oddlearn fit``: train a diagram on a table."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.fitting import check_parameters, fit_noting_interrupts, split_samples
from oddlearn.cli.options import (
    add_columns,
    add_json,
    add_quiet,
    add_reading,
    add_training,
    margin_for,
    roles_of,
    training_parameters,
)
from oddlearn.cli.outcome import Fitted, add_output, finished, outputs_of
from oddlearn.cli.parsing import Commands, add_command
from oddlearn.cli.requirements import (
    add_requirements,
    check_requirements,
    constraints_of,
    favourable_of,
    groups_to_compare,
)

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
