"""The optimum of the model is the optimum of the problem, with every switch on and off."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.context import FormulationOptions
from oddlearn.solve.milp.decode import decode
from oddlearn.solve.milp.formulation import formulate
from tests.oracles import brute_force
from tests.oracles.by_nodes import least_costs
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.solving import VARIANTS, solved

SPLITS = ("univariate", "multivariate")
TIGHT = [variant for variant in VARIANTS if not variant.is_paper]


def check_optimum(problem, variant, truth):
    formulation = formulate(problem, None, variant)
    x, value = solved(formulation.model)
    assert value == pytest.approx(truth, abs=1e-6)
    check_decoded(formulation, x, truth)


def check_decoded(formulation, x, value):
    """A point becomes a diagram that is no worse, unless a hyperplane misses the margin by a hair.

    Solvers keep rows to a tolerance only, and the printed limits of weights admit narrower gaps.
    """
    diagram = decode(formulation, x, Budget.of(5.0))
    if diagram is None:
        assert formulation.problem.split == "multivariate"
    else:
        assert evaluate(formulation.problem, diagram).objective <= value + 1e-6


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_model_has_the_brute_force_optimum(variant, split):
    for place in range(2):
        seed = 1000 + 4 * VARIANTS.index(variant) + place
        problem = tiny_problem(seed, split, most_rows=5, tree_only=place % 2 == 1)
        check_optimum(problem, variant, brute_force.optimal_objective(problem))


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("variant", TIGHT, ids=str)
def test_the_best_over_all_numbers_of_nodes_is_the_optimum(variant, split):
    for place in range(2):
        seed = 2000 + 2 * VARIANTS.index(variant) + place
        problem = tiny_problem(seed, split, most_rows=5, tree_only=place % 2 == 1)
        counts = range(1, problem.skeleton.n_nodes + 1)
        values = [solved(formulate(problem, count, variant).model)[1] for count in counts]
        assert min(values) == pytest.approx(brute_force.optimal_objective(problem), abs=1e-6)
        # the oracle leaves out nodes that no row reaches, which are paid for nothing
        costs = least_costs(problem) / problem.total_weight
        prices = problem.node_price * np.arange(len(counts))
        assert (np.array(values) <= costs + prices + 1e-6).all()
        assert (np.array(values) >= np.minimum.accumulate(costs) + prices - 1e-6).all()


def test_decoded_points_are_at_least_as_good_as_the_model_says():
    for seed in range(3000, 3006):
        problem = tiny_problem(seed, SPLITS[seed % 2])
        for count in range(1, problem.skeleton.n_nodes + 1):
            formulation = formulate(problem, count, FormulationOptions())
            x, value = solved(formulation.model)
            if x is not None:
                check_decoded(formulation, x, value)


def test_a_true_lower_bound_changes_nothing():
    for seed in range(4000, 4004):
        problem = tiny_problem(seed, SPLITS[seed % 2])
        for count in range(1, min(3, problem.skeleton.n_nodes) + 1):
            value = solved(formulate(problem, count, FormulationOptions()).model)[1]
            if math.isfinite(value):
                again = solved(formulate(problem, count, FormulationOptions(), lower_bound=value).model)[1]
                assert again == pytest.approx(value, abs=1e-6)


def printed_gap(first, second):
    """Largest min(a.first) - max(a.second) with a and the threshold below it in the printed limits."""
    d = first.shape[1]
    above = np.hstack([-first, np.ones((len(first), 1)), np.zeros((len(first), 1))])
    under = np.hstack([second, np.zeros((len(second), 1)), -np.ones((len(second), 1))])
    limits = np.zeros(len(first) + len(second))
    reach = max(1.0, first.max(), second.max())
    bounds = [(-1, 1)] * d + [(-reach, reach)] * 2
    goal = np.concatenate([np.zeros(d), [-1.0, 1.0]])
    found = linprog(goal, A_ub=np.vstack([above, under]), b_ub=limits, bounds=bounds)
    return -found.fun


def test_the_printed_limits_admit_hyperplanes_with_narrower_gaps(monkeypatch):
    # weights of up to 1 each: in two dimensions the margin may be half as wide as with a sum of 1
    seen = 0
    for seed in range(5000, 5020):
        problem = tiny_problem(seed, "multivariate", most_rows=5)
        ours = brute_force.optimal_objective(problem)
        with monkeypatch.context() as patch:
            patch.setattr(brute_force, "largest_gap", printed_gap)
            printed = brute_force.optimal_objective(problem)
        assert printed <= ours + 1e-9
        if printed < ours - 1e-9:
            seen += 1
            value = solved(formulate(problem, None, FormulationOptions("paper")).model)[1]
            assert value == pytest.approx(printed, abs=1e-6)
    assert seen
