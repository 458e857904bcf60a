"""``oddlearn verify``: check a model and its certificate against the data it was trained on."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import oddlearn
from oddlearn.cli.column_roles import Roles
from oddlearn.cli.console import rows_told, say, say_json
from oddlearn.cli.parser import Commands, add_command, seed, share
from oddlearn.cli.shared_options import add_json, add_reading, read_noted, reading_of
from oddlearn.cli.stored_model import StoredModel, add_model, read_model
from oddlearn.cli.training_rows import Samples, held_out, samples_of
from oddlearn.errors import InvalidInputError, VerificationError

SUMMARY = "check a model against its training data"

DESCRIPTION = """\
Check that a diagram has the objective its certificate states, on the data it was trained on. No solver is
needed. The file says which rows were held out, which columns were dropped and so on; for models that were
not made by 'oddlearn fit', say so by options."""

EXAMPLES = """\
  oddlearn verify model.json data.csv
  oddlearn verify saved.json training.csv --target y --test-size 0
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "verify", "MODEL DATA", SUMMARY, DESCRIPTION, EXAMPLES)
    add_model(parser)
    parser.add_argument("data", help="the table that was given to 'oddlearn fit'")
    group = parser.add_argument_group("columns and rows, if the model file does not know them")
    group.add_argument("--target", metavar="COLUMN", help="the labels")
    group.add_argument("--weights", metavar="COLUMN", help="weight of each row")
    group.add_argument("--test-size", metavar="SHARE", type=share, help="that was held out; 0 for none")
    group.add_argument("--seed", metavar="N", type=seed, help="of the rows held out")
    add_reading(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """Check and tell."""
    stored = read_model(asked.model)
    roles = _roles(asked, stored)
    samples = _training_part(asked, stored, roles)
    compares = any(getattr(constraint, "needs_groups", False) for constraint in stored.model.constraints)
    further: dict[str, Any] = {"sensitive_features": samples.groups} if compares else {}
    try:
        found = oddlearn.verify(stored.model, samples.features, samples.labels, samples.weights, **further)
    except VerificationError as problem:
        raise VerificationError(
            f"{asked.model} does not stand the check against {asked.data}. {problem}"
        ) from None
    if asked.json:
        say_json(
            {
                "verified": True,
                "rows": samples.n_rows,
                "objective": found.objective,
                "lower_bound": found.lower_bound,
                "is_optimal": found.is_optimal,
                "text": found.text,
            }
        )
    else:
        say(f"Verified on {rows_told(samples.n_rows)}.\n{found.text}")
    return 0


def _roles(asked: argparse.Namespace, stored: StoredModel) -> Roles:
    """Return what the file knows of its origin, and what the options say instead."""
    given = {name: getattr(asked, name) for name in ("target", "weights", "test_size", "seed")}
    told = {name: value for name, value in given.items() if value is not None}
    if stored.roles is not None:
        return replace(stored.roles, **told)
    if asked.target is None:
        raise InvalidInputError(f"{asked.model} does not know its target column: name it with --target.")
    return Roles(**({"test_size": 0.0} | told))


def _training_part(asked: argparse.Namespace, stored: StoredModel, roles: Roles) -> Samples:
    """Return the rows the model was trained on, with its columns in its order."""
    table = read_noted(asked.data, reading_of(asked, stored.roles), stored.text_columns)
    named = getattr(stored.model, "feature_names_in_", None)
    if named is not None:
        beside = [name for name in (roles.target, roles.weights, *roles.sensitive) if name is not None]
        needed = [table.column(str(name), "the model needs it") for name in named]
        table = replace(table, columns=(*needed, *(table.column(name) for name in beside)))
        roles = replace(roles, dropped=())
    samples, _ = samples_of(table, roles)
    return samples.rows(~held_out(samples.labels, roles.test_size, roles.seed))
