"""The prover against brute force: weights, costs, near-duplicates, trees, constraints, ordered or not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.constraints import MinFlowPerArc
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.cpsat.solver import CpSat
from tests.oracles.brute_force import optimal_objective
from tests.oracles.by_nodes import least_costs
from tests.oracles.tiny import tiny_problem
from tests.solve.cpsat import enumeration
from tests.solve.cpsat.proving import objective_of, prove_all


def check(problem, proof, best, costs):
    """The optimum is found, proved, and no floor is above the least cost with so many nodes."""
    assert objective_of(problem, proof) == pytest.approx(best, abs=1e-9)
    assert proof.bounds.lower_bound(problem) == pytest.approx(best, abs=1e-9)
    assert (proof.bounds.cost <= costs + 1e-9 * problem.total_weight).all()


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("order_nodes", [False, True])
def test_it_agrees_with_brute_force(tree_only, order_nodes):
    problems = [tiny_problem(seed, tree_only=tree_only) for seed in range(2000, 2030)]
    proofs = prove_all([(CpSat(order_nodes=order_nodes), problem) for problem in problems])
    for problem, proof in zip(problems, proofs, strict=True):
        check(problem, proof, optimal_objective(problem), least_costs(problem))


def close_problem(seed):
    """Rows whose values are as close together as numbers can be."""
    random = np.random.default_rng(seed)
    X = 1 + random.integers(0, 8, (7, 2)) * 2.0**-52
    X[0] = 2.0
    data = TrainingData.collect(X, random.integers(0, 2, 7), 2)
    skeleton = Skeleton.parse(str(random.choice(["1-1", "1-2", "1-2-2"])))
    return build_problem(data, skeleton, float(random.choice([0.05, 0.3])), "univariate")


def test_neighbouring_numbers_are_parted():
    problems = [close_problem(seed) for seed in range(20)]
    proofs = prove_all([(CpSat(), problem) for problem in problems])
    for problem, proof in zip(problems, proofs, strict=True):
        check(problem, proof, optimal_objective(problem), least_costs(problem))


def constrained_problem(seed):
    """Random rows of one kind or all, hard or soft: on classes, slots reached or used; or flows on arcs."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (4, 1)) / 2 + random.choice([0.0, 0.0004, 0.0012], (4, 1))
    data = TrainingData.collect(X, random.integers(0, 2, 4), 2)
    skeleton = Skeleton(((1,), (1, 1), (1, 2), (1, 2))[seed % 4], tree_only=seed % 3 == 0)
    problem = build_problem(data, skeleton, float(random.choice([0.0, 0.1, 0.5])), "univariate")
    layout = problem.layout
    if seed % 6 == 5:
        return replace(problem, rows=MinFlowPerArc(int(random.integers(1, 4))).rows(data, layout))
    everything = np.setdiff1d(np.arange(layout.size), layout.positive)
    kinds = [layout.assigned, layout.reached, layout.used, everything]
    places = kinds[seed % len(kinds)].ravel()
    matrix = np.zeros((2, layout.size))
    unit = random.choice([1.0, 0.1, 1 / 3, 1 / 7])
    matrix[:, places] = random.integers(-2, 3, (2, places.size)) * unit
    lower = np.array([-np.inf, random.integers(-2, 2) * unit])
    upper = np.array([random.integers(-1, 3) * unit, np.inf])
    price = [[np.inf, np.inf], [0.7, np.inf], [0.0, 1 / 3]][seed % 3]
    return replace(problem, rows=LinearRows(csr_array(matrix), lower, upper, ("above", "below"), price))


def test_constraints_on_classes_slots_and_nodes_are_kept():
    problems = [constrained_problem(seed) for seed in range(48)]
    proofs = prove_all([(CpSat(), problem) for problem in problems])
    endings = set()
    for problem, proof in zip(problems, proofs, strict=True):
        costs = enumeration.least_costs(problem)
        best = (costs / problem.total_weight + problem.node_price * np.arange(costs.size)).min()
        endings.add(bool(np.isfinite(best)))
        assert proof.bounds.lower_bound(problem) == pytest.approx(best, abs=1e-9)
        assert (proof.bounds.cost <= costs + 1e-9).all()
        value = evaluate(problem, proof.diagram or best_constant(problem))
        assert value.violation > 1e-9 if np.isinf(best) else value.objective == pytest.approx(best, abs=1e-9)
        assert proof.diagram is None or value.violation <= 1e-9
    assert endings == {True, False}


def test_equal_features_and_equal_values_cost_nothing():
    data = TrainingData.collect(np.array([[0.0, 0.0, 0.5], [1.0, 1.0, 0.5]]), np.array([0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")
    (proof,) = prove_all([(CpSat(), problem)])
    check(problem, proof, 0.0, np.zeros(3))


def test_one_class_and_no_split_at_all_are_constants():
    one_class = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 0]), 1)
    problem = build_problem(one_class, Skeleton.parse("1-2"), 0.1, "univariate", cost_matrix=[[1.0]])
    same_rows = TrainingData.collect(np.array([[0.5], [0.5]]), np.array([0, 1]), 2)
    other = build_problem(same_rows, Skeleton.parse("1"), 0.1, "univariate")
    proofs = prove_all([(CpSat(), problem), (CpSat(), other)])
    assert [proof.diagram for proof in proofs] == [None, None]
    assert proofs[0].bounds.lower_bound(problem) == 1.0
    assert proofs[1].bounds.lower_bound(other) == 0.5
