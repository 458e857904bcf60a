"""``oddlearn tune``: select skeleton and penalty by cross-validation, then train."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import oddlearn
from oddlearn.cli.console import print_note
from oddlearn.cli.fit import add_further_options, train_model
from oddlearn.cli.parser import (
    Commands,
    add_command,
    parse_numbers,
    parse_share,
    parse_skeletons,
    parse_whole,
)
from oddlearn.cli.results import build_outputs, report_fit
from oddlearn.cli.shared_options import add_column_options, build_parameters
from oddlearn.cli.training_rows import holdout_mask
from oddlearn.errors import InvalidInputError
from oddlearn.problem import defaults
from oddlearn.table.samples import LabelledSamples
from oddlearn.view.number_text import percentage_text, plural

DESCRIPTION = """\
Try every skeleton (how many nodes in each layer) with every price of a node by cross-validation on the
training rows, then train the best pair on all of them and write model.json and report.html, as 'oddlearn fit'
does. Ties go to the pair with fewer nodes. The held-out rows (--test-size) take no part in the choice."""

EXAMPLES = """\
  oddlearn tune data.csv --target y
  oddlearn tune data.csv --target y --skeletons 1-2-4,1-2-4-4-4 --node-prices 0.002,0.01 --time-limit 300
  oddlearn tune data.csv --target y --scoring roc_auc --balanced
  oddlearn tune data.csv --target y --validation 0.25           one validation set instead of 5 folds
  oddlearn tune loans.csv --target paid --sensitive sex --parity 0.8 --favourable yes
"""


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "tune", "DATA --target COLUMN", summary, DESCRIPTION, EXAMPLES)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    add_column_options(parser)
    group = parser.add_argument_group("what is tried")
    group.add_argument(
        "--skeletons",
        metavar="LIST",
        type=parse_skeletons,
        default=defaults.SKELETON_GRID,
        help=f"most nodes of each layer, comma-separated ({','.join(defaults.SKELETON_GRID)})",
    )
    alphas = ",".join(f"{alpha:g}" for alpha in defaults.ALPHA_GRID)
    penalties = group.add_mutually_exclusive_group()
    penalties.add_argument(
        "--node-prices",
        metavar="LIST",
        type=parse_numbers,
        help="shares of the rows a node must save from errors, comma-separated",
    )
    penalties.add_argument(
        "--alphas",
        metavar="LIST",
        type=parse_numbers,
        help=f"prices of all nodes of a skeleton together, instead ({alphas})",
    )
    group.add_argument(
        "--scoring",
        metavar="NAME",
        help="score to select by, as scikit-learn names it: roc_auc, balanced_accuracy, ... (accuracy)",
    )
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--folds",
        metavar="N",
        type=parse_whole,
        default=defaults.N_FOLDS,
        help=f"parts of the rows; each is predicted once by the others ({defaults.N_FOLDS})",
    )
    either.add_argument(
        "--validation",
        metavar="SHARE",
        type=parse_share,
        help="predict this share of the rows once, instead of folds",
    )
    add_further_options(parser, time_limit=defaults.CV_TIME_LIMIT)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Select, train, write the files and print the result."""
    outputs = build_outputs(args)
    search = oddlearn.OptimalDecisionDiagramClassifierCV(
        args.skeletons, args.alphas, args.node_prices, scoring=args.scoring, **build_parameters(args)
    )
    result = train_model(search, args, lambda train: {"cv": _choose_folds(args, train)})
    if not args.json:
        print(_result_table(search))
    report_fit(result, outputs, args, {"tried": _result_rows(search), "chosen": search.best_params_})
    return 0


def _choose_folds(args: argparse.Namespace, train: LabelledSamples) -> Any:  # noqa: ANN401
    """Return the parameter ``cv``, and say what will be tried."""
    folds = _build_folds(args, train)
    if not args.quiet:
        times = plural(folds if isinstance(folds, int) else len(folds), "time")
        n_penalties = len(args.node_prices or args.alphas or defaults.ALPHA_GRID)
        n_pairs = len(args.skeletons) * n_penalties
        print_note(f"Trying {n_pairs} pairs of skeleton and penalty, each {times} ...")
    return folds


def _build_folds(args: argparse.Namespace, train: LabelledSamples) -> Any:  # noqa: ANN401
    """Return the number of folds, or the one split into training and validation rows."""
    most = int(np.unique(train.y, return_counts=True)[1].max())
    if args.validation is not None:
        is_out = holdout_mask(train.y, args.validation, args.seed)
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
    results, penalty = search.cv_results_, _penalty_name(search)
    return [
        {
            "skeleton": str(results["param_skeleton"][cell]),
            penalty: float(results[f"param_{penalty}"][cell]),
            "score": float(results["mean_test_score"][cell]),
            "deviation": float(results["std_test_score"][cell]),
            "nodes": float(results["mean_n_nodes"][cell]),
        }
        for cell in range(len(results["params"]))
    ]


def _result_table(search: Any) -> str:  # noqa: ANN401
    """Return the results of the grid as text; the best is marked."""
    rows, penalty, score = _result_rows(search), _penalty_name(search), search.scoring or "accuracy"
    width = max(len("skeleton"), *(len(row["skeleton"]) for row in rows))
    columns = (len(penalty) + 1, max(8, len(score)))
    head = f"{penalty:>{columns[0]}s}  {score:>{columns[1]}s}  {'+-':>6s}  {'nodes':>5s}"
    lines = [f"  {'skeleton':{width}s}  {head}"]
    for cell, row in enumerate(rows):
        mark = ">" if cell == search.best_index_ else " "
        lines.append(
            f"{mark} {row['skeleton']:{width}s}  {row[penalty]:{columns[0]}g}  "
            f"{_score_text(score, row['score']):>{columns[1]}s}  "
            f"{_score_text(score, row['deviation']):>6s}  {row['nodes']:5.1f}"
        )
    return "\n".join(lines) + "\n"


def _penalty_name(search: Any) -> str:  # noqa: ANN401
    return "node_price" if "node_price" in search.best_params_ else "alpha"


def _score_text(scoring: str, score: float) -> str:
    return percentage_text(score) if scoring in ("accuracy", "balanced_accuracy") else f"{score:.4f}"
