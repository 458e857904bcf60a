"""Options for constraints on the diagram."""

from __future__ import annotations

import argparse
from typing import Any

from oddlearn.cli.parser import parse_count_or_share, parse_number, parse_whole
from oddlearn.constraints import DemographicParity, EqualOpportunity, MaxNodes, MinFlow
from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import quote_names

# option -> constraint, its parameter, and True if it compares groups
CONSTRAINTS: dict[str, tuple[type[Any], str, bool]] = {
    "min_flow": (MinFlow, "samples", False),
    "max_nodes": (MaxNodes, "nodes", False),
    "parity": (DemographicParity, "ratio", True),
    "opportunity": (EqualOpportunity, "ratio", True),
}


def add_constraint_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for constraints."""
    group = parser.add_argument_group("constraints", "What the diagram must satisfy on the training rows.")
    group.add_argument(
        "--min-flow",
        metavar="ROWS",
        type=parse_count_or_share,
        help="least rows that pass each node; 0.05 for a share of all",
    )
    group.add_argument("--max-nodes", metavar="N", type=parse_whole, help="most nodes")
    group.add_argument(
        "--sensitive",
        metavar="COLUMN",
        action="append",
        default=[],
        help="column of groups, such as sex: compared and reported on, never used to predict; repeatable",
    )
    group.add_argument(
        "--parity",
        metavar="RATIO",
        type=parse_number,
        help="least ratio of how often any two groups get the favourable class, such as 0.8",
    )
    group.add_argument(
        "--opportunity",
        metavar="RATIO",
        type=parse_number,
        help="the same, among the rows whose true class is the favourable one",
    )
    group.add_argument(
        "--favourable", metavar="LABEL", help="the class that is good to get (the last one if there are two)"
    )


def check_constraint_options(args: argparse.Namespace) -> None:
    """Raise InvalidInputError if an option is about groups and none are named."""
    if args.favourable is not None and not args.sensitive:
        raise InvalidInputError(
            "--favourable names the class whose rates are compared between groups: name their column with "
            "--sensitive, or leave it out."
        )
    for option, (_, _, compares_groups) in CONSTRAINTS.items():
        if compares_groups and getattr(args, option) is not None and not args.sensitive:
            flag = f"--{option.replace('_', '-')}"
            raise InvalidInputError(f"{flag} compares groups: name their column with --sensitive.")


def build_constraints(args: argparse.Namespace, classes: list[Any]) -> tuple[Any, ...]:
    """Return the constraints of the options; ``classes`` are the labels."""
    favourable = find_favourable(args, classes)
    constraints = []
    for option, (constraint, parameter, compares_groups) in CONSTRAINTS.items():
        value = getattr(args, option)
        if value is None:
            continue
        parameters = {parameter: value}
        if compares_groups and favourable is not None:
            parameters["favourable"] = favourable
        elif compares_groups and len(classes) > 2:
            raise InvalidInputError(
                f"--{option} compares rates of the favourable class, and there are {len(classes)} classes: "
                f"name it with --favourable LABEL, one of {quote_names(classes)}."
            )
        constraints.append(constraint(**parameters))
    return tuple(constraints)


def any_compares_groups(args: argparse.Namespace) -> bool:
    """Return True if a constraint of the options compares groups."""
    return any(
        getattr(args, option) is not None for option, (_, _, compares) in CONSTRAINTS.items() if compares
    )


def find_favourable(args: argparse.Namespace, classes: list[Any]) -> Any:  # noqa: ANN401
    """Return the favourable class, None if it is not named."""
    if args.favourable is None:
        return None
    for label in classes:
        if str(label) == args.favourable:
            return label
    raise InvalidInputError(
        f"--favourable is {args.favourable!r}: give one of the classes {quote_names(classes)}."
    )
