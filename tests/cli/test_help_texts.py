"""All help texts, and the default of each option, compared with a stored file.

After a wanted change: run this file with ``ODDLEARN_UPDATE=1`` and look at ``git diff``.
"""

import argparse
from pathlib import Path

from oddlearn.cli.main import COMMANDS, build_parser
from tests.stored_texts import compare_text


def list_parsers(parser):
    """Return a parser and those of its commands, which no option leads to."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    inner = [one for group in groups for one in group.choices.values()]
    return [parser, *(found for one in inner for found in list_parsers(one))]


def describe_option(action):
    """Return what an option takes: its values, how many, the function that reads them, and the default."""
    reader = getattr(action.type, "__name__", None)
    choices = None if action.choices is None else list(action.choices)
    kind = type(action).__name__
    words = [kind, action.dest, action.nargs, reader, choices, action.required, action.default]
    return " ".join(map(str, words))


def print_help_of(parser):
    """Return the help of a command, and below it what its options take."""
    options = sorted(describe_option(one) for one in parser._actions if one.dest not in ("help", "version"))
    return "\n".join([f"=== {parser.prog}", parser.format_help(), *options, ""])


def test_help_texts_and_defaults(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    parsers = list_parsers(build_parser(COMMANDS))
    compare_text(Path(__file__).with_name("help_texts.txt"), "\n".join(map(print_help_of, parsers)))
