"""The command ``oddlearn``: what was asked for, and how it ended.

Ends with 0 when all went well, 2 when what was given is at fault (one sentence on standard error), 130 when
it was interrupted before there was anything to keep, 141 when nobody reads its output any more. Anything else
is an error of oddlearn: Python's traceback and 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import oddlearn
from oddlearn.cli import demo, export, fit, paper, predict, show, solvers, tune, verify
from oddlearn.cli.console import note, show_all_characters, told_warnings
from oddlearn.cli.parser import Parser, add_command_group
from oddlearn.errors import OddlearnError

BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

COMMANDS = (fit, tune, predict, show, export, verify, demo, solvers, paper)

DESCRIPTION = (
    "Optimal decision diagrams for classification: small models to read, with a proof of how good they are."
)

EXAMPLES = """\
start here:
  oddlearn demo                                    a tour on built-in data, under a minute
  oddlearn fit data.csv --target y                 train; writes model.json and report.html
  oddlearn show model.json                         read the diagram and its certificate
  oddlearn predict model.json new.csv              classify other rows
  oddlearn export model.json --to sql              take it where no Python is
  oddlearn COMMAND --help                          options and examples of a command

Results go to standard output, progress and notes to standard error.
Exit codes: 0 done, 2 something given is wrong (said in one sentence), 1 an error of oddlearn.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    made = Parser(
        prog="oddlearn", description=DESCRIPTION, epilog=EXAMPLES, usage="oddlearn COMMAND [options]"
    )
    made.add_argument("--version", action="version", version=f"oddlearn {oddlearn.__version__}")
    made.set_defaults(run=None)
    group = add_command_group(made)
    for command in COMMANDS:
        command.add(group)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; those of the process by default.
    """
    show_all_characters()
    try:
        with told_warnings():
            code = _run(arguments)
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes standard output once more at its end, which must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (OddlearnError, OSError, MemoryError) as problem:
        note(f"oddlearn: {_sentence(problem)}")
        return BAD_INPUT
    except KeyboardInterrupt:
        note("oddlearn: interrupted; no file was left half-written.")
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    made = parser()
    asked = made.parse_args(arguments)
    if asked.run is None:
        made.print_help()
        return 0
    return int(asked.run(asked))


def _sentence(problem: BaseException) -> str:
    if isinstance(problem, MemoryError):
        return "the memory is too small for this table: give fewer rows."
    if isinstance(problem, OSError):
        named = f"{problem.filename}: " if problem.filename else ""
        return f"{named}{problem.strerror or problem}."
    return " ".join(str(problem).split())
