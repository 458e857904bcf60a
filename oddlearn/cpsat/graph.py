"""Literals for the graph of a diagram: the slots in use and the arcs between them."""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.cpsat.frame import Frame
from oddlearn.cpsat.splits import Literal, Model

NEGATIVE, POSITIVE = 0, 1
SIDES = (NEGATIVE, POSITIVE)

# the slot an arc leaves and the side it takes
Arc = tuple[int, int]


@dataclass(frozen=True, eq=False)
class GraphLiterals:
    """Which slots are in use, and where the arcs lead.

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


def graph_literals(model: Model, frame: Frame, true: Literal) -> GraphLiterals:
    """Return literals for all graphs with exactly as many nodes as the frame says."""
    n_slots = frame.skeleton.n_nodes
    used = [true, *(model.new_bool_var("") for _ in range(n_slots - 1))]
    arcs = {(slot, side): _targets(model, frame, slot) for slot in range(n_slots) for side in SIDES}
    graph = GraphLiterals(used, arcs)
    model.add(sum(used) == frame.count)
    for (slot, _), targets in arcs.items():
        model.add_exactly_one([~used[slot], *targets.values()])
    _part_targets(model, frame, graph)
    _lead_to_nodes(model, frame, graph)
    if frame.orders_nodes:
        _order_nodes(model, frame, graph)
    return graph


def _targets(model: Model, frame: Frame, slot: int) -> dict[int, Literal]:
    n_slots = frame.skeleton.n_nodes
    classes = range(n_slots, n_slots + frame.problem.data.n_classes)
    return {target: model.new_bool_var("") for target in (*frame.next_slots(slot), *classes)}


def _part_targets(model: Model, frame: Frame, graph: GraphLiterals) -> None:
    """Let the two arcs of a node lead to different targets; with one class the root may be a constant."""
    for slot in range(frame.skeleton.n_nodes):
        negative, positive = graph.arcs[slot, NEGATIVE], graph.arcs[slot, POSITIVE]
        if slot > 0 or frame.problem.data.n_classes > 1:
            for target in negative:
                model.add_implication(negative[target], ~positive[target])


def _lead_to_nodes(model: Model, frame: Frame, graph: GraphLiterals) -> None:
    """Let a slot be in use exactly when an arc leads there; the slots of a layer are filled in order."""
    layer = frame.skeleton.layer_of
    for slot in range(1, frame.skeleton.n_nodes):
        arriving = graph.into(slot)
        model.add_bool_or([~graph.used[slot], *arriving])
        for literal in arriving:
            model.add_implication(literal, graph.used[slot])
        if frame.skeleton.tree_only:
            model.add_at_most_one(arriving)
        if layer[slot] == layer[slot - 1]:
            model.add_implication(graph.used[slot], graph.used[slot - 1])


def _order_nodes(model: Model, frame: Frame, graph: GraphLiterals) -> None:
    """Order the nodes of a layer by the first arc that leads to each: every graph has one such order."""
    layer = frame.skeleton.layer_of
    for slot in range(2, frame.skeleton.n_nodes):
        if layer[slot] == layer[slot - 1]:
            before = graph.into(slot - 1)
            for place, literal in enumerate(graph.into(slot)):
                model.add_bool_or([~literal, *before[:place]])
