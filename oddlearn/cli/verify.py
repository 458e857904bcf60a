"""``oddlearn verify``: check a model and its certificate against the data it was trained on."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import oddlearn
from oddlearn.cli.console import print_json
from oddlearn.cli.parser import Commands, add_command, parse_seed, parse_share
from oddlearn.cli.shared_options import add_json_option, add_read_options, build_read_options, read_with_notes
from oddlearn.cli.stored_model import CliModel, ColumnRoles, add_model_argument, read_estimator
from oddlearn.cli.streamed_tables import is_streamed, open_streamed, training_batches
from oddlearn.cli.training_rows import build_samples, holdout_mask
from oddlearn.errors import InvalidInputError, VerificationError
from oddlearn.table.samples import LabelledSamples
from oddlearn.view.number_text import plural

if TYPE_CHECKING:
    from oddlearn.streaming.file_batches import FileBatches

DESCRIPTION = """\
Check that a model does on its training data what its certificate says. No solver is needed. Files of
'oddlearn fit' hold the target, the dropped columns and the held-out rows; for models that were saved from
Python, give them by options."""

EXAMPLES = """\
  oddlearn verify model.json data.csv
  oddlearn verify saved.json training.csv --target y --test-size 0
"""


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "verify", "MODEL DATA", summary, DESCRIPTION, EXAMPLES)
    add_model_argument(parser)
    parser.add_argument("data", help="the table that was given to 'oddlearn fit'")
    group = parser.add_argument_group("columns and rows, for models saved from Python")
    group.add_argument("--target", metavar="COLUMN", help="column to predict")
    group.add_argument("--weights", metavar="COLUMN", help="column of the sample weights")
    group.add_argument(
        "--test-size", metavar="SHARE", type=parse_share, help="share of rows that was held out; 0 for none"
    )
    group.add_argument("--seed", metavar="N", type=parse_seed, help="random seed of the held-out rows")
    add_read_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Verify the model and print the result."""
    stored = read_estimator(args.model)
    roles = _roles(args, stored)
    further: dict[str, Any] = {}
    if is_streamed(args.data):
        given: tuple[Any, ...] = (_open_training_rows(args, stored, roles), None, None)
        n_rows = sum(batch.n_rows for batch in given[0].read([]))  # without those held out
    else:
        samples = _select_training_rows(args, stored, roles)
        given, n_rows = (samples.X, samples.y, samples.sample_weight), samples.n_rows
        if any(getattr(constraint, "needs_groups", False) for constraint in stored.model.constraints):
            further = {"sensitive_features": samples.sensitive_features}
    try:
        found = oddlearn.verify(stored.model, *given, **further)
    except VerificationError as problem:
        raise VerificationError(
            f"{args.model} does not pass the check against {args.data}. {problem}"
        ) from None
    if args.json:
        fields = {name: getattr(found, name) for name in ("objective", "lower_bound", "is_optimal", "text")}
        print_json({"verified": True, "rows": n_rows, **fields})
    else:
        print(f"Verified on {plural(n_rows, 'row')}.\n{found.text}")
    return 0


def _roles(args: argparse.Namespace, stored: CliModel[Any]) -> ColumnRoles:
    """Return the training metadata of the file, with the given options in place of its own."""
    given = {name: getattr(args, name) for name in ("target", "weights", "test_size", "seed")}
    options = {name: value for name, value in given.items() if value is not None}
    if stored.roles is not None:
        return replace(stored.roles, **options)
    if args.target is None:
        raise InvalidInputError(f"{args.model} does not name its target column: give --target.")
    return ColumnRoles(**({"test_size": 0.0} | options))


def _open_training_rows(args: argparse.Namespace, stored: CliModel[Any], roles: ColumnRoles) -> FileBatches:
    """Return the rows of a folder or large file that the model was trained on, in batches."""
    batches = training_batches(open_streamed(args, roles, roles.target), roles)
    named = getattr(stored.model, "feature_names_in_", None)
    if named is None:
        return batches
    lacking = [str(name) for name in named if name not in batches.names]
    if lacking:
        raise InvalidInputError(f"{args.data} has no column {lacking[0]!r}, which the model needs.")
    return replace(batches, names=tuple(map(str, named)))


def _select_training_rows(
    args: argparse.Namespace, stored: CliModel[Any], roles: ColumnRoles
) -> LabelledSamples:
    """Return the rows the model was trained on, with its columns in its order."""
    table = read_with_notes(args.data, build_read_options(args, stored.roles), stored.text_columns)
    named = getattr(stored.model, "feature_names_in_", None)
    if named is not None:
        beside = [name for name in (roles.target, roles.weights, *roles.sensitive) if name is not None]
        needed = [table.column(str(name), "the model needs it") for name in named]
        table = replace(table, columns=(*needed, *(table.column(name) for name in beside)))
        roles = replace(roles, dropped=())
    samples, _ = build_samples(table, roles)
    return samples.rows(~holdout_mask(samples.y, roles.test_size, roles.seed))
