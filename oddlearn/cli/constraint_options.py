"""Constraints by options: what a diagram must keep."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from numpy.typing import NDArray

import oddlearn
from oddlearn.cli.parser import count_or_share
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.table.checks import listed

# option -> name of the constraint, its parameter, and whether it compares groups
CONSTRAINTS = {
    "min_flow": ("MinFlow", "samples", False),
    "max_nodes": ("MaxNodes", "nodes", False),
    "parity": ("DemographicParity", "ratio", True),
    "opportunity": ("EqualOpportunity", "ratio", True),
}


def add_requirements(parser: argparse.ArgumentParser) -> None:
    """Add what the diagram must keep."""
    group = parser.add_argument_group("requirements", "What the diagram must keep on the training data.")
    group.add_argument(
        "--min-flow",
        metavar="ROWS",
        type=count_or_share,
        help="rows per node at least; 0.05 for a share of all",
    )
    group.add_argument("--max-nodes", metavar="N", type=int, help="nodes at most")
    group.add_argument(
        "--sensitive",
        metavar="COLUMN",
        action="append",
        default=[],
        help="groups to treat alike and to report on; never a feature; may be repeated",
    )
    group.add_argument(
        "--parity",
        metavar="RATIO",
        type=float,
        help="of the groups' rates of favourable answers at least, such as 0.8",
    )
    group.add_argument(
        "--opportunity", metavar="RATIO", type=float, help="the same among rows whose label is favourable"
    )
    group.add_argument(
        "--favourable", metavar="LABEL", help="the answer people hope for (of two classes, the last)"
    )


def check_requirements(asked: argparse.Namespace, estimator: Any) -> None:  # noqa: ANN401
    """Refuse what this build cannot keep, before a large file is read for it."""
    for option, (name, _, compares) in CONSTRAINTS.items():
        if getattr(asked, option) is None:
            continue
        flag = f"--{option.replace('_', '-')}"
        if compares and not asked.sensitive:
            raise InvalidInputError(f"{flag} compares groups: name their column with --sensitive.")
        if name not in oddlearn.__all__:
            raise UnsupportedError(f"This build of oddlearn has no {name}: leave {flag} out.")
        if compares and "sensitive_features" not in inspect.signature(estimator.fit).parameters:
            raise UnsupportedError(
                f"This build of oddlearn cannot compare groups in training: leave {flag} out."
            )


def constraints_of(asked: argparse.Namespace, classes: list[Any]) -> tuple[Any, ...]:
    """Return the constraints the options ask for.

    Parameters
    ----------
    asked : argparse.Namespace
    classes : list
        The labels, among which the favourable one is looked up.
    """
    favourable = favourable_of(asked, classes)
    made = []
    for option, (name, parameter, compares) in CONSTRAINTS.items():
        value = getattr(asked, option)
        if value is not None:
            if compares and favourable is None and len(classes) > 2:
                raise InvalidInputError(
                    f"--{option} compares rates of favourable answers, and there are {len(classes)} classes: "
                    f"name the favourable one with --favourable LABEL, one of {listed(classes)}."
                )
            further = {"favourable": favourable} if compares and favourable is not None else {}
            made.append(getattr(oddlearn, name)(**{parameter: value}, **further))
    return tuple(made)


def groups_to_compare(
    asked: argparse.Namespace, groups: dict[str, NDArray[Any]]
) -> dict[str, dict[str, NDArray[Any]]]:
    """Return what ``fit`` is given beside samples: the groups, if a requirement compares them."""
    compared = any(
        getattr(asked, option) is not None for option, (_, _, is_fair) in CONSTRAINTS.items() if is_fair
    )
    return {"sensitive_features": groups} if compared else {}


def favourable_of(asked: argparse.Namespace, classes: list[Any]) -> Any:  # noqa: ANN401
    """Return the class that people hope for, None when none is named."""
    if asked.favourable is None:
        return None
    for label in classes:
        if str(label) == asked.favourable:
            return label
    raise InvalidInputError(
        f"--favourable is {asked.favourable!r}: give one of the classes {listed(classes)}."
    )
