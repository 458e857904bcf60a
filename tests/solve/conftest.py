"""A clock that tests move by hand, in place of the one that budgets read."""

import pytest


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("oddlearn.solve.budget.time.perf_counter", clock)
    return clock
