import sys

import numpy as np
import pytest

from oddlearn import (
    DemographicParity,
    EqualOpportunity,
    MaxNodes,
    OptimalDecisionDiagramClassifier,
    accuracy_fairness_path,
)
from oddlearn.errors import InvalidInputError

RATIOS = (0.0, 0.5, 0.8, 1.0)


def people(n=80):
    """Return X, y and groups where the feature that tells most is unfair."""
    random = np.random.default_rng(0)
    groups = random.integers(0, 2, n)
    X = np.column_stack([random.random(n) + 0.6 * groups, random.random(n)]).round(1)
    y = (X[:, 0] + 0.3 * random.normal(size=n) > 0.8).astype(int)
    return X, y, np.array(["left", "right"])[groups]


def estimator(**options):
    options = {"exact": None, "max_iter": 60, "time_limit": None, "random_state": 0, "alpha": 0.01} | options
    return OptimalDecisionDiagramClassifier("1-2-2", **options)


@pytest.fixture(scope="module")
def path():
    X, y, groups = people()
    tests = {"X_test": X[:40], "y_test": y[:40], "sensitive_test": groups[:40]}
    return accuracy_fairness_path(estimator(), X, y, groups, ratios=RATIOS, **tests)


def test_every_model_keeps_its_ratio_and_looser_ones_are_no_worse(path):
    rows = [point.row for point in path.points]
    assert [row["ratio"] for row in rows] == list(RATIOS)
    for row in rows:
        assert row["reached"] >= row["ratio"] - 1e-9
    objectives = [row["objective"] for row in rows]
    assert objectives == sorted(objectives)
    assert objectives[0] < objectives[-1]


def test_a_row_says_what_its_model_does(path):
    X, y, _ = people()
    for point in path.points:
        assert point.row["accuracy"] == point.model.score(X, y)
        assert point.row["test_accuracy"] == point.model.score(X[:40], y[:40])
        assert point.row["nodes"] == point.model.n_nodes_


def test_it_reads_as_a_table_and_as_a_frame(path):
    assert str(path).splitlines()[0].split()[:3] == ["ratio", "accuracy", "reached"]
    assert path.to_frame().loc[0.8, "is_optimal"] in (True, False)


def test_the_plot_has_a_line_for_training_and_one_for_test(path):
    left, right = path.plot().axes
    assert [line.get_label() for line in left.get_lines()] == ["training", "test"]
    assert left.get_lines()[0].get_ydata().tolist() == [point.row["accuracy"] for point in path.points]
    assert right.get_lines()[1].get_ydata().tolist() == [point.row["test_reached"] for point in path.points]


def test_without_matplotlib_the_plot_says_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="plot"):
        path.plot()


def test_other_constraints_stay_and_others_can_be_varied():
    X, y, groups = people()
    path = accuracy_fairness_path(
        estimator(constraints=[MaxNodes(1)]), X, y, groups, ratios=[0.9], constraint=EqualOpportunity()
    )
    (point,) = path.points
    assert point.model.n_nodes_ <= 1
    assert [type(demand) for demand in point.model.constraints] == [MaxNodes, EqualOpportunity]


def test_the_paper_s_counts_are_compared_as_counts():
    X, y, groups = people()
    path = accuracy_fairness_path(
        estimator(), X, y, groups, ratios=[0.8], constraint=DemographicParity(form="count")
    )
    chosen = path.points[0].model.predict(X)
    counts = [int(chosen[groups == group].sum()) for group in ("left", "right")]
    assert path.points[0].row["reached"] == pytest.approx(min(counts) / max(counts))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ratios": []}, "empty"),
        ({"ratios": [1.5]}, "from 0 to 1"),
        ({"ratios": [0.5], "X_test": [[0.0, 0.0]]}, "together"),
    ],
)
def test_a_path_without_sense_is_refused(options, sentence):
    X, y, groups = people()
    with pytest.raises(InvalidInputError, match=sentence):
        accuracy_fairness_path(estimator(), X, y, groups, **options)


def test_only_the_groups_that_are_compared_are_seen():
    X, y, groups = people()
    groups = groups.astype(object)
    groups[::5] = "other"
    demand = DemographicParity(groups=["left", "right"])
    path = accuracy_fairness_path(estimator(), X, y, groups, ratios=[0.9], constraint=demand)
    (point,) = path.points
    given, rates = point.model.predict(X), {}
    for name in ("left", "right"):
        rates[name] = given[groups == name].mean()
    assert point.row["reached"] == pytest.approx(min(rates.values()) / max(rates.values()))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"estimator": 3}, "estimator is a int"), ({"constraint": MaxNodes(2)}, "give a fairness constraint")],
)
def test_what_has_no_path_is_refused(options, words):
    X, y, groups = people()
    given = {"estimator": estimator(), "X": X, "y": y, "sensitive_features": groups} | options
    with pytest.raises(InvalidInputError, match=words):
        accuracy_fairness_path(**given)
