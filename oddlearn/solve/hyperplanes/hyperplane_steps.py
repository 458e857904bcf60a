"""Steps of a schedule for diagrams of several hyperplanes."""

from __future__ import annotations

from oddlearn.solve.hyperplanes.node_search import NodeHyperplanes
from oddlearn.solve.hyperplanes.polish import MaximiseMargins
from oddlearn.solve.step import LoopStatus, Step

# rows x features up to which nodes are searched: beyond, one linear program takes seconds
MAX_NODE_CELLS = 5_000_000


def node_hyperplanes_step() -> Step:
    """Return the step that gives one node after the other its best hyperplane."""

    def has_several_hyperplanes(status: LoopStatus) -> str | None:
        """Splits are multivariate with all terms, the table is small, and the incumbent has several nodes."""
        problem = status.state.problem
        is_small = problem.data.X.size <= MAX_NODE_CELLS
        is_unlimited = problem.split == "multivariate" and problem.term_limit is None
        is_due = is_unlimited and is_small and status.state.diagram.n_nodes > 1
        return None if is_due else ""

    return Step(NodeHyperplanes(), condition=has_several_hyperplanes, polish=MaximiseMargins())
