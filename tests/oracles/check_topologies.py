"""Bounds of two to five hyperplanes against all diagrams, on many random problems.

    python -m tests.oracles.check_topologies --problems 10000 --first 0

Tables as in check_hyperplanes, of up to 7 rows. The bound of each number of nodes is compared with the
least cost of all diagrams that have so many nodes; each diagram found with the least cost of all. It ends
at the first error.
"""

from dataclasses import replace

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes import topology_search
from oddlearn.solve.hyperplanes.conflict_pool import ConflictPool
from oddlearn.solve.hyperplanes.least_hitting_set import HittingSetSearch
from oddlearn.solve.hyperplanes.routing_formula import RoutingFormula
from oddlearn.solve.hyperplanes.topologies import list_topologies
from oddlearn.solve.hyperplanes.topology_search import RoutedRows, TopologySearch
from tests.oracles.by_nodes import least_costs
from tests.oracles.check_hyperplanes import draw_problem
from tests.oracles.run_checks import run_checks

SKELETONS = ("1-1", "1-2", "1-1-1", "1-2-1", "1-1-2", "1-1-1-1", "1-2-2")
MAX_ROWS = (7, 5)  # with up to two features, and with more: each gap is a linear program
MAX_CLASSES = 3


def turn_off(random):
    """Make parts do little, at random; return what to restore."""
    restored = []
    for name, values in (
        ("SETS_PER_NODE", (1, 12)),
        ("MAX_CORE_CONFLICTS", (0, 100)),
        ("MAX_CONFLICTS", (1, 2000)),
        ("FREE_SCALE", (0.15, 1.0)),
    ):
        restored.append((topology_search, name, getattr(topology_search, name)))
        setattr(topology_search, name, values[random.integers(2)])
    for place, name, other in (
        (ConflictPool, "find_violated", lambda *given: []),
        (HittingSetSearch, "relax", HittingSetSearch.run),
        (RoutingFormula, "prefer", lambda *given: None),
    ):
        restored.append((place, name, getattr(place, name)))
        if random.integers(2):
            setattr(place, name, other)
    return restored


def check_problem(seed):
    random = np.random.default_rng([seed, 2222])
    problem = draw_problem(random)
    while problem.data.n_classes > MAX_CLASSES or problem.data.n_rows > MAX_ROWS[problem.data.n_features > 2]:
        problem = draw_problem(random)
    # more than three nodes and two classes have up to 96 topologies each: such problems are rare
    is_small = problem.data.n_classes > 2 and random.random() < 0.9
    names = [name for name in SKELETONS if not is_small or Skeleton.parse(name).n_nodes <= 3]
    skeleton = Skeleton(Skeleton.parse(str(random.choice(names))).widths, bool(random.random() < 0.3))
    problem = replace(problem, skeleton=skeleton)
    least = least_costs(problem)
    rows = RoutedRows.from_problem(problem)
    kinds = set()
    restored = turn_off(random)
    try:
        for count in range(2, skeleton.n_nodes + 1):
            searches = [
                TopologySearch(problem, rows, topology)
                for topology in list_topologies(skeleton, count, problem.data.n_classes)
            ]
            for search in searches:
                while not search.has_ended:
                    search.run(Budget.of(None).limit_work(0.01))
                    check_diagram(problem, search.diagram, least.min())
            if searches:
                bound = min(search.bound for search in searches)
                assert bound <= least[count - 1] + 1e-7, f"problem {seed}, {count} nodes: {bound}, {least}"
                is_exact = bound >= least[count - 1] * (1 - 1e-5) - 1e-7
                kinds.add("none" if np.isinf(least[count - 1]) else "exact" if is_exact else "below")
    finally:
        for place, name, value in restored:
            setattr(place, name, value)
    return ", ".join(sorted(kinds)) or "one node"


def check_diagram(problem, diagram, least):
    if diagram is None:
        return
    try:
        cost = evaluate(problem, diagram).cost
    except DiagramMisfitError:
        return
    assert cost >= least - 1e-9


if __name__ == "__main__":
    run_checks(check_problem, __doc__)
