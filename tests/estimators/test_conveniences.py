"""What users of scikit-learn's trees reach for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    UnivariateSplit,
    from_json,
)
from oddlearn.diagram.arc_intervals import wilson_interval

IRIS, SPECIES = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(0)


def fitted(X=IRIS, y=SPECIES, **parameters):
    given = {"max_iter": 10, "random_state": 0, "exact": None, **parameters}
    return OptimalDecisionDiagramClassifier("1-2", **given).fit(X, y)


def error_without(model, X, y, column):
    """The training error when every node that asks about the column goes to its more frequent side."""
    diagram, wrong = model.diagram_, 0
    at = model.decision_path(X).toarray()
    sides = [split.side(X) for split in diagram.splits]
    for row, label in enumerate(y):
        place = 0
        while place < diagram.n_nodes:
            side = bool(sides[place][row])
            if diagram.splits[place].feature == column:
                members = at[:, place]
                side = bool(2 * sides[place][members].sum() >= members.sum())
            place = int(diagram.positive[place] if side else diagram.negative[place])
        wrong += model.classes_[place - diagram.n_nodes] != label
    return wrong / len(y)


def test_importance_is_the_rise_of_the_error_without_the_splits_of_a_column():
    model = fitted()
    error = 1 - model.score(IRIS, SPECIES)
    expected = [error_without(model, IRIS, SPECIES, column) - error for column in range(4)]
    assert model.feature_importances_ == pytest.approx(expected)
    assert max(expected) > 0.2
    assert (from_json(model.to_json()).feature_importances_ == model.feature_importances_).all()


def test_a_column_of_categories_has_one_importance():
    colour = RANDOM.choice(["blue", "green", "red"], 200)
    frame = pd.DataFrame({"noise": RANDOM.random(200), "colour": colour, "more": RANDOM.random(200)})
    model = fitted(frame, np.isin(colour, ["red", "blue"]), max_categories=None)
    assert model.feature_importances_.shape == (3,)
    assert model.feature_importances_[1] > 0.25
    assert model.feature_importances_[[0, 2]].tolist() == [0.0, 0.0]


def test_a_term_of_a_sum_is_replaced_by_its_mean():
    X = RANDOM.random((120, 3))
    model = fitted(X, X[:, 0] + 0.5 * X[:, 1] > 0.7, split="multivariate")
    (split,) = model.diagram_.splits[:1]
    assert not isinstance(split, UnivariateSplit)
    assert model.feature_importances_[0] > model.feature_importances_[2] >= 0


def test_sizes_and_logarithms_are_those_of_the_diagram():
    model = fitted()
    assert (model.get_depth(), model.get_n_leaves()) == (model.depth_, len(model.diagram_.final_arcs))
    assert np.exp(model.predict_log_proba(IRIS)) == pytest.approx(model.predict_proba(IRIS))
    with pytest.raises(NotFittedError):
        OptimalDecisionDiagramClassifier().get_depth()


def test_scores_take_weights():
    model, weight = fitted(), RANDOM.random(150)
    expected = accuracy_score(SPECIES, model.predict(IRIS), sample_weight=weight)
    assert model.score(IRIS, SPECIES, sample_weight=weight) == pytest.approx(expected)


@pytest.mark.parametrize(("count", "total", "low", "high"), [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775)])
def test_intervals_are_those_of_wilson(count, total, low, high):
    assert wilson_interval(count, total) == pytest.approx((low, high), abs=1e-4)


def test_each_final_arc_has_an_interval_of_its_share():
    table = fitted().arc_intervals_
    assert table["n_rows"].sum() == 150
    assert ((table["low"] <= table["share"]) & (table["share"] <= table["high"])).all()
    balanced = fitted(class_weight="balanced", y=np.minimum(SPECIES, 1)).arc_intervals_
    assert balanced["n_rows"].sum() == 150 and not np.isnan(balanced["low"]).any()
    model = OptimalDecisionDiagramClassifier("1-2", max_iter=5, random_state=0)
    weighted = model.fit(IRIS, SPECIES, sample_weight=1 + SPECIES).arc_intervals_
    assert np.isnan(weighted["low"]).all() and not np.isnan(weighted["share"]).any()


def test_a_search_over_penalties_has_them_too():
    search = OptimalDecisionDiagramClassifierCV(["1-2"], [0.1], cv=2, max_iter=3, random_state=0)
    assert "sk-" in search._repr_html_()
    search.fit(IRIS, SPECIES)
    assert search.feature_importances_.shape == (4,)
    assert search.get_depth() == search.best_estimator_.get_depth()
    assert search.predict_log_proba(IRIS).shape == (150, 3)
    assert "odd-model" in search._repr_html_()


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves"])
def test_a_model_that_is_not_fitted_has_no_sizes(method):
    with pytest.raises(NotFittedError):
        getattr(OptimalDecisionDiagramClassifier("1-2"), method)()


def test_columns_of_another_fit_leave_no_names():
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0)})
    y = np.arange(40) % 2
    model = OptimalDecisionDiagramClassifier("1", max_iter=3, exact=None)
    assert model.fit(frame, y).feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(model.fit(IRIS, SPECIES), "feature_names_in_")
    assert model.n_features_in_ == 4
