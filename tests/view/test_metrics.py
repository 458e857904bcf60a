"""Metrics against their slow twins in scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as slow

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.view.inputs import model_view
from oddlearn.view.metrics import (
    class_shares,
    compute_metrics,
    constant_metrics,
    count_classes,
    measure_constant,
    measure_predictions,
    metric_names,
    metric_texts,
    metrics_from_dict,
)
from oddlearn.view.predictions import predict_rows


def twins(codes, predicted, probabilities, weights):
    """Return the metrics by scikit-learn."""
    n_classes = probabilities.shape[1]
    labels, options = np.arange(n_classes), {"sample_weight": weights}
    each = {"labels": labels, "average": None, "zero_division": np.nan, **options}
    if n_classes == 2:
        area = slow.roc_auc_score(codes, probabilities[:, 1], **options)
        brier = slow.brier_score_loss(codes, probabilities[:, 1], **options)
    else:
        area = slow.roc_auc_score(codes, probabilities, multi_class="ovr", labels=labels, **options)
        one_hot = np.eye(n_classes)[codes]
        brier = np.average(((probabilities - one_hot) ** 2).sum(axis=1), weights=weights)
    return (
        slow.accuracy_score(codes, predicted, **options),
        slow.balanced_accuracy_score(codes, predicted, **options),
        area,
        brier,
        slow.precision_score(codes, predicted, **each),
        slow.recall_score(codes, predicted, **each),
    )


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_metrics_are_those_of_scikit_learn(n_classes, is_weighted):
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.random((120, 3)).round(1)
        y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, 117 + 3 - n_classes)])
        weights = random.random(120) if is_weighted else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = OptimalDecisionDiagramClassifier("1-2", max_iter=3, exact=None, random_state=0)
            model.fit(X, y, weights)
        found = measure_predictions(
            model_view(model), predict_rows(model.diagram_, model.classes_, X, y, weights)
        )
        known = twins(y, model.predict(X), model.predict_proba(X), weights)
        single = (found.accuracy, found.balanced_accuracy, found.roc_auc, found.brier_score)
        assert single == pytest.approx(known[:4])
        np.testing.assert_allclose(found.precision, known[4])
        np.testing.assert_allclose(found.recall, known[5])


def test_a_constant_has_the_shares_of_training():
    found = constant_metrics(np.array([30.0, 10.0]), np.array([0.9, 0.1]))
    assert (found.accuracy, found.balanced_accuracy, found.roc_auc) == (0.75, 0.5, 0.5)
    assert found.brier_score == pytest.approx((30 * 0.1**2 + 10 * 0.9**2) / 40)
    assert found.recall == (1.0, 0.0)
    assert found.precision[0] == 0.75 and np.isnan(found.precision[1])


def test_classes_that_do_not_occur_are_not_averaged():
    counts = np.array([[3.0, 1.0, 0.0], [1.0, 5.0, 0.0]])
    probabilities = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]])
    found = compute_metrics(counts, np.array([0, 1]), probabilities)
    assert found.balanced_accuracy == pytest.approx((3 / 4 + 5 / 6) / 2)
    assert not np.isnan(found.roc_auc)
    one = compute_metrics(np.array([[4.0, 0.0]]), np.array([0]), np.array([[0.5, 0.5]]))
    assert np.isnan(one.roc_auc) and one.accuracy == 1.0


def test_labels_that_the_model_does_not_know_count_as_errors():
    X = np.arange(8.0)[:, None]
    y = np.repeat([0, 1], 4)
    model = OptimalDecisionDiagramClassifier("1", max_iter=3, random_state=0).fit(X, y)
    samples = predict_rows(model.diagram_, (0, 1, 7), X, np.where(X[:, 0] == 7, 7, y))
    found = measure_predictions(model_view(model), samples)
    assert found.accuracy == 7 / 8
    assert len(found.recall) == 2
    assert measure_constant(np.array([0.5, 0.5]), samples).accuracy == 0.5
    assert class_shares(3, samples).tolist() == [0.5, 0.375, 0.125]


def test_metrics_survive_json_and_have_texts():
    found = constant_metrics(np.array([3.0, 1.0]), np.array([0.75, 0.25]))
    read = metrics_from_dict(found.to_dict(["no", "yes"]), ["no", "yes"])
    assert repr(read) == repr(found)
    names, texts = metric_names(["no", "yes"]), metric_texts(found)
    assert dict(zip(names, texts, strict=True)) == {
        "accuracy": "75.0 %",
        "balanced accuracy": "50.0 %",
        "ROC AUC": "0.500",
        "Brier score": "0.1875",
        "precision of no": "75.0 %",
        "recall of no": "100.0 %",
        "precision of yes": "–",
        "recall of yes": "0.0 %",
    }


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_metrics_of_cells_are_those_of_their_rows(n_classes, seed):
    """Cells of the same score are tied, those of no rows count for nothing."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, 4, (9, n_classes)) + np.eye(9, n_classes)
    counts[4] = 0
    probabilities = random.dirichlet(np.ones(n_classes), 9).round(1)
    probabilities[:, -1] = 1 - probabilities[:, :-1].sum(axis=1)
    probabilities = np.abs(probabilities) / np.abs(probabilities).sum(axis=1, keepdims=True)
    probabilities[6] = probabilities[2]
    predicted = random.integers(0, n_classes, 9)
    cell, code = np.nonzero(counts)
    found = compute_metrics(counts, predicted, probabilities)
    known = twins(code, predicted[cell], probabilities[cell], counts[cell, code])
    single = (found.accuracy, found.balanced_accuracy, found.roc_auc, found.brier_score)
    assert single == pytest.approx(known[:4])
    np.testing.assert_allclose(found.precision, known[4])
    np.testing.assert_allclose(found.recall, known[5])


