"""The state of a solve during a proof: offers of diagrams, bounds and events."""

from __future__ import annotations

import math

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds, ObjectiveGrid
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.solve.branch_and_bound.layer_widths import enumerate_layer_widths
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState


class ProofProgress:
    """A solve state that is updated during a proof, and the objective that a diagram has to beat.

    The state alone decides which diagram becomes the incumbent. In place of a constant it refuses one that
    saves less than MIN_SAVING. Such a diagram is a solution all the same: no bound may exceed its objective,
    and a search below the incumbent's objective would return it for ever. So diagrams have to beat the least
    objective of all that were offered, refused ones included. Every bound then stays valid, and the state is
    optimal only if the bounds reach the objective of the incumbent itself.
    """

    def __init__(self, state: SolveState, budget: Budget, emit: Emit) -> None:
        self.state = state
        self.problem = state.problem
        self.limits = NodeLimits.from_problem(state.problem)
        self.objective_to_beat = state.objective
        self._budget, self._emit = budget, emit
        self._grid = ObjectiveGrid.from_problem(state.problem)
        self._emitted_bound = state.lower_bound
        if not state.is_feasible:
            # limits on numbers of nodes allow the constant, and cutoffs have to be finite
            self.offer(best_constant(state.problem))
        self._exclude_node_counts()

    def _exclude_node_counts(self) -> None:
        """Set the bounds of the node counts that the limits do not allow to inf.

        A diagram with unneeded nodes is covered by the bounds of smaller counts: with fewer of its nodes it
        satisfies the limits, too.
        """
        if not self.limits.numbers:
            return
        widths = self.problem.skeleton.widths
        for count in range(1, self.problem.skeleton.n_nodes + 1):
            if next(enumerate_layer_widths(count, widths, self.limits.allows), None) is None:
                self.tighten_cost(count, math.inf)

    @property
    def unresolved_node_counts(self) -> tuple[int, ...]:
        """The numbers of nodes, ascending, with which the objective might still be beaten."""
        return self.state.bounds.unresolved_node_counts(self.problem, self.objective_to_beat)

    def cutoff(self, count: int, items: WeightedItems) -> float:
        """Return the cost, in units, below which a diagram with ``count`` nodes beats the objective."""
        problem = self.problem
        # half the tolerance, so that bounds at the cutoff are within it even after rounding
        target = self.objective_to_beat - OPTIMALITY_TOLERANCE / 2 - problem.node_price * (count - 1)
        units = items.to_units(self._grid.round_up_cost(target * problem.total_weight))
        return float(round(units)) if problem.cost_units.step and math.isfinite(units) else units

    def offer(self, diagram: DecisionDiagram) -> bool:
        """Offer a diagram to the state; return True if it beats the objective, accepted or not."""
        after = self.state.offer(diagram, trusted=False)
        try:
            is_taken = after.diagram is diagram
            evaluation = after.evaluation if is_taken else evaluate(self.problem, diagram)
        except DiagramMisfitError:
            return False  # a tree may be wider than the skeleton
        if evaluation.violation > 0 or evaluation.objective >= self.objective_to_beat:
            return False
        self.objective_to_beat = evaluation.objective
        self.state = after
        if self.state.diagram is diagram:
            self._emit(Improved(self._budget.elapsed(), evaluation.objective, evaluation.n_nodes))
        if self.state.interrupted:  # the state turns Ctrl-C during an offer into a flag
            raise KeyboardInterrupt
        return True

    def tighten_cost(self, count: int, cost: float) -> None:
        """Tighten the bound of one node count by a bound on the total cost."""
        self.state = self.state.tighten(self.state.bounds.tightened(count, cost))

    def tighten_objective(self, max_count: int, objective: float) -> None:
        """Tighten the bounds of 1 to ``max_count`` nodes by a bound on the objective."""
        costs = np.full(self.problem.skeleton.n_nodes, -np.inf)
        prices = self.problem.node_price * np.arange(max_count)
        costs[:max_count] = (objective - prices) * self.problem.total_weight
        self.state = self.state.tighten(NodeCountBounds(costs))

    @property
    def lower_bound(self) -> float:
        """The largest lower bound proved on the objective, at most the objective to beat."""
        return min(self.state.lower_bound, self.objective_to_beat)

    def emit_bound(self) -> None:
        """Emit the lower bound if it has grown."""
        if self.lower_bound > self._emitted_bound:
            self._emitted_bound = self.lower_bound
            self._emit(Bounded(self._budget.elapsed(), self.lower_bound))
