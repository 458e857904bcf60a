"""``oddlearn export``: write a model in another format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from oddlearn.cli.console import check_overwrite, print_note
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.stored_model import add_model_argument, read_model
from oddlearn.errors import InvalidInputError
from oddlearn.export.formats import FORMATS, Format
from oddlearn.table.files import write_whole


def _html_page(model: Any) -> str:  # noqa: ANN401
    from oddlearn.report import html_page  # scipy, which the other formats do not need

    return html_page(model)


HTML_FORMAT = Format(_html_page, ".html", "page to explore in a browser")

DESCRIPTION = """\
Write a model in another format. The predictions of exported code equal those of
'oddlearn predict' on every row.

formats:
"""

EXAMPLES = """\
  oddlearn export model.json --to sql
  oddlearn export model.json --to c --output model.c
  oddlearn export model.json --output diagram.svg               format by suffix
"""


def all_formats() -> dict[str, Format]:
    """Return every registered format and the page, by name."""
    return dict(sorted({**FORMATS, "html": HTML_FORMAT}.items()))


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    formats = all_formats()
    description = DESCRIPTION + "\n".join(f"  {name:8s} {one.description}" for name, one in formats.items())
    parser = add_command(commands, "export", "MODEL --to FORMAT", summary, description, EXAMPLES)
    add_model_argument(parser)
    parser.add_argument("--to", metavar="FORMAT", choices=tuple(formats), help=", ".join(formats))
    parser.add_argument("--output", metavar="FILE", help="file to write instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the model in the given format."""
    name = args.to or _find_format(args.output)
    if args.output is not None:
        check_overwrite([Path(args.output)], args.force, (args.model,))
    elif name == "onnx" and sys.stdout.isatty():
        raise InvalidInputError("ONNX is a binary format: name a file with --output.")
    content = all_formats()[name].function(read_model(args.model).model)
    if args.output is not None:
        write_whole(Path(args.output), content)
        print_note(f"Written: {args.output}")
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content if content.endswith("\n") else f"{content}\n")
    return 0


def _find_format(output: str | None) -> str:
    """Return the only format with the suffix of the output file."""
    suffix = "" if output is None else Path(output).suffix.lower()
    formats = all_formats()
    names = [name for name, one in formats.items() if one.suffix == suffix]
    if len(names) != 1:
        raise InvalidInputError(f"The format is not clear: give --to and one of {', '.join(formats)}.")
    return names[0]
