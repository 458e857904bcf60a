"""What a proof has reached: the best diagram, the bounds, and what they rest on."""

from __future__ import annotations

import math

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds, ObjectiveGrid
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.layer_widths import shapes
from oddlearn.solve.branch_and_bound.weighted_items import Items
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit


class Standing:
    """The best diagram and the bounds, raised as the proof goes on; news are reported."""

    def __init__(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        bounds: NodeCountBounds,
        budget: Budget,
        report: Emit,
    ) -> None:
        self.problem = problem
        self.limits = NodeLimits.from_problem(problem)
        self.bounds = self._limited(bounds)
        self.diagram: DecisionDiagram | None = None
        self.objective = evaluate(problem, incumbent).objective
        self._budget = budget
        self._report = report
        self._grid = ObjectiveGrid.from_problem(problem)
        self._bound = bounds.lower_bound(problem)

    def _limited(self, bounds: NodeCountBounds) -> NodeCountBounds:
        """Return the bounds, infinite for the numbers of nodes that the limits do not allow.

        Fewer of a diagram's nodes keep a limit that all of them keep, so that a floor may still leave out the
        diagrams that do not need all of their nodes.
        """
        if not self.limits.numbers:
            return bounds
        widths = self.problem.skeleton.widths
        for count in range(1, self.problem.skeleton.n_nodes + 1):
            if next(shapes(count, widths, self.limits.allows), None) is None:
                bounds = bounds.tightened(count, math.inf)
        return bounds

    @property
    def unresolved_node_counts(self) -> tuple[int, ...]:
        """Numbers of nodes that could still do better."""
        return self.bounds.unresolved_node_counts(self.problem, self.objective)

    def budget_for(self, count: int, items: Items) -> float:
        """Return the own cost below which a diagram with so many nodes is better than the best."""
        problem = self.problem
        # half, so that where any value is possible the bounds come close enough
        target = self.objective - OPTIMALITY_TOLERANCE / 2 - problem.node_price * (count - 1)
        own = items.own(self._grid.round_up_cost(target * problem.total_weight))
        return float(round(own)) if self._grid.step and math.isfinite(own) else own

    def offer(self, diagram: DecisionDiagram) -> bool:
        """Take over a diagram if it is better, and say so."""
        try:
            value = evaluate(self.problem, diagram)
        except DiagramMisfitError:
            return False  # a tree may be wider than the skeleton
        if value.violation > 0 or value.objective >= self.objective - OPTIMALITY_TOLERANCE:
            return False
        self.objective, self.diagram = value.objective, diagram
        self._report(Improved(self._budget.elapsed(), value.objective, value.n_nodes))
        return True

    def raise_cost(self, count: int, cost: float) -> None:
        """Raise the floor of a number of nodes to a total cost."""
        self.bounds = self.bounds.tightened(count, cost)

    def raise_objective(self, most: int, objective: float) -> None:
        """Raise the bounds of 1 to ``most`` nodes by a bound on the objective."""
        costs = np.full(self.bounds.cost.size, -np.inf)
        prices = self.problem.node_price * np.arange(most)
        costs[:most] = (objective - prices) * self.problem.total_weight
        self.bounds = self.bounds.merged(NodeCountBounds(costs))

    def tell(self) -> None:
        """Emit the bound if it has grown."""
        bound = min(self.bounds.lower_bound(self.problem), self.objective)
        if bound > self._bound:
            self._bound = bound
            self._report(Bounded(self._budget.elapsed(), bound))
