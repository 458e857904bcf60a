"""The child's side of a worker: shares of the time, rounds, bounds and diagrams."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.problem.evaluate import best_constant
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.solve.worker import messages as messages_module
from oddlearn.solve.worker.messages import BoundImproved, ModelEnded, SolutionFound, SolveJob
from oddlearn.solve.worker.node_count_worker import FIRST_ROUND_SECONDS, ROUND_GROWTH, NodeCountWorker
from tests.solve.worker.test_worker_solver import diagram_of, problem_of_two


class ToyWorker(NodeCountWorker):
    """Uses a share of its seconds on a fake clock, and closes or proves what the test says."""

    def __init__(self, clock, job, send, use=1.0, closes=()):
        super().__init__(job, send)
        self.clock, self.use, self.closes, self.asked = clock, use, closes, []

    def solve(self, count, seconds):
        self.asked.append((count, seconds))
        self.clock.now += self.use * seconds
        if count in self.closes:
            self.close(count)
        self.end_model(count, "time", 1)


@pytest.fixture
def make(monkeypatch):
    """Return a function that makes a worker on a fake clock, with the messages it sends."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(messages_module, "time", SimpleNamespace(time=lambda: clock.now))

    def worker(deadline=9.0, **options):
        problem, sent = problem_of_two(), []
        job = SolveJob(None, problem, best_constant(problem), 0.5, Floors(np.zeros(3)), deadline, 1 << 30)
        return ToyWorker(clock, job, sent.append, **options), sent

    return worker


def test_the_time_is_shared_equally_and_each_end_is_sent(make):
    worker, sent = make()
    worker.solve_all()
    assert worker.asked == [(1, 3.0), (2, 3.0), (3, 3.0)]
    assert sent == [ModelEnded(count, "time", 1) for count in (1, 2, 3)]


def test_time_that_is_left_over_is_given_to_the_others_and_to_the_next_round(make):
    worker, _ = make(use=0.5, closes=(1, 2))
    worker.solve_all()
    assert worker.asked[:3] == [(1, 3.0), (2, 3.75), (3, 5.625)]
    assert {count for count, _ in worker.asked[3:]} == {3}
    assert worker.clock.now >= 9.0 - 0.1


def test_closed_node_counts_end_the_work(make):
    worker, _ = make(use=0.0, closes=(1, 2, 3))
    worker.solve_all()
    assert len(worker.asked) == 3 and worker.clock.now == 0.0


def test_without_a_deadline_rounds_grow(make):
    worker, _ = make(deadline=math.inf, closes=())
    solve = worker.solve

    def solve_three_rounds(count, seconds):
        solve(count, seconds)
        if len(worker.asked) > 6:
            worker.close(count)

    worker.solve = solve_three_rounds
    worker.solve_all()
    seconds = [asked[1] for asked in worker.asked]
    assert seconds == [FIRST_ROUND_SECONDS * ROUND_GROWTH ** (place // 3) for place in range(9)]


def test_a_node_count_that_was_resolved_meanwhile_is_left_out(make):
    worker, _ = make(use=0.0, closes=(1, 3))
    solve = worker.solve

    def solve_and_prove(count, seconds):
        solve(count, seconds)
        worker.tighten(Floors(np.array([0.0, 2.0, 0.0])))

    worker.solve = solve_and_prove
    worker.solve_all()
    assert [count for count, _ in worker.asked] == [1, 3]


def test_only_larger_bounds_are_sent_and_all_are_kept(make):
    worker, sent = make()
    for costs in ([1, 0, 0], [0.5, 0, 0], [0, 2, 0]):
        worker.tighten(Floors(np.array(costs, dtype=float)))
    assert [message.bounds.cost.tolist() for message in sent] == [[1, 0, 0], [1, 2, 0]]
    assert all(isinstance(message, BoundImproved) for message in sent)


def test_only_better_diagrams_are_sent(make):
    worker, sent = make()
    worker.offer_and_send(1, diagram_of(1))
    assert sent == [] and worker.state.objective == 0.5
    better = diagram_of(0)
    worker.offer_and_send(1, better)
    worker.offer_and_send(1, diagram_of(0, threshold=0.4))
    assert sent == [SolutionFound(1, better)] and worker.state.diagram is better
    assert worker.state.unresolved_node_counts == ()
