"""The best single hyperplane against all ways to part the rows, on many random problems.

    python -m tests.oracles.check_hyperplanes --problems 10000 --first 0

Tables of 2 to 9 rows and 1 to 5 features: on a grid, on a line, equal rows, rows that differ by about the
margin; 2 to 5 classes, weights, costs. Each is solved with a random choice of parts turned off, in slices
or in one go. Every cut is checked again by a linear program of the two hulls. It ends at the first error.
"""

import math
from itertools import product

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes import branch_and_cut, hitting_set_program
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from tests.oracles.brute_force import largest_gap
from tests.oracles.run_checks import run_checks

MARGIN = 1e-4
TOLERANCE = 1e-8  # of the linear programs that judge


def draw_problem(random):
    n, d, n_classes = (int(random.integers(*limits)) for limits in ((2, 10), (1, 6), (2, 6)))
    X = [random.random((n, d)), random.integers(0, 3, (n, d)) / 2.0][random.integers(2)]
    if random.random() < 0.2:  # on a line
        X = random.random((n, 1)) * random.standard_normal(d)
    if random.random() < 0.2:  # rows that differ by about the margin
        steps = MARGIN * random.choice([0.0, 0.5, 0.99, 1.01, 3.0], (n, d))
        X = X[random.integers(0, max(1, n // 2), n)] + steps
    codes = random.integers(0, n_classes, n)
    weights = [None, random.integers(1, 4, n).astype(float), random.random(n) + 0.1][random.integers(3)]
    matrix = None
    if random.random() < 0.4:
        matrix = random.integers(0, 4, (n_classes, n_classes)) * random.choice([1.0, 0.37])
        np.fill_diagonal(matrix, 0.0)
    data = TrainingData.collect(X, codes, n_classes, weights)
    return build_problem(data, Skeleton.parse("1"), 0.0, "multivariate", MARGIN, matrix)


def least_cost(problem, margin):
    """Return the least cost of two sides that are separated by the margin, or of one class."""
    X, cost = problem.data.X, problem.cost
    parts = [np.array([False, *bits]) for bits in product([False, True], repeat=len(X) - 1)]
    paid = [cost[part].sum(axis=0).min() + cost[~part].sum(axis=0).min() for part in parts]
    constant = float(cost.sum(axis=0).min())
    for place in np.argsort(paid):
        part = parts[place]
        if paid[place] >= constant:
            break
        if part.any() and largest_gap(X[part], X[~part]) >= margin:
            return float(paid[place])
    return constant


def check_cuts(pair, cuts, X):
    for cut in cuts:
        sides = np.where(cut.is_flipped, -1, 1) * pair.cheaper[cut.rows]
        rows = X[cut.rows]
        assert largest_gap(rows[sides > 0], rows[sides < 0]) < MARGIN + TOLERANCE


def turn_off(random):
    """Turn parts off at random; return what to restore."""
    restored = []
    for module, name, values in (
        (branch_and_cut, "NOISY_PASSES", (0, 3)),
        (branch_and_cut, "MAX_MISSES", (0, 20)),
        (branch_and_cut, "MIN_PROGRESS", (0.002, 2.0)),
        (hitting_set_program, "MAX_SLACK_ROUNDS", (0, 8)),
        (hitting_set_program, "MIN_DROPPED", (1, 50)),
        (SingleHyperplaneSearch, "_fix_values", (lambda *given: None, SingleHyperplaneSearch._fix_values)),
    ):
        restored.append((module, name, getattr(module, name)))
        setattr(module, name, values[random.integers(2)])
    return restored


def check_problem(seed):
    random = np.random.default_rng([seed, 2121])
    problem = draw_problem(random)
    restored = turn_off(random)
    try:
        search = SingleHyperplaneSearch(problem)
        for cutoff in [*np.sort(random.random(3) * problem.total_weight / 2), math.inf]:
            if random.random() < 0.5 or cutoff == math.inf:
                search.run(float(cutoff), Budget.of(None))
                assert search.lower_bound <= max(cutoff, 0) + 1e-9
        found = search.lower_bound
        pairs = [node.pair for _, _, node in search._open]
    finally:
        for module, name, value in restored:
            setattr(module, name, value)
    # rows without a cheaper side need keep no margin in the relaxation
    surely, perhaps = least_cost(problem, MARGIN - 1e-9), least_cost(problem, MARGIN + TOLERANCE)
    assert found <= surely + 1e-7, f"problem {seed}: bound {found}, least cost {surely}"
    if search.diagram is not None:
        assert evaluate(problem, search.diagram).cost >= surely - 1e-9
    for pair in pairs:
        rows = np.flatnonzero(np.ptp(problem.cost, axis=1) > 0)
        if rows.size == pair.regret.size:
            check_cuts(pair, pair.program._cuts, problem.data.X[rows])
    return "exact" if found >= perhaps - 1e-7 else "below"


if __name__ == "__main__":
    run_checks(check_problem, __doc__)
