"""Steps of a schedule for diagrams of several hyperplanes."""

from __future__ import annotations

from oddlearn.solve.hyperplanes.node_search import NodeHyperplanes
from oddlearn.solve.hyperplanes.several_solver import NODE_COUNTS, SeveralHyperplanesSolver
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Rounds, Step, TimeShare

# rows x features up to which nodes are searched: beyond, one linear program takes seconds
MAX_NODE_CELLS = 5_000_000

# work without a better diagram after which they end, in seconds
PATIENCE = 1.0

# seconds of work before it: small problems are solved by then
SEVERAL_AFTER = 0.05


def several_hyperplanes_step() -> Step:
    """Return the step that proves diagrams of two to seven hyperplanes."""
    solver = SeveralHyperplanesSolver()

    def has_few_nodes_to_prove(status: LoopStatus) -> str | None:
        """Splits are multivariate with all terms, and at most seven nodes are left to prove."""
        is_early = status.budget.meter.seconds < SEVERAL_AFTER
        if is_early or solver.unsupported_reasons(status.state.problem):
            return ""
        return None if few_nodes_are_unresolved(status.state) else ""

    return Step(solver, condition=has_few_nodes_to_prove, is_exact=True)


def few_nodes_are_unresolved(state: SolveState) -> bool:
    """Return True if two nodes or more could be better, and none with more than are searched."""
    unresolved = state.unresolved_node_counts
    # with more no proof would end, and the search needs the time
    return not state.is_finished and 1 < max(unresolved, default=0) <= max(NODE_COUNTS)


def node_hyperplane_rounds() -> Rounds:
    """Return the step that gives one node after the other its best hyperplane, when the search is over.

    In turns with the search it took half of its time: 54 data sets, 3 s, objectives of 0.0662 beside 0.0650
    without it, 12 lower and 14 higher.
    """

    def has_several_hyperplanes(status: LoopStatus) -> str | None:
        """Splits are multivariate with all terms, the table is small, and the incumbent has several nodes."""
        problem = status.state.problem
        is_small = problem.data.X.size <= MAX_NODE_CELLS
        is_unlimited = problem.split == "multivariate" and problem.term_limit is None
        is_due = is_unlimited and is_small and status.state.diagram.n_nodes > 1
        return None if is_due else ""

    step = Step(NodeHyperplanes(), condition=has_several_hyperplanes)
    return Rounds((step,), TimeShare(0.5, only_if_followed=True), PATIENCE)
