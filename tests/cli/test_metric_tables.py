"""The metrics of a fit: what the constant beside the model is."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.cli.metric_tables import measure_fit
from oddlearn.table.samples import LabelledSamples

X = np.arange(6.0).reshape(-1, 1)
ANSWERS = np.array(["no", "no", "no", "no", "yes", "yes"])
WEIGHT = np.array([1.0, 1.0, 1.0, 1.0, 8.0, 4.0])


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_constant_predicts_the_class_of_the_largest_weight(weight):
    model = OptimalDecisionDiagramClassifier("1", max_iter=2, exact=None).fit(X, ANSWERS, weight)
    rows = LabelledSamples(X, ANSWERS, weight)
    measured = measure_fit(model, rows, rows.rows(np.array([0, 4])))
    counted = np.ones(6) if weight is None else weight
    shares = [counted[answer == ANSWERS].sum() / counted.sum() for answer in ("no", "yes")]
    assert measured.class_shares == pytest.approx(shares)
    assert measured.train.constant.accuracy == pytest.approx(max(shares))
    # of the two held-out rows the constant is right on one, which weighs 1 of 2, or 8 of 9
    assert measured.test is not None
    assert measured.test.constant.accuracy == pytest.approx(0.5 if weight is None else 8 / 9)
