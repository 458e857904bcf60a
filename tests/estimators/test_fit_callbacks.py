"""Callbacks in the way of scikit-learn 1.9."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import SearchInterruptedWarning, UnsupportedError

callback = pytest.importorskip("sklearn.callback", reason="callbacks need scikit-learn 1.9 or later")
X, Y = load_breast_cancer(return_X_y=True)


class Recorder:
    """Records what each hook is given; asks to stop at a number of nodes."""

    max_propagation_depth = None

    def __init__(self, stop_at=None):
        self.stop_at = stop_at
        self.seen, self.calls = [], []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata=None, fitted_estimator=None):
        self.seen.append((context.task_name, metadata, fitted_estimator))
        return self.stop_at is not None and (metadata or {}).get("n_nodes") == self.stop_at


def model(**options):
    return OptimalDecisionDiagramClassifier("1-2-4", max_iter=20, random_state=0, **options)


def test_every_better_diagram_and_bound_is_a_task_and_the_last_one_is_fit():
    recorder = Recorder()
    fitted = model().set_callbacks(recorder).fit(X, Y)
    *events, (name, _, final) = recorder.seen
    assert recorder.calls == ["setup", "teardown"] and name == "fit"
    assert {name for name, _, _ in events} == {"better diagram", "better bound"}
    told = np.array([tuple(metadata.values()) for _, metadata, _ in events])
    assert np.array_equal(told, [tuple(row) for row in fitted.history_[: len(told)]])
    assert np.array_equal(final.predict(X), fitted.predict(X))
    assert fitted.diagram_ == model().fit(X, Y).diagram_


def test_a_callback_that_asks_to_stop_ends_the_fit_and_keeps_the_diagram():
    recorder = Recorder(stop_at=1)
    with pytest.warns(SearchInterruptedWarning, match="best diagram found so far is kept"):
        fitted = model(node_price=0).set_callbacks(recorder).fit(X, Y)
    assert fitted.n_nodes_ >= 1
    assert fitted.n_iter_ < model(node_price=0).fit(X, Y).n_iter_


def test_a_failed_fit_tears_down_and_leaves_no_trace():
    recorder = Recorder()
    broken = model().set_callbacks(recorder)
    with pytest.raises(ValueError, match="class"):
        broken.fit(X, np.zeros(len(X)))
    assert recorder.calls == ["setup", "teardown"]
    assert set(vars(broken)) == {*vars(model()), "_skl_callbacks"}


def test_callbacks_reach_the_model_through_a_search_over_pipelines_and_clones_keep_them():
    recorder = Recorder()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model()),
        {"optimaldecisiondiagramclassifier__node_price": [0.01, 0.1]},
        cv=2,
    )
    search.set_callbacks(recorder).fit(X, Y)
    assert "better diagram" in {name for name, _, _ in recorder.seen}
    own = Recorder()
    clone(model().set_callbacks(own)).fit(X, Y)
    assert own.seen


def test_scikit_learns_own_callbacks_work(capsys):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    fitted = model().set_callbacks(monitor, callback.ProgressBar()).fit(X, Y)
    (row,) = monitor.get_logs().data
    assert row["accuracy"] == fitted.score(X, Y)
    assert "OptimalDecisionDiagramClassifier - fit" in capsys.readouterr().out


def test_an_older_scikit_learn_is_named_as_the_reason(monkeypatch):
    monkeypatch.setattr("oddlearn.estimators.fit_callbacks.find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="scikit-learn 1"):
        model().set_callbacks(Recorder())
