"""Tasks on a cluster that fails in every way: each error is one sentence, and a stopped pass is cancelled."""

from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

import dask
import distributed

from oddlearn.errors import UnsupportedError
from oddlearn.streaming import dask_tasks
from oddlearn.streaming.dask_tasks import MERGED_RESULTS, TaskRunner, merge_tree


class Future:
    """A task that has a result or an error."""

    def __init__(self, outcome, status="finished"):
        self.outcome, self.status, self.is_cancelled = outcome, status, False

    def result(self):
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def cancel(self):
        self.is_cancelled = True


class Client:
    """A client of one task, whose workers have some threads each."""

    def __init__(self, outcome=None, status="running", threads=(2, 3), task="finished"):
        self.future, self.status, self.threads = Future(outcome, task), status, threads
        self.persisted = []

    def nthreads(self):
        return dict(enumerate(self.threads))

    def compute(self, value):
        return self.future

    def persist(self, values):
        self.persisted = values
        return tuple(values)

    def run_on_scheduler(self, function):
        return ["running"]


@pytest.fixture
def looks(monkeypatch):
    """Let every wait for tasks end after as many looks at the clock as the list has."""
    waits = []

    def wait(futures, timeout):
        if waits:
            waits.pop()
            raise distributed.TimeoutError

    monkeypatch.setattr(distributed, "wait", wait)
    monkeypatch.setattr(distributed, "futures_of", lambda stored: [stored[0]])
    return waits


KILLED = distributed.scheduler.KilledWorker("task", SimpleNamespace(address="tcp://a"), 3)

SENTENCES = [
    (
        KILLED,
        "a worker died again and again, perhaps for lack of memory: give workers more memory, or smaller "
        "partitions.",
    ),
    (MemoryError("x"), "a worker ran out of memory: give workers more memory, or smaller partitions."),
    (FileNotFoundError("part.0.parquet\nis gone"), "part.0.parquet."),
    (dask_tasks.concurrent.futures.CancelledError(), "cancelled."),
    (dask_tasks.asyncio.CancelledError("lost"), "lost."),
]


@pytest.mark.parametrize(("error", "reason"), SENTENCES)
def test_an_error_of_the_cluster_is_a_sentence(looks, error, reason):
    runner = TaskRunner(Client(error))
    with pytest.raises(UnsupportedError) as told:
        runner.compute("task")
    assert str(told.value) == f"Dask could not finish a pass over the rows: {reason}"
    assert told.value.__cause__ is None


@pytest.mark.parametrize(("key", "what"), [(KeyError("age"), "age"), (KeyError(), "a name is not known")])
def test_a_partition_without_a_column_is_named(looks, key, what):
    for client in (Client(key), None):
        runner = TaskRunner(client)
        with pytest.raises(UnsupportedError) as told:
            if client:
                runner.compute("task")
            else:
                runner.compute(dask.delayed(raise_error)(key))
        assert str(told.value) == (
            "A partition lacks a column that the collection names: give all partitions the same columns "
            f"({what})."
        )


def raise_error(error):
    raise error


def test_other_errors_are_ours_and_stay(looks):
    with pytest.raises(ZeroDivisionError):
        TaskRunner(Client(ZeroDivisionError())).compute("task")
    with pytest.raises(ZeroDivisionError):
        TaskRunner(None).compute(dask.delayed(raise_error)(ZeroDivisionError()))


def test_without_a_client_tasks_run_here():
    runner = TaskRunner(None)
    assert runner.n_threads == 1
    assert runner.compute(dask.delayed(sum)([1, 2])) == 3
    assert [one.compute() for one in runner.persist([dask.delayed(sum)([1, 2])])] == [3]


def test_threads_of_all_workers_are_added_up():
    assert TaskRunner(Client()).n_threads == 5
    assert TaskRunner(Client(threads=())).n_threads == 1


@pytest.mark.parametrize(
    "call", [lambda own: own.n_threads, lambda own: own.compute(1), lambda own: own.persist([1])]
)
def test_a_closed_client_is_told_before_any_task(call):
    with pytest.raises(
        UnsupportedError, match=r"^The Dask client was closed during the fit: open one, and fit again\.$"
    ):
        call(TaskRunner(Client(status="closed")))


def test_a_client_that_closes_during_a_pass_is_told_whatever_the_error(looks):
    client = Client(KILLED)
    client.compute = lambda value: setattr(client, "status", "closed") or client.future
    with pytest.raises(UnsupportedError, match="closed during the fit"):
        TaskRunner(client).compute("task")
    looks += [None]
    client = Client(5)
    client.compute = lambda value: setattr(client, "status", "closed") or client.future
    with pytest.raises(UnsupportedError, match="closed during the fit"):
        TaskRunner(client).compute("task")


def test_a_pass_that_is_stopped_is_cancelled_and_has_no_result(looks):
    client = Client(5)
    looks += [None] * 3
    answers = iter([False, False, True])
    assert TaskRunner(client).compute("task", stop=lambda: next(answers)) is None
    assert client.future.is_cancelled
    client = Client(5)
    looks += [None]
    assert TaskRunner(client).compute("task", stop=lambda: False) == 5
    assert not client.future.is_cancelled


def test_stored_results_are_waited_for_and_their_errors_told(looks):
    stored = [Future(1), Future(2)]
    assert TaskRunner(Client()).persist(stored) == stored
    looks += [None]
    assert TaskRunner(Client()).persist(stored, stop=lambda: True) is None
    with pytest.raises(UnsupportedError, match="ran out of memory"):
        TaskRunner(Client()).persist([Future(MemoryError(), "error")])


def test_the_client_is_the_one_that_is_current(monkeypatch):
    monkeypatch.setattr(distributed, "default_client", lambda: "client")
    assert TaskRunner.current().client == "client"

    def fail():
        raise ValueError("No clients found")

    monkeypatch.setattr(distributed, "default_client", fail)
    assert TaskRunner.current().client is None
    monkeypatch.delitem(dask_tasks.sys.modules, "distributed")
    assert TaskRunner.current().client is None


@pytest.mark.parametrize("count", [1, 2, MERGED_RESULTS, MERGED_RESULTS + 1, MERGED_RESULTS**2 + 1])
def test_results_are_merged_in_order_and_some_in_each_task(count):
    sizes = []

    def merge(one, other):
        return one + other

    def note(one, other):
        sizes.append((one, other))
        return merge(one, other)

    results = [dask.delayed(None if number % 5 == 2 else str(number % 10)) for number in range(count)]
    merged = merge_tree(SimpleNamespace(merge=note), results)
    text = "".join(str(number % 10) for number in range(count) if number % 5 != 2)
    assert merged.compute(scheduler="synchronous") == text
    tasks = sum(1 for key in dict(merged.dask) if str(key).startswith("_merge_some"))
    expected = 0
    while count > 1:
        count = -(-count // 8)
        expected += count
    assert tasks == expected
