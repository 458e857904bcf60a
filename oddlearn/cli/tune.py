"""``oddlearn tune``: choose the skeleton and alpha by validation, and train with them."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.console import note, percent, say
from oddlearn.cli.constraint_options import (
    add_requirements,
    check_requirements,
    constraints_of,
    favourable_of,
    groups_to_compare,
)
from oddlearn.cli.fit import fit_noting_interrupts, split_samples
from oddlearn.cli.parser import Commands, add_command, numbers, share, skeletons
from oddlearn.cli.results import Fitted, add_output, finished, outputs_of
from oddlearn.cli.shared_options import (
    add_columns,
    add_json,
    add_quiet,
    add_reading,
    add_training,
    margin_for,
    roles_of,
    training_parameters,
)
from oddlearn.cli.training_rows import Samples, held_out
from oddlearn.errors import InvalidInputError

SUMMARY = "choose the skeleton and alpha by validation, then train"

DESCRIPTION = """\
Try every skeleton with every alpha, each on parts of the training rows that are validated on the others;
then train with the best on all training rows and write model.json and report.html, as 'oddlearn fit' does.
Of equal scores the one with fewer nodes wins. The rows that are held out (--test-size) take no part in the
choice."""

EXAMPLES = """\
  oddlearn tune data.csv --target y
  oddlearn tune data.csv --target y --skeletons 1-2-4,1-2-4-4-4 --alphas 0.01,0.1,0.5 --time-limit 300
  oddlearn tune data.csv --target y --validation 0.25           one validation part instead of 5 folds
  oddlearn tune loans.csv --target paid --sensitive sex --parity 0.8 --favourable yes
"""

SKELETONS = ("1-2-4-8", "1-2-4-4-4", "1-2-3-3-3-3", "1-2-2-2-2-2-2-2")
ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
FOLDS = 5


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "tune", "DATA --target COLUMN", SUMMARY, DESCRIPTION, EXAMPLES)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    add_columns(parser)
    group = parser.add_argument_group("what is tried")
    group.add_argument(
        "--skeletons",
        metavar="LIST",
        type=skeletons,
        default=SKELETONS,
        help=f"commas between ({','.join(SKELETONS)})",
    )
    listed = ",".join(f"{alpha:g}" for alpha in ALPHAS)
    group.add_argument(
        "--alphas", metavar="LIST", type=numbers, default=ALPHAS, help=f"commas between ({listed})"
    )
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--folds", metavar="N", type=int, default=FOLDS, help=f"of cross-validation ({FOLDS})"
    )
    either.add_argument(
        "--validation", metavar="SHARE", type=share, help="validate on this share once instead"
    )
    add_training(parser, time_limit=60.0)
    add_requirements(parser)
    add_reading(parser)
    add_output(parser)
    add_json(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """Choose, train, write and tell."""
    outputs = outputs_of(asked)
    search = oddlearn.OptimalDecisionDiagramClassifierCV(
        asked.skeletons, asked.alphas, **training_parameters(asked)
    )
    check_requirements(asked, search)
    train, test, roles = split_samples(asked, roles_of(asked))
    classes = np.unique(train.labels).tolist()
    parts = _parts(asked, train)
    epsilon = margin_for(asked, train.n_rows)
    search.set_params(cv=parts, epsilon=epsilon, constraints=constraints_of(asked, classes))
    if not asked.quiet:
        _tell_work(asked, parts)
    started = time.perf_counter()
    interrupted = fit_noting_interrupts(search, train, groups_to_compare(asked, train.groups))
    seconds, favourable = time.perf_counter() - started, favourable_of(asked, classes)
    fitted = Fitted(search.best_estimator_, train, test, roles, seconds, interrupted, favourable)
    if not asked.json:
        say(_table(search))
    finished(fitted, outputs, asked, {"tried": _rows(search), "chosen": search.best_params_})
    return 0


def _tell_work(asked: argparse.Namespace, parts: Any) -> None:  # noqa: ANN401
    n_parts = parts if isinstance(parts, int) else len(parts)
    n_cells = len(asked.skeletons) * len(asked.alphas)
    note(f"Trying {n_cells} pairs of skeleton and alpha, each {n_parts} time{'s' * (n_parts != 1)} ...")


def _parts(asked: argparse.Namespace, train: Samples) -> Any:  # noqa: ANN401
    """Return the folds, or the one part to validate on."""
    most = int(np.unique(train.labels, return_counts=True)[1].max())
    if asked.validation is not None:
        is_out = held_out(train.labels, asked.validation, asked.seed)
        if not is_out.any():
            raise InvalidInputError(
                f"--validation {asked.validation:g} leaves no row to validate on: give more."
            )
        return [(np.flatnonzero(~is_out), np.flatnonzero(is_out))]
    if not 2 <= asked.folds <= most:
        raise InvalidInputError(
            f"--folds is {asked.folds}: give a number from 2 to {most}, the rows of the most frequent class."
        )
    return asked.folds


def _rows(search: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    results = search.cv_results_
    return [
        {
            "skeleton": str(results["param_skeleton"][cell]),
            "alpha": float(results["param_alpha"][cell]),
            "score": float(results["mean_test_score"][cell]),
            "deviation": float(results["std_test_score"][cell]),
            "nodes": float(results["mean_n_nodes"][cell]),
        }
        for cell in range(len(results["params"]))
    ]


def _table(search: Any) -> str:  # noqa: ANN401
    """Return all that was tried, the best marked."""
    rows = _rows(search)
    width = max(len("skeleton"), *(len(row["skeleton"]) for row in rows))
    lines = [f"  {'skeleton':{width}s}  {'alpha':>6s}  {'accuracy':>8s}  {'+-':>6s}  {'nodes':>5s}"]
    for cell, row in enumerate(rows):
        mark = ">" if cell == search.best_index_ else " "
        lines.append(
            f"{mark} {row['skeleton']:{width}s}  {row['alpha']:6g}  {percent(row['score']):>8s}  "
            f"{percent(row['deviation']):>6s}  {row['nodes']:5.1f}"
        )
    return "\n".join(lines) + "\n"
