"""Literals for the split of a node: a feature, and for each of its places the side it is on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from oddlearn.cpsat.features import Feature

# a literal and a model of OR-Tools, whose package is only ever imported in the solver's process
Literal = Any
Model = Any


@dataclass(frozen=True, eq=False)
class SplitLiterals:
    """A node's split by one feature.

    Attributes
    ----------
    feature : Feature
    chosen : literal
        The node splits by this feature.
    below : list of literal
        The feature is chosen and the place is on the negative side.
    """

    feature: Feature
    chosen: Literal
    below: list[Literal]


def split_literals(model: Model, feature: Feature, true: Literal) -> SplitLiterals:
    """Return literals for a split that has the lowest place below and the highest above.

    A split with all rows on one side is no matter of features: the node passes everything on.
    """
    chosen = model.new_bool_var("")
    below = [chosen, *(model.new_bool_var("") for _ in range(feature.n_places - 2)), ~true]
    for lower, upper in pairwise(below):
        model.add_implication(upper, lower)
    return SplitLiterals(feature, chosen, below)


def send_rows(model: Model, split: SplitLiterals, negative: list[Literal]) -> None:
    """Send every row to the side of its place; ``negative`` are the node's literals, one per row."""
    for place, rows in enumerate(split.feature.rows):
        here = [negative[row] for row in rows]
        model.add_bool_and(here).only_enforce_if(split.below[place])
        opposite = [~literal for literal in here]
        model.add_bool_and(opposite).only_enforce_if(split.chosen, ~split.below[place])
