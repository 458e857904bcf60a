"""What prunes, by itself: bounds from subsets, from rows that change sides, and between two splits."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from tests.solve.branch_and_bound.drawn import drawn_problem, noise_of, part_of, tree_value

SEEDS = range(60)


def draw(seed):
    """Return a problem of up to 20 rows, prices, a part of the rows and the rest."""
    random = np.random.default_rng(seed)
    problem = drawn_problem(seed, 20)
    prices = np.array([0.0, *random.random(2) * random.choice([0, 1])]) * (problem.cost.max() or 1.0)
    is_part = random.random(problem.data.n_rows) < 0.6
    is_part[random.integers(is_part.size)] = True
    return problem, prices, np.flatnonzero(is_part), np.flatnonzero(~is_part)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_part_of_the_rows_costs_no_more_than_all(seed):
    problem, prices, part, _ = draw(seed)
    assert tree_value(part_of(problem, part), prices) <= tree_value(problem, prices) + noise_of(problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_added_rows_add_at_most_their_largest_costs(seed):
    problem, prices, part, added = draw(seed)
    largest = problem.cost.max(axis=1)[added].sum()
    before = tree_value(part_of(problem, part), prices)
    assert tree_value(problem, prices) <= before + largest + noise_of(problem)


def on_a_line(values, codes, weights):
    data = TrainingData.collect(np.array(values)[:, None], np.array(codes), 2, np.array(weights))
    return build_problem(data, Skeleton((1,)), 0.1, "univariate")


@pytest.mark.parametrize("low", [0.0, 1e-300, 0.5, 1e300])
def test_a_threshold_lies_between_neighbouring_numbers(low):
    assert tree_value(on_a_line([low, np.nextafter(low, np.inf)], [0, 1], [1.0, 1.0]), [0.0]) == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sides_of_two_splits_bound_all_splits_between_them(seed):
    problem, prices, _, _ = draw(seed)
    column = problem.data.X[:, seed % problem.data.n_features]
    values = np.unique(column)
    if values.size < 4:
        return
    first, between, last = np.sort(np.random.default_rng(seed).choice(values[:-1], 3, replace=False))

    def side(rows):
        return tree_value(part_of(problem, np.flatnonzero(rows)), prices)

    bound = side(column <= first) + side(column > last)
    # rows between the two splits cost at least their cheapest classes, wherever they go
    bound += problem.cost.min(axis=1)[(column > first) & (column <= last)].sum()
    assert bound <= side(column <= between) + side(column > between) + noise_of(problem)
