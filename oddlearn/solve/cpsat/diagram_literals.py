"""Literals for the splits of a diagram and for its graph: slots in use and arcs between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from oddlearn.solve.cpsat.context import ModelContext, RankedFeature

# a literal and a model of OR-Tools, whose package is imported in the child process only
Literal = Any
Model = Any

NEGATIVE, POSITIVE = 0, 1
SIDES = (NEGATIVE, POSITIVE)

# the slot an arc leaves and the side it takes
Arc = tuple[int, int]


@dataclass(frozen=True, eq=False)
class SplitLiterals:
    """A node's split by one feature.

    Attributes
    ----------
    feature : RankedFeature
    chosen : literal
        The node splits by this feature.
    below : list of literal
        The feature is chosen and the place is on the negative side.
    above : list of literal or None
        The feature is chosen and the place is on the positive side; None for places that are there whenever
        they are not below, which are all but the skippable ones.
    """

    feature: RankedFeature
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


def create_split(model: Model, feature: RankedFeature, true: Literal) -> SplitLiterals:
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


def route_rows(model: Model, split: SplitLiterals, negative: list[Literal], reached: list[Literal]) -> None:
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


@dataclass(frozen=True, eq=False)
class GraphLiterals:
    """The literals of a graph: slots in use and targets of arcs.

    Attributes
    ----------
    used : list of literal
    arcs : dict
        For each arc, from each possible target to the literal that says it leads there.
    """

    used: list[Literal]
    arcs: dict[Arc, dict[int, Literal]]

    def into(self, slot: int) -> list[Literal]:
        """Return the literals of the arcs that may lead to a slot, in the order of the arcs."""
        return [targets[slot] for targets in self.arcs.values() if slot in targets]


def create_graph(model: Model, context: ModelContext, true: Literal) -> GraphLiterals:
    """Return literals for all graphs with exactly as many nodes as the context says."""
    n_slots = context.skeleton.n_nodes
    used = [true, *(model.new_bool_var("") for _ in range(n_slots - 1))]
    arcs = {(slot, side): _targets(model, context, slot) for slot in range(n_slots) for side in SIDES}
    graph = GraphLiterals(used, arcs)
    model.add(sum(used) == context.count)
    for (slot, _), targets in arcs.items():
        model.add_exactly_one([~used[slot], *targets.values()])
    _separate_targets(model, context, graph)
    _connect_slots(model, context, graph)
    if context.orders_nodes:
        _order_nodes(model, context, graph)
    return graph


def _targets(model: Model, context: ModelContext, slot: int) -> dict[int, Literal]:
    n_slots = context.skeleton.n_nodes
    classes = range(n_slots, n_slots + context.problem.data.n_classes)
    return {target: model.new_bool_var("") for target in (*context.next_slots(slot), *classes)}


def _separate_targets(model: Model, context: ModelContext, graph: GraphLiterals) -> None:
    """Let the two arcs of a node lead to different targets; with one class the root may be a constant."""
    for slot in range(context.skeleton.n_nodes):
        negative, positive = graph.arcs[slot, NEGATIVE], graph.arcs[slot, POSITIVE]
        if slot > 0 or context.problem.data.n_classes > 1:
            for target in negative:
                model.add_implication(negative[target], ~positive[target])


def _connect_slots(model: Model, context: ModelContext, graph: GraphLiterals) -> None:
    """Let a slot be in use exactly when an arc leads there; the slots of a layer are filled in order."""
    layer = context.skeleton.layer_of
    for slot in range(1, context.skeleton.n_nodes):
        arriving = graph.into(slot)
        model.add_bool_or([~graph.used[slot], *arriving])
        for literal in arriving:
            model.add_implication(literal, graph.used[slot])
        if context.skeleton.tree_only:
            model.add_at_most_one(arriving)
        if layer[slot] == layer[slot - 1]:
            model.add_implication(graph.used[slot], graph.used[slot - 1])


def _order_nodes(model: Model, context: ModelContext, graph: GraphLiterals) -> None:
    """Order the nodes of a layer by the first arc that leads to each: every graph has one such order."""
    layer = context.skeleton.layer_of
    for slot in range(2, context.skeleton.n_nodes):
        if layer[slot] == layer[slot - 1]:
            before = graph.into(slot - 1)
            for place, literal in enumerate(graph.into(slot)):
                model.add_bool_or([~literal, *before[:place]])
