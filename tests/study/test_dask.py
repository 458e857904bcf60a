"""The same run on a cluster: joblib takes the trials to the workers of Dask, and only we write."""

import joblib
import pytest

from oddlearn.study import trial_runner
from oddlearn.study.result_store import ResultStore
from oddlearn.study.trial import Trial
from oddlearn.study.trial_runner import run_trials

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    """Return a client of two processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.mark.usefixtures("client")
def test_a_cluster_fills_the_store_and_nothing_is_trained_here(tmp_path, monkeypatch):
    monkeypatch.setattr(trial_runner, "run_trial", None)  # in this process, not in the workers
    trials = [
        Trial("iris", seed, "1-2", is_tree, alpha, "multivariate", "auto", 30.0)
        for seed in (1, 2)
        for is_tree in (False, True)
        for alpha in (0.5, 1.0)
    ]
    told = []
    with ResultStore.open(tmp_path / "study.sqlite") as store, joblib.parallel_config(backend="dask"):
        assert run_trials(trials[:3], store, n_jobs=None).ran == 3
        summary = run_trials(
            trials, store, n_jobs=None, on_result=lambda done, total, _: told.append((done, total))
        )
        assert store.keys() == {trial.key for trial in trials}
        assert all(one.outcome.is_optimal for one in store.results())
    assert (summary.ran, summary.failures) == (5, ())
    assert told == [(place + 1, 5) for place in range(5)]
