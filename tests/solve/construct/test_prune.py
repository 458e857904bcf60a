import numpy as np
import pytest

from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from tests.diagram.drawings import crossed, random_diagram


def posed(random, alpha, n=60, d=4, n_classes=3):
    data = TrainingData.collect(random.random((n, d)), random.integers(0, n_classes, n), n_classes)
    return build_problem(data, Skeleton((1, 2, 3, 3)), alpha, "univariate", margin=0.0)


def build_from(problem, diagram):
    """Return the builder of a finished diagram, in unit coordinates."""
    trace = route_reference(diagram, problem.data.X)
    builder = DiagramBuilder.empty(problem)
    for node, split in enumerate(diagram.splits):
        at, side = trace.reached[:, node], trace.sides[:, node]
        costs = [problem.cost[at & (side == positive)].sum(axis=0) for positive in (False, True)]
        builder.add(int(diagram.layer[node]), split, (), costs)
    ends = np.column_stack([diagram.negative, diagram.positive]).ravel()
    builder.target = [int(end if end < diagram.n_nodes else ~(end - diagram.n_nodes)) for end in ends]
    return builder


def prune(problem, diagram):
    return build_from(problem, diagram).prune().build()


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("alpha", [0.0, 0.2, 3.0])
def test_pruning_never_worsens(seed, alpha):
    random = np.random.default_rng(seed)
    problem, diagram = posed(random, alpha), random_diagram(random)
    before, after = evaluate(problem, diagram), evaluate(problem, prune(problem, diagram))
    assert after.objective <= before.objective + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_a_builder_has_the_objective_of_its_diagram(seed):
    random = np.random.default_rng(seed)
    problem, diagram = posed(random, 0.3), random_diagram(random)
    builder = build_from(problem, diagram)
    assert builder.objective == pytest.approx(evaluate(problem, diagram).objective)
    assert builder.build() == diagram


def test_a_high_price_leaves_the_root_only():
    random = np.random.default_rng(5)
    problem = posed(random, 100.0)
    assert prune(problem, random_diagram(random)).n_nodes <= 1


def test_a_diagram_whose_nodes_are_worth_their_price_stays():
    grid = np.array([[a, b] for a in np.arange(0.05, 1, 0.1) for b in np.arange(0.05, 1, 0.1)])
    data = TrainingData.collect(grid, crossed().predict(grid), 2)
    problem = build_problem(data, Skeleton.parse("1-2-2"), 0.01, "univariate")
    assert prune(problem, crossed()) == crossed()


def test_nodes_that_decide_nothing_go_even_when_nodes_are_free():
    data = TrainingData.collect(np.array([[0.1, 0.1], [0.9, 0.9]]), np.array([0, 0]), 2)
    problem = build_problem(data, Skeleton.parse("1-2-2"), 0.0, "univariate")
    assert prune(problem, crossed()).n_nodes < 4
