"""``oddlearn show``: print a model."""

from __future__ import annotations

import argparse
from typing import Any

from oddlearn.cli.console import print_json
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.results import certificate_content
from oddlearn.cli.stored_model import CliModel, add_model_argument, read_model
from oddlearn.export.formats import FORMATS
from oddlearn.table.checks import list_names
from oddlearn.view.number_text import plural

DESCRIPTION = """\
Print the diagram of a model as text, its metrics and its certificate, or one of the other views. Use
'oddlearn export' for files with pictures and code."""

EXAMPLES = """\
  oddlearn show model.json
  oddlearn show model.json --rules
  oddlearn show model.json --certificate
  oddlearn show model.json --svg > diagram.svg
"""

MAX_LISTED_CLASSES = 8  # classes listed in the first line; the others are counted


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "show", "MODEL", summary, DESCRIPTION, EXAMPLES)
    add_model_argument(parser)
    view = parser.add_mutually_exclusive_group()
    descriptions = {name: one.description for name, one in FORMATS.items() if not one.is_code}
    for name, description in {"certificate": "proofs and bounds", **descriptions}.items():
        view.add_argument(f"--{name}", dest="view", action="store_const", const=name, help=description)
    parser.add_argument(
        "--verbose", action="store_true", help="print also what each solver contributed to the certificate"
    )
    view.add_argument("--json", action="store_true", help="a summary as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the requested view."""
    stored = read_model(args.model)
    if args.json:
        metrics = {"metrics": None if stored.metrics is None else stored.metrics.to_dict()}
        print_json({**_columns(stored), **metrics, **certificate_content(stored.model)})
    elif args.view is None:
        print(f"{_headline(stored)}\n")
        print(_content("text", stored))
        if stored.metrics is not None:
            print(f"\n{stored.metrics.summary()}")
        print(f"\n{stored.model.certificate_.explain(details=args.verbose)}")
    elif args.view == "certificate":
        print(stored.model.certificate_.explain(details=True))
    else:
        print(_content(args.view, stored))
    return 0


def _content(name: str, stored: CliModel[Any]) -> str:
    return str(FORMATS[name].function(stored.model)).rstrip("\n")


def _columns(stored: CliModel[Any]) -> dict[str, object]:
    names = [str(name) for name in getattr(stored.model, "feature_names_in_", ())]
    return {"target": stored.roles.target if stored.roles else None, "columns": names}


def _headline(stored: CliModel[Any]) -> str:
    model = stored.model
    target = f" of {stored.roles.target!r}" if stored.roles else ""
    classes = list_names([str(label) for label in model.classes_], MAX_LISTED_CLASSES)
    size = f"{plural(model.n_nodes_, 'node')} on {model.n_features_in_} columns"
    return f"{size}, for the {model.classes_.size} classes{target}: {classes}"
