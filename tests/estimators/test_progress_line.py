"""Plain lines of progress: the last event is written once."""

import pytest

from oddlearn.estimators.progress_line import MIN_LINE_INTERVAL, PlainLines
from oddlearn.problem.events import Improved

EVENTS = [((0.0,), 1), ((0.0, 0.1), 2), ((0.0, 0.1, 0.2), 2), ((0.0, 9.0), 2)]


@pytest.mark.parametrize(("seconds", "n_lines"), EVENTS)
def test_the_last_event_is_written_and_none_twice(seconds, n_lines):
    assert MIN_LINE_INTERVAL > 0.2
    written = []
    lines = PlainLines(written.append)
    for place, moment in enumerate(seconds):
        lines(Improved(moment, 0.5 - 0.1 * place, 3))
    lines.finish()
    assert len(written) == len(set(written)) == n_lines
    assert f"objective {0.5 - 0.1 * (len(seconds) - 1):.5f}" in written[-1]
