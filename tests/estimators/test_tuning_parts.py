"""Grid, results and sharing of time."""

from itertools import count

import numpy as np
import pytest
from sklearn.datasets import load_iris

from oddlearn import OptimalDecisionDiagramClassifierCV, Skeleton
from oddlearn.errors import ShortTimeWarning
from oddlearn.estimators.grid import Grid, build_cv_results, rank_scores
from oddlearn.estimators.penalty_path import FoldScore, warn_of_short_time
from oddlearn.solve.budget import Budget
from tests.fakes import FixedSearch

IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("score", "n_nodes", "best"),
    [
        ([0.7, 0.9, 0.8, 0.6], [1, 9, 1, 1], 1),  # the highest score
        ([0.9, 0.9, 0.9, 0.8], [3, 2, 4, 1], 1),  # fewer nodes
        ([0.9, 0.8, 0.9, 0.9], [3, 3, 3, 3], 3),  # the smaller skeleton, then the larger alpha
        ([0.9, 0.9, 0.8, 0.8], [3, 3, 3, 3], 1),  # the larger alpha
        ([0.1 + 0.2, 0.3, 0.3, 0.3], [3, 3, 2, 3], 2),  # rounding makes no difference
        ([np.nan, 0.5, 0.4, np.nan], [1, 3, 3, 3], 1),
    ],
)
def test_the_best_cell(score, n_nodes, best):
    grid = Grid.parse(("1-2-2", "1-2"), (0.1, 0.5))
    assert grid.best(np.array(score), np.array(n_nodes)) == best


def test_equal_scores_share_the_better_rank():
    assert rank_scores(np.array([0.5, 0.9, 0.9, np.nan])).tolist() == [3, 1, 1, 4]


def test_results_are_laid_out_by_fold_and_cell():
    grid = Grid.parse(([1], Skeleton.tree(2)), (0.1, 0.5))
    numbers = count()
    chains = [[FoldScore(float(next(numbers)), 1, 0.1) for _ in range(2)] for _ in range(6)]
    results = build_cv_results(grid, chains, 3)
    assert results["split0_test_score"].tolist() == [0, 1, 2, 3]
    assert results["split2_test_score"].tolist() == [8, 9, 10, 11]
    assert results["mean_test_score"].tolist() == [4, 5, 6, 7]
    assert results["param_skeleton"].tolist() == [[1], [1], Skeleton.tree(2), Skeleton.tree(2)]


LIMITS = []


class Watching(FixedSearch):
    """Keeps the seconds it was given; clones of it too."""

    def run(self, state, budget, emit):
        LIMITS.append(budget.remaining())
        return super().run(state, budget, emit)


def noisy():
    """Labels by chance: no bound is met, so that every fit asks its engine."""
    random = np.random.default_rng(0)
    return random.random((80, 3)), random.integers(0, 2, 80)


def watched(**parameters):
    LIMITS.clear()
    grid = {"skeletons": ("1-2", "1-2-2"), "alphas": (0.01, 0.02, 0.03), "cv": 2}
    options = {"search": Watching(), "exact": None, "random_state": 0}
    OptimalDecisionDiagramClassifierCV(**grid, **options, **parameters).fit(*noisy())
    return LIMITS


def test_every_fit_gets_a_fair_share_and_the_last_one_what_is_left():
    *limits, last = watched(time_limit=1000.0)
    # the engine returns at once, so that 750 s are left for 4, 3, 2, 1 chains of 3, 2, 1 fits
    shares = [750 / chains / fits for chains in (4, 3, 2, 1) for fits in (3, 2, 1)]
    assert limits == pytest.approx(shares, rel=0.1)
    assert 900 < last <= 1000


def test_fits_side_by_side_get_more_each():
    limits = watched(time_limit=1000.0, n_jobs=2)
    assert min(limits) > 1.5 * 750 / 12


def test_no_limit_is_no_limit():
    assert watched(time_limit=None) == [np.inf] * 13


def test_too_little_time_is_warned_of():
    hasty, calm = [[FoldScore(0.5, 1, 0.01)] * 4], [[FoldScore(0.5, 1, 0.5)] * 4]
    with pytest.warns(ShortTimeWarning, match=r"time_limit=8 left 0.01 s for each of 4 fits"):
        warn_of_short_time(hasty, Budget.of(0.0), 8)
    warn_of_short_time(calm, Budget.of(0.0), 8)
    warn_of_short_time(hasty, Budget.of(1e6), 8)
