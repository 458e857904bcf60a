"""The order of solvers, their shares of the time and their conditions, as the schedule prints them."""

from pathlib import Path

from oddlearn import Construct, LocalSearch, Milp
from oddlearn.solve.budget import Budget
from oddlearn.solve.schedule import AutoSchedule, build_schedule

KNOWN = Path(__file__).with_name("schedules.txt")


def print_schedules():
    """Return the schedules of all kinds of fits. After a wanted change: write this text to the file."""
    parts = []
    for split in ("univariate", "multivariate"):
        for search in (LocalSearch(), Construct()):
            for exact in (AutoSchedule(), Milp(), None):
                schedule = build_schedule(split, search, exact, Budget.of(10.0))
                name = type(exact).__name__ if exact else "nothing"
                parts.append(f"{split}, {search.name}, {name}\n{schedule}\n")
    return "\n".join(parts)


def test_the_schedules_are_those_that_were_measured():
    assert print_schedules() == KNOWN.read_text()


def test_a_limit_on_iterations_leaves_out_proofs_and_says_so():
    schedule = build_schedule("univariate", LocalSearch(), AutoSchedule(), Budget.of(10.0, 5))
    assert not any(step.is_exact for step in schedule.all_steps)
    assert [name for name, _ in schedule.skipped] == ["auto"]
    assert build_schedule("univariate", LocalSearch(), AutoSchedule(), Budget.of(10.0)).skipped == ()
