"""Constraint rows on the observables, over the literals of a model."""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.diagram.skeleton import untruncated_slots
from oddlearn.problem.cost_units import IntegerRow
from oddlearn.solve.cpsat.context import reached_mask
from oddlearn.solve.cpsat.diagram_literals import Literal
from oddlearn.solve.cpsat.flow_literals import FlowLiterals


@dataclass(frozen=True)
class LinearSum:
    """The limits of a sum of literals times integers; a soft one may be outside by ``max_violation``."""

    literals: list[Literal]
    coefficients: list[int]
    lower: int
    upper: int
    is_soft: bool
    max_violation: int


def constraint_sums(flows: FlowLiterals) -> list[LinearSum]:
    """Return the constraint rows of the problem, with exact literals for all observables in them."""
    context = flows.context
    if any(reached_mask(context.problem, row).any() for row in context.rows):
        _make_reached_exact(flows)
    literal_of = _literals_by_observable(flows)
    return [_linear_sum(row, literal_of) for row in context.rows]


def _linear_sum(row: IntegerRow, literal_of: dict[int, Literal]) -> LinearSum:
    terms = [
        (literal_of[observable], coefficient)
        for observable, coefficient in zip(row.observables.tolist(), row.coefficients.tolist(), strict=True)
        # slots that were truncated are neither used nor reached
        if observable in literal_of
    ]
    literals, coefficients = [term[0] for term in terms], [term[1] for term in terms]
    return LinearSum(literals, coefficients, row.lower, row.upper, row.is_soft, row.max_violation)


def _literals_by_observable(flows: FlowLiterals) -> dict[int, Literal]:
    """Return the literal of every observable of the problem that a constraint row may contain."""
    context = flows.context
    layout = context.problem.layout
    literal_of: dict[int, Literal] = {}
    needed = {observable for row in context.rows for observable in row.observables.tolist()}
    for slot, original in enumerate(untruncated_slots(context.skeleton, context.problem.skeleton).tolist()):
        literal_of[int(layout.used[original])] = flows.graph.used[slot]
        for row, observable in enumerate(layout.reached[:, original].tolist()):
            literal_of[observable] = flows.reached[slot][row]
        for row, observable in enumerate(layout.positive[:, original].tolist()):
            if observable in needed:
                literal_of[observable] = _leaves_positive(flows, slot, row)
    if layout.root_splits in needed:
        literal_of[layout.root_splits] = _root_splits(flows)
    for row, classes in enumerate(layout.assigned.tolist()):
        if needed.intersection(classes):
            literal_of.update(zip(classes, _assigned(flows, row), strict=True))
    return literal_of


def _leaves_positive(flows: FlowLiterals, slot: int, row: int) -> Literal:
    """Return a literal that is true if a row leaves a slot on its positive side."""
    reached, negative = flows.reached[slot][row], flows.negative[slot][row]
    leaves = flows.model.new_bool_var("")
    flows.model.add_bool_and([reached, ~negative]).only_enforce_if(leaves)
    flows.model.add_bool_or([leaves, ~reached, negative])
    return leaves


def _root_splits(flows: FlowLiterals) -> Literal:
    """Return a literal that is true if rows leave the root on both sides."""
    splits, (first, *others) = flows.model.new_bool_var(""), flows.negative[0]
    for other in others:
        flows.model.add_bool_or([splits, ~first, other])
        flows.model.add_bool_or([splits, first, ~other])
    flows.model.add_bool_or([~splits, *flows.negative[0]])
    flows.model.add_bool_or([~splits, *(~literal for literal in flows.negative[0])])
    return splits


def _assigned(flows: FlowLiterals, row: int) -> list[Literal]:
    """Return one literal per class: true if the row ends in it."""
    assigned = [flows.model.new_bool_var("") for _ in range(flows.context.problem.data.n_classes)]
    flows.model.add_exactly_one(assigned)
    for code, literal in enumerate(assigned):
        flows.imply_if_ends_in(row, [code], literal)
    return assigned


def _make_reached_exact(flows: FlowLiterals) -> None:
    """Let each row reach one slot of each layer, or none after it has ended."""
    n_rows, n_classes = flows.context.problem.data.n_rows, flows.context.problem.data.n_classes
    first = flows.context.skeleton.first.tolist()
    for row in range(n_rows):
        ended: Literal | None = None
        for layer in range(1, flows.context.skeleton.depth):
            before, ended = ended, flows.model.new_bool_var("")
            if before is not None:
                flows.model.add_implication(before, ended)
            for slot in range(first[layer - 1], first[layer]):
                flows.imply_if_ends_at(slot, row, frozenset(range(n_classes)), ended)
            here = [flows.reached[slot][row] for slot in range(first[layer], first[layer + 1])]
            flows.model.add_exactly_one([ended, *here])
