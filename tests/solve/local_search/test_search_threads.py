"""Which turns of a search have threads, and what an interrupt leaves of those without."""

import pytest

from oddlearn.errors import UnsupportedError
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search import search_threads
from oddlearn.solve.local_search.solver import LocalSearch, ResumableSearch
from tests.solve.local_search.test_local_search_run import KINDS, drawn


def count_threads(monkeypatch):
    """Return a list that gets the number of threads of each run that starts some."""
    started = []
    executor = search_threads.ThreadPoolExecutor
    monkeypatch.setattr(
        search_threads, "ThreadPoolExecutor", lambda count: started.append(count) or executor(count)
    )
    return started


def search_in_turns(problem, n_jobs, work, n_turns=4):
    """Return what a search has found after each turn of so much work, by result and by event."""
    search, events = ResumableSearch(LocalSearch(n_jobs=n_jobs), problem), []
    diagrams = [
        search.run(None, Budget.of(30.0).limit_work(work), events.append).diagram for _ in range(n_turns)
    ]
    return [evaluate(problem, diagram).objective for diagram in diagrams], events


@pytest.mark.parametrize("split", KINDS)
def test_short_turns_of_one_search_need_no_thread_and_find_the_same(monkeypatch, split):
    started, problem = count_threads(monkeypatch), drawn(7, split)
    objectives, events = search_in_turns(problem, 1, 0.002)
    assert started == []
    assert [event.objective for event in events] == pytest.approx(objectives)
    monkeypatch.setattr(search_threads, "MAX_WORK_WITHOUT_THREAD", 0.0)
    assert search_in_turns(problem, 1, 0.002)[0] == objectives
    assert started == [1] * 4


def test_long_turns_and_several_searches_have_threads(monkeypatch):
    started, problem = count_threads(monkeypatch), drawn(7, "univariate")
    search_in_turns(problem, 2, 0.002, n_turns=1)
    search_in_turns(problem, 1, 2 * search_threads.MAX_WORK_WITHOUT_THREAD, n_turns=1)
    assert started == [2, 1]


def test_an_interrupt_in_a_turn_without_a_thread_keeps_the_best(monkeypatch):
    def interrupt(event):
        raise KeyboardInterrupt

    problem = drawn(7, "univariate")
    outcome = LocalSearch().search(problem, None, Budget.of(30.0).limit_work(0.002), interrupt)
    assert outcome.interrupted
    assert evaluate(problem, outcome.diagram).n_nodes > 1


def test_a_search_that_does_not_fit_into_memory_says_what_to_make_smaller(monkeypatch):
    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr(search_threads, "SearchThread", refuse)
    with pytest.raises(UnsupportedError, match=r"more memory than there is, for .* give a smaller skeleton"):
        search_in_turns(drawn(7, KINDS[0]), 1, 0.002)
