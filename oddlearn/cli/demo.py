"""``oddlearn demo``: a demo on built-in data."""

from __future__ import annotations

import argparse
from pathlib import Path

from oddlearn.cli.parser import Commands, add_command

SUMMARY = "a demo on built-in data, under a minute"

DESCRIPTION = """\
Train two diagrams on scikit-learn's breast cancer data, one with single features and one with weighted
sums, print them, and write a picture, a model and a report of each."""

EXAMPLES = """\
  oddlearn demo
  oddlearn demo --output /tmp/tour
"""


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "demo", "", SUMMARY, DESCRIPTION, EXAMPLES)
    parser.add_argument(
        "--output", metavar="DIR", default="demo", help="folder of the files; it is created if missing (demo)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the demo."""
    from oddlearn.cli.demo_models import run_demo

    run_demo(Path(args.output))
    return 0
