"""``oddlearn tune``: select skeleton and alpha by cross-validation, then train."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.console import print_note, print_result
from oddlearn.cli.constraint_options import (
    add_constraint_options,
    build_constraints,
    check_constraint_options,
    find_favourable,
    select_fit_groups,
)
from oddlearn.cli.fit import fit_with_notes, split_samples
from oddlearn.cli.parser import Commands, add_command, parse_numbers, parse_share, parse_skeletons
from oddlearn.cli.results import FitResult, add_output_options, build_outputs, report_fit
from oddlearn.cli.shared_options import (
    add_column_options,
    add_json_option,
    add_quiet_option,
    add_read_options,
    add_training_options,
    build_parameters,
    build_roles,
    choose_margin,
)
from oddlearn.cli.training_rows import LabelledSamples, holdout_mask
from oddlearn.errors import InvalidInputError
from oddlearn.problem import defaults
from oddlearn.view.number_text import percentage_text

SUMMARY = "select skeleton and alpha by cross-validation, then train"

DESCRIPTION = """\
Cross-validate every pair of skeleton and alpha on the training rows, then train the best pair on all training
rows and write model.json and report.html, as 'oddlearn fit' does. Ties go to the pair with fewer nodes. The
held-out rows (--test-size) are not used for the selection."""

EXAMPLES = """\
  oddlearn tune data.csv --target y
  oddlearn tune data.csv --target y --skeletons 1-2-4,1-2-4-4-4 --alphas 0.01,0.1,0.5 --time-limit 300
  oddlearn tune data.csv --target y --validation 0.25           one validation set instead of 5 folds
  oddlearn tune loans.csv --target paid --sensitive sex --parity 0.8 --favourable yes
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "tune", "DATA --target COLUMN", SUMMARY, DESCRIPTION, EXAMPLES)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    add_column_options(parser)
    group = parser.add_argument_group("grid")
    group.add_argument(
        "--skeletons",
        metavar="LIST",
        type=parse_skeletons,
        default=defaults.SKELETON_GRID,
        help=f"comma-separated ({','.join(defaults.SKELETON_GRID)})",
    )
    alphas = ",".join(f"{alpha:g}" for alpha in defaults.ALPHA_GRID)
    group.add_argument(
        "--alphas",
        metavar="LIST",
        type=parse_numbers,
        default=defaults.ALPHA_GRID,
        help=f"comma-separated ({alphas})",
    )
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--folds",
        metavar="N",
        type=int,
        default=defaults.N_FOLDS,
        help=f"number of folds ({defaults.N_FOLDS})",
    )
    either.add_argument(
        "--validation",
        metavar="SHARE",
        type=parse_share,
        help="validate on one holdout set of this share instead",
    )
    add_training_options(parser, time_limit=defaults.CV_TIME_LIMIT)
    add_constraint_options(parser)
    add_read_options(parser)
    add_output_options(parser)
    add_json_option(parser)
    add_quiet_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Select, train, write the files and print the result."""
    outputs = build_outputs(args)
    search = oddlearn.OptimalDecisionDiagramClassifierCV(
        args.skeletons, args.alphas, **build_parameters(args)
    )
    check_constraint_options(args)
    train, test, roles = split_samples(args, build_roles(args))
    classes = np.unique(train.labels).tolist()
    folds = _build_folds(args, train)
    epsilon = choose_margin(args, train.n_rows)
    search.set_params(cv=folds, epsilon=epsilon, constraints=build_constraints(args, classes))
    if not args.quiet:
        _print_plan(args, folds)
    started = time.perf_counter()
    interrupted = fit_with_notes(search, train, select_fit_groups(args, train.groups))
    seconds, favourable = time.perf_counter() - started, find_favourable(args, classes)
    fitted = FitResult(search.best_estimator_, train, test, roles, seconds, interrupted, favourable)
    if not args.json:
        print_result(_result_table(search))
    report_fit(fitted, outputs, args, {"tried": _result_rows(search), "chosen": search.best_params_})
    return 0


def _print_plan(args: argparse.Namespace, folds: Any) -> None:  # noqa: ANN401
    n_folds = folds if isinstance(folds, int) else len(folds)
    n_cells = len(args.skeletons) * len(args.alphas)
    print_note(f"Trying {n_cells} pairs of skeleton and alpha, each {n_folds} time{'s' * (n_folds != 1)} ...")


def _build_folds(args: argparse.Namespace, train: LabelledSamples) -> Any:  # noqa: ANN401
    """Return the number of folds, or the one split into training and validation rows."""
    most = int(np.unique(train.labels, return_counts=True)[1].max())
    if args.validation is not None:
        is_out = holdout_mask(train.labels, args.validation, args.seed)
        if not is_out.any():
            raise InvalidInputError(
                f"--validation {args.validation:g} leaves no row to validate on: give more."
            )
        return [(np.flatnonzero(~is_out), np.flatnonzero(is_out))]
    if not 2 <= args.folds <= most:
        raise InvalidInputError(
            f"--folds is {args.folds}: give a number from 2 to {most}, the rows of the most frequent class."
        )
    return args.folds


def _result_rows(search: Any) -> list[dict[str, Any]]:  # noqa: ANN401
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


def _result_table(search: Any) -> str:  # noqa: ANN401
    """Return the results of the grid as text; the best is marked."""
    rows = _result_rows(search)
    width = max(len("skeleton"), *(len(row["skeleton"]) for row in rows))
    lines = [f"  {'skeleton':{width}s}  {'alpha':>6s}  {'accuracy':>8s}  {'+-':>6s}  {'nodes':>5s}"]
    for cell, row in enumerate(rows):
        mark = ">" if cell == search.best_index_ else " "
        lines.append(
            f"{mark} {row['skeleton']:{width}s}  {row['alpha']:6g}  {percentage_text(row['score']):>8s}  "
            f"{percentage_text(row['deviation']):>6s}  {row['nodes']:5.1f}"
        )
    return "\n".join(lines) + "\n"
