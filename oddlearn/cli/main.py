"""The command ``oddlearn``: commands and exit codes.

Exit codes: 0 success; 2 invalid input, with one sentence on standard error; 130 interrupted before there was
a result; 141 the reader of standard output has closed it; 1 an internal error, with a traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Container, Sequence
from importlib import import_module

import oddlearn
from oddlearn.cli.console import escape_unencodable, open_closed_streams, print_note, print_warnings
from oddlearn.cli.parser import Parser, add_command_group
from oddlearn.errors import InvalidInputError, OddlearnError

BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

# module and summary of each command; only the module of the command that is run is imported
COMMANDS = {
    "fit": ("oddlearn.cli.fit", "train a diagram on a table"),
    "tune": ("oddlearn.cli.tune", "choose the size of the diagram by cross-validation, then train"),
    "predict": ("oddlearn.cli.predict", "classify the rows of a table"),
    "show": ("oddlearn.cli.show", "print a model: diagram, rules or certificate"),
    "export": ("oddlearn.cli.export", "write a model as C, SQL, Python, ONNX, a picture or a page"),
    "verify": ("oddlearn.cli.verify", "check a model against its training data"),
    "demo": ("oddlearn.cli.demo", "a demo on built-in data, under a minute"),
    "solvers": ("oddlearn.cli.solvers", "list installed solvers and optional packages"),
    "paper": ("oddlearn.cli.paper", "reproduce the paper's study on 54 data sets"),
}

DESCRIPTION = (
    "Optimal decision diagrams for classification: small models that a person can read, with a proof of how "
    "close they are to the best possible."
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


def build_parser(commands: Container[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser; the other commands are listed in its help, without their options."""
    parser = Parser(
        prog="oddlearn", description=DESCRIPTION, epilog=EXAMPLES, usage="oddlearn COMMAND [options]"
    )
    parser.add_argument("--version", action="version", version=f"oddlearn {oddlearn.__version__}")
    parser.set_defaults(run=None)
    group = add_command_group(parser)
    for name, (module, summary) in COMMANDS.items():
        if name in commands:
            import_module(module).add(group, summary)
        else:
            group.add_parser(name, help=summary)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    ``arguments``: without the program's name; those of the process by default.
    """
    open_closed_streams()
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
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = build_parser(given)
    args, unknown = parser.parse_known_args(given)
    if unknown:
        command = getattr(args, "full_name", parser.prog)
        raise InvalidInputError(f"unrecognized arguments: {' '.join(unknown)}. See '{command} --help'.")
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
