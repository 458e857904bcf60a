"""The regression that keeps rows on their side, against plain solvers of the same problem."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, check_grad, minimize
from sklearn.linear_model import LogisticRegression

from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.constrained_logistic import (
    INTERCEPT_RIDGE,
    STRENGTH,
    BarrierNewton,
    RowSpace,
    constrained_regressions,
)

SECONDS = 30.0


def clouds(seed, m=60, d=3, noise=0.4):
    """Return rows, the sides they want, weights, and a slanted hyperplane that has most of them right."""
    random = np.random.default_rng(seed)
    X = random.random((m, d))
    direction = np.where(np.arange(d) % 2, -1.0, 1.0)
    wanted = X @ direction + noise * random.normal(size=m) > np.median(X @ direction)
    slanted = direction + 0.5 * random.normal(size=d)
    return X, wanted, random.integers(1, 4, m).astype(float), (slanted, float(np.median(X @ slanted)))


def loss(point, X, wanted, weight):
    """Return the loss of the ridge logistic regression, by its definition."""
    key = np.where(wanted, 1.0, -1.0) * (X @ point[:-1] + point[-1])
    squares = 0.5 * (point[:-1] @ point[:-1] + INTERCEPT_RIDGE * point[-1] ** 2)
    return STRENGTH * float(weight @ np.log1p(np.exp(-key))) + squares


@pytest.mark.parametrize("seed", range(5))
def test_without_rows_to_keep_it_is_the_regression_of_scikit_learn(seed):
    X, wanted, weight, _ = clouds(seed)
    signed = np.column_stack([X, np.ones(len(X))]) * np.where(wanted, 1.0, -1.0)[:, None]
    method = BarrierNewton(signed, np.zeros(len(X), dtype=bool), STRENGTH * weight)
    ours = method.minimise(np.zeros(4), 1.0, Budget.of(SECONDS))
    theirs = LogisticRegression(C=STRENGTH, tol=1e-8).fit(X, wanted, sample_weight=weight)
    assert ours == pytest.approx([*theirs.coef_[0], theirs.intercept_[0]], rel=1e-2, abs=1e-2)


@pytest.mark.parametrize("seed", range(5))
def test_it_comes_near_the_optimum_of_a_general_solver(seed):
    X, wanted, weight, start = clouds(seed)
    weights, threshold = start
    sign = np.where(wanted, 1.0, -1.0)
    rows = np.column_stack([X, np.ones(len(X))]) * sign[:, None]
    key = rows @ np.append(weights, -threshold)
    point = np.append(weights, -threshold) / np.abs(key).mean()
    stays = LinearConstraint(rows[key > 0], 0.0, np.inf)
    solved = minimize(loss, point, (X, wanted, weight), "SLSQP", constraints=[stays])
    method = BarrierNewton(rows, key > 0, STRENGTH * weight)
    for price in (1.0, 0.1, 0.01, 0.001):
        point = method.minimise(point, price, Budget.of(SECONDS))
    assert loss(point, X, wanted, weight) <= solved.fun + 0.003 * abs(solved.fun)


@pytest.mark.parametrize("seed", range(20))
def test_rows_on_their_side_stay_there(seed):
    X, wanted, weight, start = clouds(seed)
    right = (X @ start[0] > start[1]) == wanted
    found = list(constrained_regressions(X, wanted, weight, start, Budget.of(SECONDS)))
    assert len(found) == 2
    for weights in found:
        lowest = (X @ weights)[right & wanted].min()
        assert lowest > (X @ weights)[right & ~wanted].max()


@pytest.mark.parametrize("seed", range(5))
def test_with_more_features_than_rows_the_result_is_the_same(seed):
    X, wanted, weight, start = clouds(seed, m=12, d=11)
    plain = list(constrained_regressions(X, wanted, weight, start, Budget.of(SECONDS)))
    wide = np.column_stack([X, np.zeros((12, 4))])
    begun = (np.append(start[0], np.ones(4)), start[1])
    projected = list(constrained_regressions(wide, wanted, weight, begun, Budget.of(SECONDS)))
    for narrow, broad in zip(plain, projected, strict=True):
        assert broad[:11] == pytest.approx(narrow, rel=1e-3, abs=1e-3)
        assert broad[11:] == pytest.approx(np.zeros(4), abs=1e-9)


def test_derivatives_are_those_of_the_value():
    X, wanted, weight, start = clouds(4)
    rows = np.column_stack([X, np.ones(len(X))]) * np.where(wanted, 1.0, -1.0)[:, None]
    point = np.append(start[0], -start[1])
    method = BarrierNewton(rows, rows @ point > 0, STRENGTH * weight)
    assert check_grad(lambda p: method.value(p, 0.3), lambda p: method.derivatives(p, 0.3)[0], point) < 0.05
    second = method.derivatives(point, 0.3)[1]
    for column in range(4):
        shift = 1e-6 * np.eye(4)[column]
        change = method.derivatives(point + shift, 0.3)[0] - method.derivatives(point - shift, 0.3)[0]
        assert change / 2e-6 == pytest.approx(second[column], rel=1e-3)


@pytest.mark.parametrize("distance", [1e-9, 1e-20, 1e-40])
def test_a_start_that_all_but_touches_rows_that_stay_does_no_harm(distance):
    X = np.repeat(np.eye(3), 2, axis=0)
    wanted = np.tile([True, False], 3)
    signed = np.column_stack([X, np.ones(6)]) * np.where(wanted, 1.0, -1.0)[:, None]
    point = np.array([distance, distance, distance, 0.0])
    method = BarrierNewton(signed, signed @ point > 0, np.ones(6))
    found = method.minimise(point, 1.0, Budget.of(SECONDS))
    assert np.isfinite(found).all()
    assert method.value(found, 1.0) <= method.value(point, 1.0)


def test_without_time_nothing_is_turned():
    assert not list(constrained_regressions(*clouds(0), Budget.of(0.0)))


@pytest.mark.parametrize("n_steps", [0, 1, 2])
def test_it_ends_after_the_step_in_which_the_time_is_up(n_steps, monkeypatch):
    X, wanted, weight, start = clouds(4)
    rows = np.column_stack([X, np.ones(len(X))]) * np.where(wanted, 1.0, -1.0)[:, None]
    point = np.append(start[0], -start[1])
    method = BarrierNewton(rows, rows @ point > 0, STRENGTH * weight)
    steps, take_step = [], BarrierNewton._line_search
    monkeypatch.setattr(BarrierNewton, "_line_search", lambda *given: steps.append(1) or take_step(*given))
    left = iter([1.0, *[1.0] * n_steps, 0.0])
    assert method.minimise(point, 0.3, SimpleNamespace(remaining=lambda: next(left))) is not None
    assert len(steps) == n_steps


def test_it_ends_with_the_first_step_that_would_gain_next_to_nothing(monkeypatch):
    X, wanted, weight, start = clouds(4)
    rows = np.column_stack([X, np.ones(len(X))]) * np.where(wanted, 1.0, -1.0)[:, None]
    point = np.append(start[0], -start[1])
    method = BarrierNewton(rows, rows @ point > 0, STRENGTH * weight)
    found = method.minimise(point, 0.3, Budget.of(SECONDS))
    monkeypatch.setattr(BarrierNewton, "_line_search", lambda *given: pytest.fail("one step too many"))
    assert np.array_equal(method.minimise(found, 0.3, Budget.of(SECONDS)), found)


def test_a_step_ends_before_the_barrier():
    method = BarrierNewton(np.array([[1.0, 0.0]]), np.array([True]), np.array([0.0]))
    point, step = np.array([0.9, 0.0]), np.array([-0.9, 0.0])  # to the barrier itself
    value = method.value(point, 1e-9)
    assert value == pytest.approx(0.5 * 0.9**2)
    end, new = method._line_search(point, step, 1e-9, value, 0.1)
    assert end == pytest.approx([0.05 * 0.9, 0.0])
    assert new == method.value(end, 1e-9) < value
    assert method.value(np.array([0.0, 0.0]), 1e-9) == np.inf


@pytest.mark.parametrize("rank", [3, 8])
def test_coordinates_of_rows_are_those_of_an_orthonormal_basis(rank):
    random = np.random.default_rng(0)
    X = random.normal(size=(8, rank)) @ random.normal(size=(rank, 30))  # of a lower rank than it has rows
    space = RowSpace.of(X)
    assert space.rows.shape == (8, rank)
    np.testing.assert_allclose(space.rows @ space.rows.T, X @ X.T, atol=1e-9)
    weights = random.normal(size=30)
    point = space.project(X @ weights)
    np.testing.assert_allclose(space.rows @ point, X @ weights, atol=1e-9)
    within = space.combine(point) @ X  # the weights without what no row sees
    np.testing.assert_allclose(X @ within, X @ weights, atol=1e-9)
    np.testing.assert_allclose(within @ within, point @ point)
    assert RowSpace.of(np.zeros((3, 5))).rows.shape == (3, 0)
