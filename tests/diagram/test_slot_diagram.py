import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.slot_diagram import Slots, diagram_from_slots, slots_from_diagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.kernels.local_search.search_table import EVERYTHING_POSITIVE
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from tests.diagram.drawings import crossed, random_diagram


def posed(random, skeleton, split, n=60, d=4, n_classes=3):
    data = TrainingData.collect(random.random((n, d)), random.integers(0, n_classes, n), n_classes)
    return build_problem(data, skeleton, 0.1, split, margin=0.0)


def read_back(problem, slots):
    return diagram_from_slots(slots, problem.skeleton, problem.data.n_classes, problem.split)


@pytest.mark.parametrize("widths", [(1,), (1, 2), (1, 1, 2), (1, 2, 3, 3)])
@pytest.mark.parametrize("seed", range(25))
def test_univariate_diagrams_come_back_as_they_were(seed, widths):
    random = np.random.default_rng(seed)
    problem = posed(random, Skeleton((1, 2, 4, 8)), "univariate")
    diagram = random_diagram(random, widths)
    assert read_back(problem, slots_from_diagram(diagram, problem.skeleton)) == diagram


@pytest.mark.parametrize("kind", ["multivariate", "mixed"])
@pytest.mark.parametrize("seed", range(40))
def test_hyperplanes_come_back_as_the_same_function(seed, kind):
    random = np.random.default_rng(seed)
    problem = posed(random, Skeleton((1, 2, 3, 3)), "multivariate")
    diagram = random_diagram(random, kind=kind)
    again = read_back(problem, slots_from_diagram(diagram, problem.skeleton))
    assert (again.predict(problem.data.X) == diagram.predict(problem.data.X)).all()
    assert evaluate(problem, again).objective == evaluate(problem, diagram).objective


def test_a_hyperplane_without_weights_sends_everything_one_way():
    problem = posed(np.random.default_rng(0), Skeleton((1,)), "multivariate", n_classes=2)
    for threshold, expected in ((0.5, 0), (-0.5, 1)):
        flat = DecisionDiagram((MultivariateSplit(np.zeros(4), threshold),), [1], [2], [0], 2, 4)
        again = read_back(problem, slots_from_diagram(flat, problem.skeleton))
        assert (again.predict(problem.data.X) == expected).all()


def test_a_smaller_diagram_leaves_slots_empty():
    problem = posed(np.random.default_rng(0), Skeleton((1, 2, 4)), "univariate", d=2, n_classes=2)
    slots = slots_from_diagram(crossed(), problem.skeleton)
    assert slots.active.tolist() == [True, True, True, True, False, False, False]
    assert slots.child[:4].tolist() == [[1, 2], [3, 8], [7, 3], [7, 8]]
    assert slots.feature[:4].tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("class_code", [0, 2])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_the_constant_is_a_root_that_decides_nothing(split, class_code):
    problem = posed(np.random.default_rng(0), Skeleton((1, 2)), split)
    constant = DecisionDiagram.constant(class_code, 3, 4)
    slots = slots_from_diagram(constant, problem.skeleton)
    assert slots.feature[0] == EVERYTHING_POSITIVE
    assert slots.child[0].tolist() == [3 + class_code] * 2
    assert read_back(problem, slots) == constant


@pytest.mark.parametrize("idle", [EVERYTHING_POSITIVE, 1])
def test_a_node_that_passes_everything_on_becomes_a_split_below_the_box(idle):
    problem = posed(np.random.default_rng(0), Skeleton((1, 1)), "univariate", n_classes=2)
    child, feature = np.array([[1, 1], [2, 3]]), np.array([idle, 2])
    slots = Slots(child, feature, np.array([0.5, 0.5]), np.zeros((2, 4)), np.ones(2, dtype=bool))
    diagram = read_back(problem, slots)
    single = DecisionDiagram((UnivariateSplit(2, 0.5),), [1], [2], [0], 2, 4)
    assert diagram.n_nodes == 2
    assert (diagram.predict(problem.data.X) == single.predict(problem.data.X)).all()
