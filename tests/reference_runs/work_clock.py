"""A clock that moves by work alone, so that a fit takes the same course on every machine."""

import time
from contextlib import contextmanager
from unittest.mock import patch

from oddlearn.solve.budget import Budget

FAR = 1e6  # seconds ahead: no kernel, whose clock is the machine's, ever sees the deadline


@contextmanager
def count_work():
    """Let ``time.perf_counter`` move when a budget is spent, and only then."""
    now, spend = [time.perf_counter() + FAR], Budget.spend

    def spend_and_move(budget, seconds):
        spend(budget, seconds)
        now[0] += seconds

    with patch.object(Budget, "spend", spend_and_move), patch("time.perf_counter", lambda: now[0]):
        yield
