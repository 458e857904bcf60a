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
    """A node's split by one feature."""

    feature: RankedFeature
    chosen: Literal  # the node splits by this feature
    below: list[Literal]  # for each value: the feature is chosen and the value is on the negative side


def create_split(model: Model, feature: RankedFeature, true: Literal) -> SplitLiterals:
    """Create the literals of a split with the lowest value below and the highest above its threshold.

    A node with all rows on one side needs no feature: it passes everything on.
    """
    chosen = model.new_bool_var("")
    below = [chosen, *(model.new_bool_var("") for _ in range(feature.n_values - 2)), ~true]
    for lower, upper in pairwise(below):
        model.add_implication(upper, lower)
    return SplitLiterals(feature, chosen, below)


def route_rows(model: Model, split: SplitLiterals, negative: list[Literal]) -> None:
    """Send every row to the side of its value; ``negative`` are the node's literals, one per row."""
    for below, rows in zip(split.below, split.feature.rows, strict=True):
        here = [negative[row] for row in rows]
        model.add_bool_and(here).only_enforce_if(below)
        opposite = [~literal for literal in here]
        model.add_bool_and(opposite).only_enforce_if(split.chosen, ~below)


@dataclass(frozen=True, eq=False)
class GraphLiterals:
    """The literals of a graph: slots in use and targets of arcs."""

    used: list[Literal]
    arcs: dict[Arc, dict[int, Literal]]  # of each arc, from a possible target to "it leads there"

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
