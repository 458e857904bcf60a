"""Literals for the route of every row through a diagram, and for its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from oddlearn.solve.cpsat.context import ModelContext
from oddlearn.solve.cpsat.diagram_literals import (
    NEGATIVE,
    POSITIVE,
    SIDES,
    Arc,
    GraphLiterals,
    Literal,
    Model,
    SplitLiterals,
    create_split,
    route_rows,
)


@dataclass(eq=False)
class FlowLiterals:
    """The routes of the rows through the graph."""

    model: Model
    context: ModelContext
    graph: GraphLiterals
    reached: list[list[Literal]]  # for each slot and row: true if it is reached, perhaps for others, too
    negative: list[list[Literal]]  # for each slot and row: takes the negative side if it is reached
    passes: list[Literal] = field(default_factory=list)  # for each slot: all rows leave it positive
    splits: list[list[SplitLiterals]] = field(default_factory=list)
    _endings: dict[tuple[Arc, frozenset[int]], Literal] = field(default_factory=dict)

    @classmethod
    def create(cls, model: Model, context: ModelContext, graph: GraphLiterals, true: Literal) -> FlowLiterals:
        """Create the literals of all rows."""
        n_rows, n_slots = context.problem.data.n_rows, context.skeleton.n_nodes
        reached = [[true] * n_rows, *(_create_literals(model, n_rows) for _ in range(n_slots - 1))]
        flows = cls(model, context, graph, reached, [_create_literals(model, n_rows) for _ in range(n_slots)])
        for slot in range(n_slots):
            flows._add_split(slot, true)
            for target in context.next_slots(slot):
                for row in range(n_rows):
                    flows._reach_target(slot, target, row)
        return flows

    def imply_if_ends_in(self, row: int, classes: Iterable[int], consequence: Literal) -> None:
        """Let a literal be true if the row ends in one of the classes."""
        chosen = frozenset(classes)
        for slot in range(self.context.skeleton.n_nodes):
            self.imply_if_ends_at(slot, row, chosen, consequence)

    def imply_if_ends_at(self, slot: int, row: int, classes: frozenset[int], consequence: Literal) -> None:
        """Let a literal be true if the row ends in one of the classes by an arc of this slot."""
        for side in SIDES:
            ending = self._leads_to_class((slot, side), classes)
            self.model.add_bool_or([*self._not_taken(slot, side, row), ~ending, consequence])

    def cost_terms(self) -> Iterator[tuple[Literal, int, int]]:
        """Yield literals, the cost of each and its upper limit 1; the least cost of every row is left out."""
        cost = self.context.costs.cost
        for row, regret in enumerate(cost - cost.min(axis=1, keepdims=True)):
            before, cheaper = 0, None
            for level in np.unique(regret[regret > 0]).tolist():
                exceeded = self.model.new_bool_var("")
                self.imply_if_ends_in(row, np.flatnonzero(regret >= level).tolist(), exceeded)
                if cheaper is not None:
                    self.model.add_implication(exceeded, cheaper)
                yield exceeded, level - before, 1
                before, cheaper = level, exceeded

    def _add_split(self, slot: int, true: Literal) -> None:
        """Let a used slot split by one feature or pass everything on; an unused slot does neither."""
        model, passes = self.model, self.model.new_bool_var("")
        splits = [create_split(model, feature, true) for feature in self.context.features]
        model.add_exactly_one([~self.graph.used[slot], passes, *(split.chosen for split in splits)])
        model.add_bool_and([~literal for literal in self.negative[slot]]).only_enforce_if(passes)
        for split in splits:
            route_rows(model, split, self.negative[slot])
        self.passes.append(passes)
        self.splits.append(splits)

    def _reach_target(self, slot: int, target: int, row: int) -> None:
        for side in SIDES:
            leads = self.graph.arcs[slot, side][target]
            clause = [*self._not_taken(slot, side, row), ~leads, self.reached[target][row]]
            self.model.add_bool_or(clause)

    def _not_taken(self, slot: int, side: int, row: int) -> list[Literal]:
        """Return literals of which one is true unless the row reaches the slot and takes the side."""
        negative = self.negative[slot][row]
        other_side = {NEGATIVE: ~negative, POSITIVE: negative}[side]
        return [other_side] if slot == 0 else [~self.reached[slot][row], other_side]

    def _leads_to_class(self, arc: Arc, classes: frozenset[int]) -> Literal:
        """Return a literal that is true if the arc leads to one of the classes."""
        targets, n_slots = self.graph.arcs[arc], self.context.skeleton.n_nodes
        if len(classes) == 1:
            return targets[n_slots + min(classes)]
        if (arc, classes) not in self._endings:
            ending = self.model.new_bool_var("")
            for code in sorted(classes):
                self.model.add_implication(targets[n_slots + code], ending)
            self._endings[arc, classes] = ending
        return self._endings[arc, classes]


def _create_literals(model: Model, count: int) -> list[Literal]:
    return [model.new_bool_var("") for _ in range(count)]
