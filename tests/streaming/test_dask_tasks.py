"""Waiting for Dask's workers: a cluster that can do nothing more ends the fit with a sentence."""

from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from oddlearn.errors import UnsupportedError
from oddlearn.streaming import dask_tasks
from oddlearn.streaming.dask_tasks import MAX_PAUSED_SECONDS, STATUS_SECONDS, PauseWatch


class Cluster:
    """A client whose workers have the given states, one list for each look at them."""

    def __init__(self, *looks):
        self.looks, self.n_looks = list(looks), 0

    def run_on_scheduler(self, function):
        states = self.looks[min(self.n_looks, len(self.looks) - 1)]
        self.n_looks += 1
        workers = {name: SimpleNamespace(status=SimpleNamespace(name=name)) for name in states}
        return function(dask_scheduler=SimpleNamespace(workers=workers))


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(dask_tasks.time, "monotonic", lambda: now.seconds)
    return now


def test_workers_are_looked_at_every_two_seconds(clock):
    cluster = Cluster(["running"])
    watch = PauseWatch(cluster)
    watch.check()
    clock.seconds = 0.99 * STATUS_SECONDS
    watch.check()
    assert cluster.n_looks == 0
    clock.seconds = STATUS_SECONDS
    watch.check()
    watch.check()
    assert cluster.n_looks == 1


def test_a_cluster_whose_workers_stay_paused_is_given_up(clock):
    watch = PauseWatch(Cluster(["paused"]))
    clock.seconds = MAX_PAUSED_SECONDS - 1
    watch.check()
    clock.seconds = MAX_PAUSED_SECONDS + STATUS_SECONDS
    with pytest.raises(UnsupportedError, match=r"paused for lack of memory.* 60 s: give workers more memory"):
        watch.check()


@pytest.mark.parametrize("states", [["paused", "running"], []])
def test_workers_that_go_on_or_are_not_there_yet_are_waited_for(clock, states):
    watch = PauseWatch(Cluster(["paused"], states, ["paused"]))
    for clock.seconds in (30.0, 59.0, 118.0):
        watch.check()
    clock.seconds = 59.0 + MAX_PAUSED_SECONDS + STATUS_SECONDS
    with pytest.raises(UnsupportedError):
        watch.check()
