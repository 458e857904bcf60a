"""``oddlearn show``: read a model."""

from __future__ import annotations

import argparse

from oddlearn.cli.console import say, say_json
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.results import certificate_content
from oddlearn.cli.stored_model import StoredModel, add_model, read_model
from oddlearn.export import FORMATS

SUMMARY = "read a model: the diagram, its rules, its certificate"

DESCRIPTION = """\
Print what a model is: the diagram as text and the certificate, or one of the other views. Pictures and code
for other programs are written by 'oddlearn export'."""

EXAMPLES = """\
  oddlearn show model.json
  oddlearn show model.json --rules
  oddlearn show model.json --certificate
  oddlearn show model.json --svg > diagram.svg
"""

# classes named in the first line, the others are counted
MOST_CLASSES = 8


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "show", "MODEL", SUMMARY, DESCRIPTION, EXAMPLES)
    add_model(parser)
    view = parser.add_mutually_exclusive_group()
    descriptions = {name: one.description for name, one in FORMATS.items() if not one.is_code}
    for name, description in {"certificate": "proofs and bounds", **descriptions}.items():
        view.add_argument(f"--{name}", dest="view", action="store_const", const=name, help=description)
    view.add_argument("--json", action="store_true", help="a summary as JSON")
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """Print what is asked for."""
    stored = read_model(asked.model)
    if asked.json:
        say_json({**_columns(stored), **certificate_content(stored.model)})
    elif asked.view is None:
        say(f"{_headline(stored)}\n")
        say(_content("text", stored))
        say(f"\n{stored.model.certificate_.explain()}")
    elif asked.view == "certificate":
        say(stored.model.certificate_.explain())
    else:
        say(_content(asked.view, stored))
    return 0


def _content(name: str, stored: StoredModel) -> str:
    return str(FORMATS[name].function(stored.model)).rstrip("\n")


def _columns(stored: StoredModel) -> dict[str, object]:
    names = [str(name) for name in getattr(stored.model, "feature_names_in_", ())]
    return {"target": stored.roles.target if stored.roles else None, "columns": names}


def _headline(stored: StoredModel) -> str:
    model = stored.model
    target = f" of {stored.roles.target!r}" if stored.roles else ""
    classes = ", ".join(str(label) for label in model.classes_[:MOST_CLASSES])
    others = model.classes_.size - MOST_CLASSES
    more = f" and {others} more" if others > 0 else ""
    return (
        f"{model.n_nodes_} node{'s' * (model.n_nodes_ != 1)} on {model.n_features_in_} columns, for the "
        f"{model.classes_.size} classes{target}: {classes}{more}"
    )
