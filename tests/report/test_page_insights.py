"""Histograms of a page, against counting by hand."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.routing import route_reference
from oddlearn.report import page_insights
from oddlearn.report.page_insights import _histogram, node_histograms
from oddlearn.view.inputs import model_view
from oddlearn.view.node_labels import label_nodes
from oddlearn.view.predictions import predict_rows


@pytest.mark.parametrize("seed", range(4))
def test_bars_count_the_rows_of_each_class_between_their_edges(seed):
    random = np.random.default_rng(seed)
    keys, codes = random.normal(size=300), random.integers(0, 3, 300)
    keys[::50] = np.nan
    made = _histogram(keys, codes, 3, 0.2, None)
    low, high = made["low"], made["high"]
    present = ~np.isnan(keys)
    ordered = np.sort(keys[present])
    # one in a hundred at each end counts in the first and the last bar
    assert ordered[1] <= low <= ordered[5] and ordered[-6] <= high <= ordered[-2]
    n_bars = len(made["counts"][0])
    width = (high - low) / n_bars
    for code in range(3):
        bars = [0] * n_bars
        for key in keys[present & (codes == code)]:
            bars[int(np.clip((key - low) // width, 0, n_bars - 1))] += 1
        assert made["counts"][code] == bars
    assert made["at"] == 0.2 and made["ends"] == [f"{low:.4g}", f"{high:.4g}"]


def test_a_threshold_outside_the_values_is_inside_the_axis():
    keys, codes = np.linspace(0, 1, 50), np.zeros(50, dtype=int)
    assert _histogram(keys, codes, 1, -2.0, None)["low"] == -2.0
    assert _histogram(keys, codes, 1, 5.0, None)["high"] == 5.0
    single = _histogram(np.full(9, 3.0), codes[:9], 1, 3.0, None)
    assert (single["low"], single["high"]) == (2.5, 3.5)


def test_every_node_counts_the_rows_that_reach_it(monkeypatch):
    X = np.column_stack([np.arange(40.0), np.tile([0.0, 1.0], 20)])
    y = (X[:, 0] > 19) ^ ((X[:, 0] > 29) & (X[:, 1] > 0))
    model = OptimalDecisionDiagramClassifier("1-1-1", alpha=0.0, max_iter=50, random_state=0).fit(X, y)
    view = model_view(model)
    labels = label_nodes(view.diagram, view.metadata, X)
    for n_rows in (40, 10):
        monkeypatch.setattr(page_insights, "MAX_ROWS", n_rows)
        samples = predict_rows(model.diagram_, model.classes_, X, y)
        rows = np.unique(np.linspace(0, 39, n_rows).astype(int))
        for node, made in enumerate(node_histograms(view, labels, samples)):
            reached = route_reference(model.diagram_, X).reached[rows, node]
            if made is not None:
                assert [sum(bars) for bars in made["counts"]] == [
                    int((y[rows][reached] == code).sum()) for code in (False, True)
                ]
        unlabelled = predict_rows(model.diagram_, model.classes_, X)
        first = node_histograms(view, labels, unlabelled)[0]
        assert first is None or [sum(bars) for bars in first["counts"]] == [n_rows]
    assert node_histograms(view, labels, None) == [None] * len(labels)
