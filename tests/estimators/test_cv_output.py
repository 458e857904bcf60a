"""What a search over parameters reports: the time of every cell, and the progress of its last fit alone."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionDiagramClassifierCV
from oddlearn.estimators.grid import Grid, build_cv_results
from oddlearn.estimators.penalty_path import FoldScore
from tests.fakes import FixedSearch


def test_times_are_those_of_each_cell_over_the_folds():
    seconds = np.array([[1.0, 2.0, 3.0, 4.0], [3.0, 2.0, 7.0, 4.0]])  # a row per fold
    paths = [[FoldScore(0.5, 1, one) for one in cells] for row in seconds for cells in (row[:2], row[2:])]
    results = build_cv_results(Grid.parse(("1", "1-2"), (0.1, 0.5)), paths, 2)
    assert results["mean_fit_time"] == pytest.approx([2.0, 2.0, 5.0, 4.0])
    assert results["std_fit_time"] == pytest.approx([1.0, 0.0, 2.0, 0.0])


def test_only_the_last_fit_tells_its_progress(capsys):
    random = np.random.default_rng(0)
    X, y = random.random((40, 2)), random.integers(0, 2, 40)
    options = {"search": FixedSearch(), "exact": None, "random_state": 0, "verbose": 1}
    OptimalDecisionDiagramClassifier("1-2", alpha=0.1, **options).fit(X, y)
    alone = capsys.readouterr().out
    grid = {"skeletons": ("1-2",), "alphas": (0.1,), "cv": 2}
    OptimalDecisionDiagramClassifierCV(**grid, **options).fit(X, y)
    assert alone.count("objective") == capsys.readouterr().out.count("objective") > 0
