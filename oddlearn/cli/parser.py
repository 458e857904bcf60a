"""The parser: help that keeps its line breaks, and one sentence for what it does not understand."""

from __future__ import annotations

import argparse
import shutil
from textwrap import fill
from typing import Any, NoReturn

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError

WIDEST_HELP = 100

# column where the explanations of options begin
INDENT = 26

Commands = Any  # what add_subparsers returns: argparse gives it no public name


class Layout(argparse.HelpFormatter):
    """Help as wide as the terminal up to a width that reads well; indented examples stay as they are."""

    def __init__(self, prog: str) -> None:
        width = min(shutil.get_terminal_size().columns, WIDEST_HELP)
        super().__init__(prog, max_help_position=INDENT, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip("\n").split("\n\n")
        return "\n\n".join(part if "\n  " in part else fill(part, width) for part in paragraphs) + "\n"


class Parser(argparse.ArgumentParser):
    """A parser that refuses in a sentence."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(formatter_class=Layout, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Refuse what was given."""
        raise InvalidInputError(f"{message.rstrip('.')}. See '{self.prog} --help'.")


def add_command_group(parser: argparse.ArgumentParser) -> Commands:
    """Return what commands are added to."""
    return parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=Parser, prog=parser.prog
    )


def add_command(
    commands: Commands, name: str, arguments: str, summary: str, description: str, examples: str
) -> Parser:
    """Add a command with a help that teaches.

    Parameters
    ----------
    commands
        What ``add_command_group`` gave.
    name : str
    arguments : str
        What it cannot do without, for the line of usage.
    summary : str
        A few words for the list of commands.
    description, examples : str
    """
    epilog = f"examples:\n{examples.rstrip()}\n"
    made: Parser = commands.add_parser(name, help=summary, description=description, epilog=epilog)
    made.usage = " ".join(part for part in (made.prog, arguments, "[options]") if part)
    return made


def share(text: str) -> float:
    """Return a number from 0 to below 1."""
    value = _number(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share: give a number from 0 to below 1")
    return value


def seconds(text: str) -> float | None:
    """Return a number above 0, or None for ``none``."""
    if text.lower() == "none":
        return None
    value = _number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: give seconds above 0, or none")
    return value


def skeletons(text: str) -> tuple[str, ...]:
    """Return skeletons with commas between them."""
    given = tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        for part in given:
            Skeleton.parse(part)
    except InvalidInputError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return given


def numbers(text: str) -> tuple[float, ...]:
    """Return numbers with commas between them."""
    return tuple(_number(part) for part in text.split(",") if part.strip())


def seed(text: str) -> int:
    """Return a whole number that numpy takes as a seed."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value < 2**32:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: give a whole number from 0 to 4294967295")
    return value


def whole(text: str) -> int:
    """Return a whole number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of things: give a whole number from 1 on")
    return value


def count_or_share(text: str) -> int | float:
    """Return a whole number of rows, or a share of them if it is written with a point."""
    try:
        return int(text)
    except ValueError:
        return _number(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
