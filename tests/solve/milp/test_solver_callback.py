"""Events of a MILP solver: a bound ten times a second at most, a better point at once."""

from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.solve.milp.backends import backend
from oddlearn.solve.milp.backends.backend import SolverCallback

OFFSET = 1.0


@pytest.fixture
def told(monkeypatch):
    """Return a callback, its events as (bound, objective, has a point), and a clock moved by hand."""
    events, clock = [], SimpleNamespace(now=10.0)
    monkeypatch.setattr(backend.time, "perf_counter", lambda: clock.now)

    def send(event):
        events.append((event.bound, event.objective, event.values is not None))

    made = SolverCallback(SimpleNamespace(offset=OFFSET), SimpleNamespace(cutoff=6.0), send)
    return made, events, clock


def test_bounds_are_sent_ten_times_a_second_at_most(told):
    made, events, clock = told
    for now, bound in ((10.0, 1.0), (10.05, 2.0), (10.0999, 3.0), (10.11, 2.5), (10.2, 4.0), (10.3, 4.0)):
        clock.now = now
        made.on_bound(bound)
    assert [bound for bound, *_ in events] == [2.0, 4.0, 5.0]
    assert all(event[1:] == (6.0, False) for event in events)


def test_a_better_point_is_sent_at_once_and_the_next_bound_waits(told):
    made, events, clock = told
    made.on_bound(-np.inf)
    assert events == []
    made.on_bound(1.0)
    made.on_solution(3.0, [1.0])
    clock.now = 10.05
    made.on_bound(2.0)
    made.on_solution(3.0, [2.0])
    clock.now = 10.15
    made.on_bound(1.5)
    assert events == [(2.0, 6.0, False), (2.0, 4.0, True), (3.0, 4.0, False)]


def test_no_bound_is_beyond_the_cutoff(told):
    made, events, _ = told
    made.on_bound(9.0)
    assert events == [(6.0, 6.0, False)]
    made.on_solution(5.0, [1.0])  # no better than the cutoff
    assert len(events) == 1
