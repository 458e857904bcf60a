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
    above : list of literal or None
        The feature is chosen and the place is on the positive side; None for places that are there whenever
        they are not below, which are all but the skippable ones.
    """

    feature: Feature
    chosen: Literal
    below: list[Literal]
    above: list[Literal | None]

    def when_above(self, place: int) -> list[Literal]:
        """Return literals that all hold exactly when the place is on the positive side."""
        above = self.above[place]
        return [self.chosen, ~self.below[place]] if above is None else [above]

    def unless_above(self, place: int) -> list[Literal]:
        """Return literals of which one holds exactly when the place is not on the positive side."""
        return [~literal for literal in self.when_above(place)]


def split_literals(model: Model, feature: Feature, true: Literal) -> SplitLiterals:
    """Return literals for a split that has the lowest place below and the highest above.

    A split with all rows on one side is no matter of features: the node passes everything on.
    """
    chosen = model.new_bool_var("")
    below = [chosen, *(model.new_bool_var("") for _ in range(feature.n_places - 2)), ~true]
    above = [model.new_bool_var("") if skippable else None for skippable in feature.skippable]
    for lower, upper in pairwise(below):
        model.add_implication(upper, lower)
    split = SplitLiterals(feature, chosen, below, above)
    for place, literal in enumerate(above):
        if literal is not None:
            model.add_implication(literal, chosen)
            _order_above(model, split, place)
    for place, last in enumerate(feature.nearest.tolist()):
        if last > place or above[place] is not None:
            model.add_bool_or([~below[place], *split.unless_above(last)])
    return split


def send_rows(model: Model, split: SplitLiterals, negative: list[Literal], reached: list[Literal]) -> None:
    """Send every row to the side of its place; ``negative`` and ``reached`` are the node's, one per row."""
    for place, rows in enumerate(split.feature.rows):
        here = [negative[row] for row in rows]
        model.add_bool_and(here).only_enforce_if(split.below[place])
        opposite = [~literal for literal in here]
        model.add_bool_and(opposite).only_enforce_if(*split.when_above(place))
        if split.above[place] is not None:
            for row in rows:
                sides = [split.below[place], split.above[place]]
                model.add_bool_or([~reached[row], ~split.chosen, *sides])


def _order_above(model: Model, split: SplitLiterals, place: int) -> None:
    """Let a skippable place be above when the one before is, and the next one when it is itself."""
    model.add_bool_or([*split.unless_above(place - 1), split.above[place]])
    for literal in split.when_above(place + 1):
        model.add_implication(split.above[place], literal)
