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
