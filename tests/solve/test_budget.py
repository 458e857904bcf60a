import math

from oddlearn.solve.budget import Budget


def test_a_budget_without_seconds_never_expires():
    budget = Budget.of(None)
    assert not budget.expired
    assert budget.remaining() == math.inf


def test_a_spent_budget_has_nothing_left():
    budget = Budget.of(0.0, max_iter=5)
    assert budget.expired
    assert budget.remaining() == 0.0
    assert budget.share(0.5).expired
    assert budget.max_iter == 5


def test_a_share_ends_before_the_whole():
    whole = Budget.of(100.0)
    assert 40 < whole.share(0.5).remaining() <= 50
    assert whole.share(1.0).deadline <= whole.deadline + 1e-3
