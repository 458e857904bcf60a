"""Constraints on the observables, over the literals of a model."""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.cpsat.flows import Flows
from oddlearn.cpsat.frame import is_reached
from oddlearn.cpsat.splits import Literal
from oddlearn.cpsat.whole import WholeRow


@dataclass(frozen=True)
class Sum:
    """The limits of a sum of literals times whole numbers; a soft one may be outside by ``most_excess``."""

    literals: list[Literal]
    values: list[int]
    lower: int
    upper: int
    is_soft: bool
    most_excess: int


def sums_of(flows: Flows) -> list[Sum]:
    """Return the constraints of the problem, with exact literals for all observables in them."""
    frame = flows.frame
    if any(is_reached(frame.problem, row).any() for row in frame.rows):
        _settle_reached(flows)
    places = _literal_by_place(flows)
    return [_sum(row, places) for row in frame.rows]


def _sum(row: WholeRow, places: dict[int, Literal]) -> Sum:
    terms = [
        (places[place], value)
        for place, value in zip(row.places.tolist(), row.values.tolist(), strict=True)
        # slots that were cut off are neither used nor reached
        if place in places
    ]
    literals, values = [term[0] for term in terms], [term[1] for term in terms]
    return Sum(literals, values, row.lower, row.upper, row.is_soft, row.most_excess)


def _literal_by_place(flows: Flows) -> dict[int, Literal]:
    """Return the literal of every observable of the problem that a constraint may name."""
    frame = flows.frame
    layout, places = frame.problem.layout, {}
    named = {place for row in frame.rows for place in row.places.tolist()}
    for slot, original in enumerate(frame.original_slot.tolist()):
        places[int(layout.used[original])] = flows.graph.used[slot]
        for row, place in enumerate(layout.reached[:, original].tolist()):
            places[place] = flows.reached[slot][row]
        for row, place in enumerate(layout.positive[:, original].tolist()):
            if place in named:
                places[place] = _positive(flows, slot, row)
    if layout.parted in named:
        places[layout.parted] = _parted(flows)
    for row, classes in enumerate(layout.assigned.tolist()):
        if named.intersection(classes):
            places.update(zip(classes, _assigned(flows, row), strict=True))
    return places


def _positive(flows: Flows, slot: int, row: int) -> Literal:
    """Return a literal for a row that leaves a slot on its positive side."""
    reached, negative = flows.reached[slot][row], flows.negative[slot][row]
    leaves = flows.model.new_bool_var("")
    flows.model.add_bool_and([reached, ~negative]).only_enforce_if(leaves)
    flows.model.add_bool_or([leaves, ~reached, negative])
    return leaves


def _parted(flows: Flows) -> Literal:
    """Return a literal for a root that rows leave on both sides."""
    parted, (first, *others) = flows.model.new_bool_var(""), flows.negative[0]
    for other in others:
        flows.model.add_bool_or([parted, ~first, other])
        flows.model.add_bool_or([parted, first, ~other])
    flows.model.add_bool_or([~parted, *flows.negative[0]])
    flows.model.add_bool_or([~parted, *(~literal for literal in flows.negative[0])])
    return parted


def _assigned(flows: Flows, row: int) -> list[Literal]:
    """Return literals for the class a row ends in."""
    assigned = [flows.model.new_bool_var("") for _ in range(flows.frame.problem.data.n_classes)]
    flows.model.add_exactly_one(assigned)
    for code, literal in enumerate(assigned):
        flows.end_in(row, [code], literal)
    return assigned


def _settle_reached(flows: Flows) -> None:
    """Let rows arrive only where they do: in each layer at one slot, or at none after they have ended."""
    n_rows, n_classes = flows.frame.problem.data.n_rows, flows.frame.problem.data.n_classes
    first = flows.frame.skeleton.first.tolist()
    for row in range(n_rows):
        ended: Literal | None = None
        for layer in range(1, flows.frame.skeleton.depth):
            before, ended = ended, flows.model.new_bool_var("")
            if before is not None:
                flows.model.add_implication(before, ended)
            for slot in range(first[layer - 1], first[layer]):
                flows.end_at(slot, row, frozenset(range(n_classes)), ended)
            here = [flows.reached[slot][row] for slot in range(first[layer], first[layer + 1])]
            flows.model.add_exactly_one([ended, *here])
