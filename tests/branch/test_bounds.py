"""What prunes, by itself: bounds from subsets, from rows that change sides, and between two cuts."""

import numpy as np
import pytest

from oddlearn.branch.items import Items
from oddlearn.diagram import Skeleton
from oddlearn.problem import TrainingData, pose
from tests.branch.drawn import MARGIN, drawn_problem, noise_of, part_of, tree_value

SEEDS = range(60)


def draw(seed):
    """Return a problem of up to 20 rows, prices, a part of the rows and the rest."""
    random = np.random.default_rng(seed)
    problem = drawn_problem(seed, 20)
    prices = np.array([0.0, *random.random(2) * random.choice([0, 1])]) * (problem.cost.max() or 1.0)
    is_part = random.random(problem.data.n_rows) < 0.6
    is_part[random.integers(is_part.size)] = True
    return problem, prices, np.flatnonzero(is_part), np.flatnonzero(~is_part)


def crowded_rows(problem):
    items = Items.of(problem)
    return set(items.row[items.crowded > 0].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_part_of_the_rows_costs_no_more_than_all(seed):
    problem, prices, part, _ = draw(seed)
    assert tree_value(part_of(problem, part), prices) <= tree_value(problem, prices) + noise_of(problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_not_crowded_add_at_most_their_largest_costs(seed):
    problem, prices, part, rest = draw(seed)
    added = [row for row in rest if row not in crowded_rows(problem)]
    regret = (problem.cost.max(axis=1) - problem.cost.min(axis=1))[added].sum()
    least = problem.cost.min(axis=1)[added].sum()
    before = tree_value(part_of(problem, part), prices)
    after = tree_value(part_of(problem, np.sort([*part, *added]).astype(int)), prices)
    assert after <= before + least + regret + noise_of(problem)


def on_a_line(values, codes, weights):
    data = TrainingData.collect(np.array(values)[:, None], np.array(codes), 2, np.array(weights))
    return pose(data, Skeleton((1,)), 0.1, "univariate", MARGIN)


def test_a_crowded_row_may_cost_far_more_than_its_own_costs():
    """It closes the gap between two others: no cut is left that keeps the margin."""
    apart = on_a_line([0.0, 0.0012], [0, 1], [5.0, 5.0])
    closed = on_a_line([0.0, 0.0006, 0.0012], [0, 0, 1], [5.0, 0.5, 5.0])
    assert crowded_rows(closed) == {1}
    assert tree_value(apart, [0.0]) == 0.0
    assert tree_value(closed, [0.0]) == 5.0 > 0.5


def test_a_row_close_to_others_on_one_side_only_is_not_crowded():
    assert crowded_rows(on_a_line([0.0, 0.0006, 0.5], [0, 0, 1], [1.0, 1.0, 1.0])) == set()


def test_a_gap_of_just_the_margin_keeps_it():
    assert tree_value(on_a_line([0.0, MARGIN], [0, 1], [1.0, 1.0]), [0.0]) == 0.0
    assert tree_value(on_a_line([0.0, 0.99 * MARGIN], [0, 1], [1.0, 1.0]), [0.0]) == 1.0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sides_of_two_cuts_bound_all_cuts_between_them(seed):
    problem, prices, _, _ = draw(seed)
    column = problem.data.X[:, seed % problem.data.n_features]
    values = np.unique(column)
    if values.size < 4:
        return
    first, between, last = np.sort(np.random.default_rng(seed).choice(values[:-1], 3, replace=False))

    def side(rows):
        return tree_value(part_of(problem, np.flatnonzero(rows)), prices)

    bound = side(column <= first) + side(column > last)
    # rows between the two cuts cost at least their cheapest classes, wherever they go
    bound += problem.cost.min(axis=1)[(column > first) & (column <= last)].sum()
    assert bound <= side(column <= between) + side(column > between) + noise_of(problem)
