"""``oddlearn export``: write a model in another format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from oddlearn.cli.console import check_overwrite, print_note
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.stored_model import add_model_argument, read_model
from oddlearn.errors import InvalidInputError
from oddlearn.export import FORMATS as MODEL_FORMATS
from oddlearn.export import Format
from oddlearn.report import html_page
from oddlearn.table.files import write_whole

HTML_FORMAT = Format(html_page, ".html", "page to explore in a browser")
FORMATS = dict(sorted({**MODEL_FORMATS, "html": HTML_FORMAT}.items()))

SUMMARY = "write a model as C, SQL, Python, ONNX, a picture or a page"

DESCRIPTION = f"""\
Write a model in another format. The predictions of exported code equal those of
'oddlearn predict' on every row.

formats:
{chr(10).join(f"  {name:8s} {one.description}" for name, one in FORMATS.items())}"""

EXAMPLES = """\
  oddlearn export model.json --to sql
  oddlearn export model.json --to c --output model.c
  oddlearn export model.json --output diagram.svg               format by suffix
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "export", "MODEL --to FORMAT", SUMMARY, DESCRIPTION, EXAMPLES)
    add_model_argument(parser)
    parser.add_argument("--to", metavar="FORMAT", choices=tuple(FORMATS), help=", ".join(FORMATS))
    parser.add_argument("--output", metavar="FILE", help="file to write instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the model in the given format."""
    name = args.to or _format_of(args.output)
    if args.output is not None:
        check_overwrite([Path(args.output)], args.force)
    elif name == "onnx" and sys.stdout.isatty():
        raise InvalidInputError("ONNX is a binary format: name a file with --output.")
    content = FORMATS[name].function(read_model(args.model).model)
    if args.output is not None:
        write_whole(Path(args.output), content)
        print_note(f"Written: {args.output}")
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content if content.endswith("\n") else f"{content}\n")
    return 0


def _format_of(output: str | None) -> str:
    """Return the only format with the suffix of the output file."""
    suffix = "" if output is None else Path(output).suffix.lower()
    names = [name for name, one in FORMATS.items() if one.suffix == suffix]
    if len(names) != 1:
        raise InvalidInputError(f"The format is not clear: give --to and one of {', '.join(FORMATS)}.")
    return names[0]
