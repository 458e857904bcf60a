"""``oddlearn export``: take a model where no Python is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from oddlearn.cli.console import note
from oddlearn.cli.files import check_free
from oddlearn.cli.models import add_model, read_model
from oddlearn.cli.parsing import Commands, add_command
from oddlearn.cli.views import FORMS, view
from oddlearn.errors import InvalidInputError
from oddlearn.files import write_whole

SUMMARY = "write a model as C, SQL, Python, ONNX, a picture or a page"

DESCRIPTION = f"""\
Write a model in another form. Code agrees with 'oddlearn predict' on every row, rows on a threshold
included.

forms:
{chr(10).join(f"  {form:8s} {what}" for form, (what, _) in FORMS.items())}"""

EXAMPLES = """\
  oddlearn export model.json --to sql
  oddlearn export model.json --to c --output model.c
  oddlearn export model.json --output diagram.svg               the ending tells the form
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "export", "MODEL --to FORM", SUMMARY, DESCRIPTION, EXAMPLES)
    add_model(parser)
    parser.add_argument("--to", metavar="FORM", choices=tuple(FORMS), help=", ".join(FORMS))
    parser.add_argument("--output", metavar="FILE", help="write here instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there already")
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """Write the model in the form that is asked for."""
    form = asked.to or _form_of(asked.output)
    if asked.output is not None:
        check_free([Path(asked.output)], asked.force)
    elif form == "onnx" and sys.stdout.isatty():
        raise InvalidInputError("An ONNX file is not for terminals: name a file with --output.")
    content = view(form, read_model(asked.model).model)
    if asked.output is not None:
        write_whole(Path(asked.output), content)
        note(f"Written: {asked.output}")
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content if content.endswith("\n") else f"{content}\n")
    return 0


def _form_of(output: str | None) -> str:
    ending = "" if output is None else Path(output).suffix.lower()
    fitting = [form for form, (_, usual) in FORMS.items() if usual == ending]
    if len(fitting) != 1:
        raise InvalidInputError(f"The form is not clear: give --to and one of {', '.join(FORMS)}.")
    return fitting[0]
