"""Accuracy and confusion of labelled rows, against a loop over the rows."""

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.view.predictions import predict_rows
from tests.diagram.drawings import crossed, random_diagram

LABELS = ("a", "b", "c")


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_numbers_of_labelled_rows_are_those_of_a_loop(is_weighted):
    for seed in range(10):
        random = np.random.default_rng(seed)
        diagram, X, codes = random_diagram(random), random.random((30, 4)), random.integers(0, 3, 30)
        weights = random.integers(0, 4, 30).astype(float) if is_weighted else None
        rows = predict_rows(diagram, LABELS, X, np.array(LABELS)[codes], weights)
        confusion = np.zeros((3, 3))
        for i in range(30):
            confusion[codes[i], diagram.predict(X[[i]])[0]] += 1.0 if weights is None else weights[i]
        assert (rows.confusion(3) == confusion).all()
        assert (rows.total, rows.correct) == (confusion.sum(), confusion.trace())
        assert rows.weight_suffix == (", weighted" if is_weighted else "")


def test_rows_without_classes_have_predictions_only():
    rows = predict_rows(crossed(), LABELS[:2], [[0.1, 0.1], [0.1, 0.9], [0.9, 0.9]])
    assert rows.codes is None and rows.predicted.tolist() == [0, 1, 1]
    assert (rows.total, rows.correct) == (3.0, 0.0)
    assert not rows.confusion(2).any()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (([["x", "y"]],), "table of numbers"),
        (([[0.1]],), "2 features"),
        (([0.1, 0.2],), "2 features"),
        ((np.empty((0, 2)),), "no rows"),
        (([[0.1, np.inf]],), "infinite"),
        (([[0.1, 0.2]], ["a", "b"]), "one label per row"),
        (([[0.1, 0.2]], ["z"]), "'z'"),
        (([[0.1, 0.2]], ["a"], ["heavy"]), "cannot be read"),
        (([[0.1, 0.2]], ["a"], [1.0, 2.0]), "one weight per row"),
        (([[0.1, 0.2]], ["a"], [-1.0]), "0 or more"),
        (([[0.1, 0.2]], ["a"], [np.nan]), "0 or more"),
        (([[0.1, 0.2]], ["a"], [np.inf]), "0 or more"),
    ],
)
def test_rows_that_cannot_be_predicted_are_refused(given, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        predict_rows(crossed(), LABELS[:2], *given)
