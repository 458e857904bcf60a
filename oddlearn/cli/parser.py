"""The argument parser: help layout, errors as one sentence, types of options."""

from __future__ import annotations

import argparse
import math
import shutil
from textwrap import fill
from typing import Any, NoReturn

from oddlearn.errors import InvalidInputError

MAX_HELP_WIDTH = 100

INDENT = 26  # column where the help of options begins

Commands = Any  # the result of add_subparsers, which has no public type


class HelpFormatter(argparse.HelpFormatter):
    """Help as wide as the terminal up to a maximum; indented examples keep their line breaks."""

    def __init__(self, prog: str) -> None:
        width = min(shutil.get_terminal_size().columns, MAX_HELP_WIDTH)
        super().__init__(prog, max_help_position=INDENT, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip("\n").split("\n\n")
        return "\n\n".join(part if "\n  " in part else fill(part, width) for part in paragraphs) + "\n"


class Parser(argparse.ArgumentParser):
    """A parser that raises InvalidInputError with one sentence."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(formatter_class=HelpFormatter, allow_abbrev=False, **options)
        self._positionals.title = "arguments"

    def error(self, message: str) -> NoReturn:
        """Raise InvalidInputError."""
        raise InvalidInputError(f"{message.rstrip('.')}. See '{self.prog} --help'.")


def add_command_group(parser: argparse.ArgumentParser) -> Commands:
    """Return the group to which commands are added."""
    return parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=Parser, prog=parser.prog
    )


def add_command(
    commands: Commands, name: str, arguments: str, summary: str, description: str, examples: str
) -> Parser:
    """Add a command with a description and examples.

    ``commands``: result of ``add_command_group``.
    ``arguments``: required arguments, for the usage line.
    ``summary``: short description for the list of commands.
    """
    epilog = f"examples:\n{examples.rstrip()}\n"
    made: Parser = commands.add_parser(name, help=summary, description=description, epilog=epilog)
    made.set_defaults(full_name=made.prog)  # of a command in a command the inner one
    made.usage = " ".join(part for part in (made.prog, arguments, "[options]") if part)
    return made


def parse_share(text: str) -> float:
    """Return a number from 0 to below 1."""
    value = parse_number(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share: give a number from 0 to below 1")
    return value


def parse_seconds(text: str) -> float | None:
    """Return a number above 0, or None for ``none``."""
    if text.lower() == "none":
        return None
    value = parse_number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: give seconds above 0, or none")
    return value


def parse_skeletons(text: str) -> tuple[str, ...]:
    """Return the skeletons of a comma-separated list."""
    from oddlearn.diagram.skeleton import Skeleton  # numpy, which the help does not need

    given = tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        for part in given:
            Skeleton.parse(part)
    except InvalidInputError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return given


def parse_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a comma-separated list."""
    return tuple(parse_number(part) for part in text.split(",") if part.strip())


def parse_seed(text: str) -> int:
    """Return a whole number that numpy takes as a seed."""
    return _parse_int(text, 0, 2**32 - 1, "a seed: give a whole number from 0 to 4294967295")


def parse_positive_int(text: str) -> int:
    """Return a whole number of at least 1."""
    return _parse_int(text, 1, math.inf, "a number of things: give a whole number from 1 on")


def _parse_int(text: str, low: float, high: float, words: str) -> int:
    try:
        value: int | None = int(text)
    except ValueError:
        value = None
    if value is None or not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not {words}")
    return value


def parse_whole(text: str) -> int:
    """Return a whole number; its limits are those of the parameter that it becomes."""
    return _parse_int(text, -math.inf, math.inf, "a whole number")


def parse_depth(text: str) -> int | str:
    """Return a depth, or ``none`` for a tree without a limit."""
    if text.lower() == "none":
        return "none"
    return _parse_int(text, 1, math.inf, "a depth: give 1 or more, or none")


def parse_limit(text: str) -> int | None:
    """Return a whole number of at least 1, or None for ``none``."""
    return None if text.lower() == "none" else parse_positive_int(text)


def parse_count_or_share(text: str) -> int | float:
    """Return a whole number of rows, or a share of them if it is written with a point."""
    try:
        return int(text)
    except ValueError:
        return parse_number(text)


def parse_number(text: str) -> float:
    """Return a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
