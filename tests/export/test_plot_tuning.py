import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from oddlearn import OptimalDecisionDiagramClassifierCV, Skeleton, plot_tuning
from oddlearn.errors import InvalidInputError, UnsupportedError

IRIS, SPECIES = load_iris(return_X_y=True)


def quickly_tuned():
    grid = {"skeletons": ("1", "1-2", Skeleton.tree(2)), "alphas": (0.5, 0.0, 0.1)}
    return OptimalDecisionDiagramClassifierCV(**grid, cv=2, max_iter=5, random_state=0).fit(IRIS, SPECIES)


def test_the_picture_shows_every_cell_and_marks_the_choice():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    model = quickly_tuned()
    axes = plot_tuning(model)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "0.1", "0.5"]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["1", "1-2", "1-2 (tree)", "selected"]
    drawn = np.concatenate([line[0].get_ydata() for line in axes.containers])
    assert sorted(drawn) == pytest.approx(sorted(model.cv_results_["mean_test_score"]))
    (place, height), *_ = axes.collections[-1].get_offsets()
    assert height == pytest.approx(model.best_score_)
    assert round(place) == [0.0, 0.1, 0.5].index(model.best_params_["alpha"])
    _, own = pyplot.subplots()
    assert plot_tuning(model, own) is own
    pyplot.close("all")


def test_a_picture_needs_results_and_matplotlib(monkeypatch):
    with pytest.raises(InvalidInputError, match="without results: give an OptimalDecisionDiagram"):
        plot_tuning(OptimalDecisionDiagramClassifierCV())
    model = quickly_tuned()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnsupportedError, match=r'pip install "oddlearn\[plot\]"'):
        plot_tuning(model)
