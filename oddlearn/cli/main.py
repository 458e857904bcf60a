"""The command ``oddlearn``: commands and exit codes.

Exit codes: 0 success; 2 invalid input, with one sentence on standard error; 130 interrupted before there was
a result; 141 the reader of standard output has closed it; 1 an internal error, with a traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import oddlearn
from oddlearn.cli import demo, export, fit, paper, predict, show, solvers, tune, verify
from oddlearn.cli.console import escape_unencodable, print_note, print_warnings
from oddlearn.cli.parser import Parser, add_command_group
from oddlearn.errors import OddlearnError

BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

COMMANDS = (fit, tune, predict, show, export, verify, demo, solvers, paper)

DESCRIPTION = (
    "Optimal decision diagrams for classification: small, readable models with a proven optimality gap."
)

EXAMPLES = """\
start here:
  oddlearn demo                                    a demo on built-in data, under a minute
  oddlearn fit data.csv --target y                 train; writes model.json and report.html
  oddlearn show model.json                         print the diagram and its certificate
  oddlearn predict model.json new.csv              classify the rows of a table
  oddlearn export model.json --to sql              write it as SQL
  oddlearn COMMAND --help                          options and examples of a command

Results go to standard output, progress and notes to standard error.
Exit codes: 0 success, 2 invalid input (explained in one sentence), 1 an internal error.
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="oddlearn", description=DESCRIPTION, epilog=EXAMPLES, usage="oddlearn COMMAND [options]"
    )
    parser.add_argument("--version", action="version", version=f"oddlearn {oddlearn.__version__}")
    parser.set_defaults(run=None)
    group = add_command_group(parser)
    for command in COMMANDS:
        command.add(group)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; those of the process by default.
    """
    escape_unencodable()
    try:
        with print_warnings():
            code = _run(arguments)
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes standard output once more at its end, which must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (OddlearnError, OSError, MemoryError) as problem:
        print_note(f"oddlearn: {_sentence(problem)}")
        return BAD_INPUT
    except KeyboardInterrupt:
        print_note("oddlearn: interrupted; no file was left half-written.")
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    parser = build_parser()
    args = parser.parse_args(arguments)
    if args.run is None:
        parser.print_help()
        return 0
    return int(args.run(args))


def _sentence(problem: BaseException) -> str:
    if isinstance(problem, MemoryError):
        return "the memory is too small for this table: give fewer rows."
    if isinstance(problem, OSError):
        named = f"{problem.filename}: " if problem.filename else ""
        return f"{named}{problem.strerror or problem}."
    return " ".join(str(problem).split())
