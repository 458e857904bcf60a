import math

from oddlearn.solve.budget import Budget


def test_a_budget_without_seconds_never_expires():
    budget = Budget.of(None)
    assert not budget.expired and not budget.is_late
    assert budget.remaining() == budget.remaining_work() == math.inf
    assert budget.share(0.5).remaining() == math.inf
    assert budget.max_iter is None


def test_a_spent_budget_has_nothing_left():
    budget = Budget.of(0.0, max_iter=5)
    assert budget.expired
    assert budget.remaining() == 0.0
    assert budget.share(0.5).expired
    assert budget.max_iter == 5


def test_a_budget_expires_at_its_deadline(clock):
    clock.now = 1000.0
    budget = Budget.of(10.0)
    assert (budget.started, budget.deadline) == (1000.0, 1010.0)
    clock.now = 1009.0
    assert (budget.remaining(), budget.elapsed(), budget.is_late, budget.expired) == (1.0, 9.0, False, False)
    clock.now = 1010.0
    assert (budget.remaining(), budget.is_late, budget.expired) == (0.0, True, True)
    clock.now = 1020.0
    assert (budget.remaining(), budget.elapsed()) == (0.0, 20.0)


def test_a_budget_may_have_started_earlier(clock):
    clock.now = 1000.0
    budget = Budget.since(995.0, 10.0, 7)
    assert (budget.remaining(), budget.elapsed(), budget.max_iter) == (5.0, 5.0, 7)
    assert Budget.since(995.0, None).deadline == math.inf


def test_a_share_is_of_the_time_left(clock):
    clock.now = 1000.0
    whole = Budget.of(100.0, 3)
    clock.now += 20
    part = whole.share(0.25)
    assert (part.deadline, part.remaining(), part.started, part.max_iter) == (1040.0, 20.0, 1000.0, 3)
    assert part.meter is whole.meter
    assert whole.at_most(30.0).deadline == 1050.0
    assert whole.at_most(90.0).deadline == 1100.0
    assert whole.without(15.0).deadline == 1085.0


def test_work_is_counted_by_all_parts_of_a_budget(clock):
    clock.now = 1000.0
    whole = Budget.of(100.0)
    limited = whole.limit_work(8.0)
    assert (whole.remaining_work(), limited.remaining_work()) == (math.inf, 8.0)
    limited.spend(3.0)
    whole.spend(1.0)
    assert (limited.remaining_work(), limited.meter.seconds) == (4.0, 4.0)
    assert not limited.expired
    limited.spend(4.0)
    assert limited.expired and not limited.is_late and not whole.expired
    limited.spend(1.0)
    assert limited.remaining_work() == 0.0


def test_of_a_limited_budget_shares_are_of_the_work(clock):
    clock.now = 1000.0
    limited = Budget.of(100.0).limit_work(8.0)
    limited.spend(2.0)
    for part, left in ((limited.share(0.5), 3.0), (limited.at_most(1.5), 1.5), (limited.at_most(50.0), 6.0)):
        assert part.remaining_work() == left
        assert part.deadline == 1100.0
    # a limit is never raised
    assert limited.limit_work(50.0).remaining_work() == 6.0
    assert limited.limit_work(2.0).remaining_work() == 2.0
