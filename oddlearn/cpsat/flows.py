"""Literals for the way of every row through a diagram, and for what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from oddlearn.cpsat.frame import Frame
from oddlearn.cpsat.graph import NEGATIVE, POSITIVE, SIDES, Arc, GraphLiterals
from oddlearn.cpsat.splits import Literal, Model, SplitLiterals, send_rows, split_literals


@dataclass(eq=False)
class Flows:
    """The rows on their way through the graph.

    Attributes
    ----------
    model : CpModel
    frame : Frame
    graph : GraphLiterals
    reached : list of list of literal
        For each slot and row: the row arrives there. Not the other way round: a row that arrives nowhere
        may still be said to.
    negative : list of list of literal
        For each slot and row: the row would take the negative side.
    passes : list of literal
        For each slot: everything that arrives leaves on the positive side.
    splits : list of list of SplitLiterals
    """

    model: Model
    frame: Frame
    graph: GraphLiterals
    reached: list[list[Literal]]
    negative: list[list[Literal]]
    passes: list[Literal] = field(default_factory=list)
    splits: list[list[SplitLiterals]] = field(default_factory=list)
    _endings: dict[tuple[Arc, frozenset[int]], Literal] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Model, frame: Frame, graph: GraphLiterals, true: Literal) -> Flows:
        """Send all rows through the graph."""
        n_rows, n_slots = frame.problem.data.n_rows, frame.skeleton.n_nodes
        reached = [[true] * n_rows, *(_literals(model, n_rows) for _ in range(n_slots - 1))]
        flows = cls(model, frame, graph, reached, [_literals(model, n_rows) for _ in range(n_slots)])
        for slot in range(n_slots):
            flows._split(slot, true)
            for target in frame.next_slots(slot):
                for row in range(n_rows):
                    flows._arrive(slot, target, row)
        return flows

    def end_in(self, row: int, classes: Iterable[int], consequence: Literal) -> None:
        """Let something follow when the row ends in one of the classes."""
        chosen = frozenset(classes)
        for slot in range(self.frame.skeleton.n_nodes):
            self.end_at(slot, row, chosen, consequence)

    def end_at(self, slot: int, row: int, classes: frozenset[int], consequence: Literal) -> None:
        """Let something follow when the row ends in one of the classes by an arc of this slot."""
        for side in SIDES:
            ending = self._ending((slot, side), classes)
            self.model.add_bool_or([*self._not_taken(slot, side, row), ~ending, consequence])

    def cost_terms(self) -> Iterator[tuple[Literal, int]]:
        """Yield literals and what each costs; the least cost of every row is left out."""
        cost = self.frame.costs.cost
        for row, excess in enumerate(cost - cost.min(axis=1, keepdims=True)):
            before, cheaper = 0, None
            for level in np.unique(excess[excess > 0]).tolist():
                exceeded = self.model.new_bool_var("")
                self.end_in(row, np.flatnonzero(excess >= level).tolist(), exceeded)
                if cheaper is not None:
                    self.model.add_implication(exceeded, cheaper)
                yield exceeded, level - before
                before, cheaper = level, exceeded

    def _split(self, slot: int, true: Literal) -> None:
        """Choose a feature for the slot, or pass everything on; not in use, it does neither."""
        model, passes = self.model, self.model.new_bool_var("")
        splits = [split_literals(model, feature, true) for feature in self.frame.features]
        model.add_exactly_one([~self.graph.used[slot], passes, *(split.chosen for split in splits)])
        model.add_bool_and([~literal for literal in self.negative[slot]]).only_enforce_if(passes)
        for split in splits:
            send_rows(model, split, self.negative[slot])
        self.passes.append(passes)
        self.splits.append(splits)

    def _arrive(self, slot: int, target: int, row: int) -> None:
        for side in SIDES:
            leads = self.graph.arcs[slot, side][target]
            clause = [*self._not_taken(slot, side, row), ~leads, self.reached[target][row]]
            self.model.add_bool_or(clause)

    def _not_taken(self, slot: int, side: int, row: int) -> list[Literal]:
        """Return literals of which one holds unless the row arrives at the slot and takes the side."""
        negative = self.negative[slot][row]
        other_side = {NEGATIVE: ~negative, POSITIVE: negative}[side]
        return [other_side] if slot == 0 else [~self.reached[slot][row], other_side]

    def _ending(self, arc: Arc, classes: frozenset[int]) -> Literal:
        """Return a literal that holds when the arc leads to one of the classes."""
        targets, n_slots = self.graph.arcs[arc], self.frame.skeleton.n_nodes
        if len(classes) == 1:
            return targets[n_slots + min(classes)]
        if (arc, classes) not in self._endings:
            ending = self.model.new_bool_var("")
            for code in sorted(classes):
                self.model.add_implication(targets[n_slots + code], ending)
            self._endings[arc, classes] = ending
        return self._endings[arc, classes]


def _literals(model: Model, count: int) -> list[Literal]:
    return [model.new_bool_var("") for _ in range(count)]
