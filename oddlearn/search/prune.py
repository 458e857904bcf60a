"""Bottom-up pruning: nodes that lead to terminals only go while the objective improves."""

from __future__ import annotations

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import OPTIMALITY_TOLERANCE
from oddlearn.problem.problem import TrainingProblem
from oddlearn.search.draft import Draft


def prune(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram:
    """Return the diagram, in unit coordinates, without the nodes that are not worth their price."""
    return pruned(Draft.of(problem, diagram)).build()


def pruned(draft: Draft) -> Draft:
    """Return the draft without nodes that lead to terminals only and whose removal improves the objective.

    The arcs into a removed node go to their cheapest terminals. A node whose arcs lead to one terminal
    decides nothing and always goes. Deeper nodes are looked at first, so that one pass is enough: what
    arrives at a node does not depend on the nodes below it.
    """
    target = list(draft.target)
    work = Draft(draft.problem, draft.root_cost, draft.splits, draft.layer, target, draft.arc_cost)
    removed: set[int] = set()
    for node in reversed(range(draft.n_nodes)):
        arcs = [arc for arc, end in enumerate(target) if end == node]
        if _is_worthless(work, node, arcs):
            removed.add(node)
            for arc in arcs:
                target[arc] = ~int(draft.arc_cost[arc].argmin())
    return work.without(removed)


def _is_worthless(draft: Draft, node: int, arcs: list[int]) -> bool:
    """Return whether the node leads to terminals only and the objective is better without it."""
    ends = draft.target[2 * node : 2 * node + 2]
    if max(ends) >= 0:
        return False
    if ends[0] == ends[1]:
        return True
    if node == 0:
        return False  # the root is free, and one split never costs more than none
    kept = draft.settled_cost(2 * node) + draft.settled_cost(2 * node + 1)
    alone = sum(float(draft.arc_cost[arc].min()) for arc in arcs)
    increase = (alone - kept) / draft.problem.total_weight
    return increase < draft.problem.node_price - OPTIMALITY_TOLERANCE