def test_metrics_of_no_rows_are_not_defined():
    found = compute_metrics(np.zeros((2, 3)), np.array([0, 1]), np.full((2, 3), 1 / 3))
    single = (found.accuracy, found.balanced_accuracy, found.roc_auc, found.brier_score)
    assert np.isnan([*single, *found.precision, *found.recall]).all()
    assert found.to_dict("abc")["accuracy"] is None
    assert set(found.to_dict("abc")["recall"].values()) == {None}
    assert metric_texts(found) == ["–"] * 10
    assert repr(metrics_from_dict(found.to_dict("abc"), "abc")) == repr(found)


def test_the_constant_of_training_on_rows_with_labels_it_does_not_know():
    X = np.arange(8.0)[:, None]
    y = np.repeat([0, 1], 4)
    model = OptimalDecisionDiagramClassifier("1", max_iter=3, random_state=0).fit(X, y)
    given = np.array([0, 0, 0, 1, 1, 1, 7, 7])
    weights = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 1.0, 2.0, 2.0])
    samples = predict_rows(model.diagram_, (0, 1, 7), X, given, weights)
    assert count_classes(2, samples) == 3 and count_classes(5, samples) == 5
    assert count_classes(2, predict_rows(model.diagram_, (0, 1), X)) == 2
    found = measure_constant(np.array([0.25, 0.75]), samples)
    # 13 in all: 6 of the first class, 3 of the second, which is predicted, 4 unknown
    assert found.accuracy == pytest.approx(3 / 13)
    assert found.balanced_accuracy == pytest.approx(1 / 3)
    assert found.recall == (0.0, 1.0)
    assert np.isnan(found.precision[0]) and found.precision[1] == pytest.approx(3 / 13)
    assert found.roc_auc == 0.5
    squares = 6 * (0.75**2 + 0.75**2) + 3 * (0.25**2 + 0.25**2) + 4 * (1 + 0.25**2 + 0.75**2)
    assert found.brier_score == pytest.approx(squares / 13)
    # rows 0 to 3 are predicted 0, the others 1: 6 + 2 correct of 13
    measured = measure_predictions(model_view(model), samples)
    assert measured.accuracy == pytest.approx(8 / 13)
    assert measured.balanced_accuracy == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert measured.recall == pytest.approx((1.0, 2 / 3))
    assert measured.precision == pytest.approx((6 / 7, 2 / 6))


def test_class_shares_without_weight_are_even():
    X, weights = np.arange(8.0)[:, None], np.array([1.0] * 4 + [3.0] * 4)
    model = OptimalDecisionDiagramClassifier("1", max_iter=3, random_state=0).fit(X, np.repeat([0, 1], 4))
    labelled = predict_rows(model.diagram_, (0, 1), X, np.repeat([0, 1], 4), weights)
    assert class_shares(2, labelled).tolist() == [0.25, 0.75]
    assert class_shares(4, predict_rows(model.diagram_, (0, 1), X)).tolist() == [0.25] * 4


@pytest.mark.parametrize("damage", ["missing", "text", "no table"])
def test_damaged_metrics_are_refused(damage):
    content = constant_metrics(np.array([3.0, 1.0]), np.array([0.75, 0.25])).to_dict(["no", "yes"])
    if damage == "missing":
        del content["recall"]["yes"]
    content = {"missing": content, "text": {**content, "roc_auc": "high"}, "no table": [1, 2]}[damage]
    with pytest.raises((TypeError, KeyError, ValueError)):
        metrics_from_dict(content, ["no", "yes"])
