"""Who gets how much time: fake solvers on a fake clock."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import EventLog, run_steps
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Schedule, SearchShare, Step, TimeShare


@dataclass(frozen=True)
class Worker:
    """Works for a share of the time it is given, and notes how much that was."""

    name: str
    clock: object
    used: float = 1.0
    given: list = field(default_factory=list)

    def unsupported_reasons(self, problem):
        return []

    def run(self, state, budget, emit):
        self.given.append(budget.remaining())
        self.clock.now += self.used * min(budget.remaining(), 1e6)
        return state


def state():
    data = TrainingData.collect(np.linspace(0, 1, 5)[:, None], np.array([0, 1, 0, 1, 0]), 2)
    return SolveState.initial(build_problem(data, Skeleton.parse("1-1"), 0.1, "univariate"))


def run(schedule, budget):
    return run_steps(schedule, state(), budget, EventLog(ignore))


def test_shares_are_of_the_time_left(clock):
    first, second, third = (Worker(name, clock) for name in "abc")
    steps = (Step(first, TimeShare(0.5)), Step(second, TimeShare(0.5, max_seconds=3.0)), Step(third))
    run(Schedule(steps), Budget.of(20.0))
    assert (first.given, second.given, third.given) == ([10.0], [3.0], [7.0])


@pytest.mark.parametrize(("is_due", "seconds"), [(None, 3.0), ("", 10.0), ("because it is late", 10.0)])
def test_a_step_takes_all_the_time_when_no_exact_step_follows(clock, is_due, seconds):
    search, exact = Worker("search", clock), Worker("exact", clock)
    share = TimeShare(0.3, only_if_followed=True)
    steps = (Step(search, share), Step(exact, condition=lambda _: is_due, is_exact=True))
    run(Schedule(steps), Budget.of(10.0))
    assert search.given == [pytest.approx(seconds)]


def test_what_a_step_leaves_goes_to_the_next(clock):
    search, exact = Worker("search", clock, used=0.1), Worker("exact", clock)
    steps = (Step(search, TimeShare(0.5, only_if_followed=True)), Step(exact, is_exact=True))
    run(Schedule(steps), Budget.of(10.0))
    assert (search.given, exact.given) == ([5.0], [9.5])


def test_the_search_gets_a_second_while_the_gap_is_wide(clock):
    share = SearchShare(0.3)
    wide = LoopStatus(state(), Budget.of(2.0))
    assert share.fraction_of(wide) == pytest.approx(0.5)
    assert share.fraction_of(LoopStatus(state(), Budget.of(0.5))) == pytest.approx(0.8)
    bounds = wide.state.bounds.tightened(1, 2.0).tightened(2, 1.5)
    assert share.fraction_of(replace(wide, state=wide.state.tighten(bounds))) == 0.3


def test_reasons_of_steps_that_were_skipped_are_evidence_unless_the_solve_finished(clock):
    skipped = Step(Worker("late", clock), condition=lambda _: "because it is late", is_exact=True)
    silent = Step(Worker("silent", clock), condition=lambda _: "")
    ended = run(Schedule((skipped, silent), skipped=(("auto", "because of max_iter"),)), Budget.of(1.0))
    assert [(entry.solver, entry.text) for entry in ended.evidence] == [
        ("auto", "because of max_iter"),
        ("late", "because it is late"),
    ]
    assert {entry.status for entry in ended.evidence} == {"skipped"}


def test_a_schedule_prints_one_line_per_step(clock):
    steps = (Step(Worker("search", clock), TimeShare(0.3)), Step(Worker("exact", clock), is_exact=True))
    lines = str(Schedule(steps)).splitlines()
    assert lines == ["1. search: 30 % of the time left", "2. exact (exact): 100 % of the time left"]


def test_without_a_limit_every_step_has_all_the_time_it_wants(clock):
    first, second = Worker("a", clock, used=0.0), Worker("b", clock, used=0.0)
    steps = (Step(first, TimeShare(0.5)), Step(second, TimeShare(0.5, max_seconds=3.0)))
    run(Schedule(steps), Budget.of(None))
    assert (first.given, second.given) == ([float("inf")], [3.0])
