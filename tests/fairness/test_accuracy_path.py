import sys

import numpy as np
import pytest

from oddlearn import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    MaxNodes,
    MinFlowPerArc,
    OptimalDecisionDiagramClassifier,
    OverallAccuracyEquality,
    accuracy_fairness_path,
)
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.fairness.accuracy_path import DEFAULT_RATIOS
from oddlearn.problem import LinearRows

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
    required = right.get_lines()[2]
    assert (required.get_label(), required.get_xydata().tolist()) == ("required", [[0, 0], [1, 1]])


def test_a_ratio_that_no_diagram_satisfies_has_a_reason_and_no_numbers():
    X, y, groups = people()
    # of one class both groups have the same rate; a node for every sample is needed for another
    demand = EqualOpportunity(favourable=1)
    never = [MinFlowPerArc(1), AtLeast()]
    path = accuracy_fairness_path(
        estimator(constraints=never), X, y, groups, ratios=[0.0, 0.9], constraint=demand
    )
    for point in path.points:
        assert point.model is None and "satisf" in point.text
        assert point.row == {"ratio": point.ratio, **dict.fromkeys(EMPTY)}
    assert "-" in str(path).splitlines()[1].split()


EMPTY = ("accuracy", "reached", "objective", "lower_bound", "is_optimal", "nodes")


class AtLeast:
    """More nodes than there are."""

    def rows(self, data, layout):
        matrix = np.zeros((1, layout.size))
        matrix[0, layout.used] = 1.0
        return LinearRows(matrix, [layout.n_slots + 1.0], [np.inf], ("many nodes",))


def test_without_matplotlib_the_plot_says_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnsupportedError, match="plot"):
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


def looked_at(constraint, keys=("side", "shift"), **tests):
    """Return X, y, columns and the only point of a path that demands nothing: the ratios are far apart."""
    X, y, side = people()
    shift = np.where(np.arange(len(y)) % 3 == 0, "day", "night")
    columns = {"side": side, "shift": shift}
    given = {key: columns[key] for key in keys}
    path = accuracy_fairness_path(estimator(), X, y, given, ratios=[0.0], constraint=constraint, **tests)
    return X, y, columns, path.points[0]


def ratio_of(values, groups):
    """Return the smallest mean of a group over the largest."""
    means = [values[groups == group].mean() for group in np.unique(groups)]
    return min(means) / max(means)


def test_with_several_columns_the_smallest_ratio_of_any_is_reached():
    for keys in (("side", "shift"), ("shift", "side")):
        X, _, columns, point = looked_at(DemographicParity(), keys)
        ratios = {name: ratio_of(point.model.predict(X), groups) for name, groups in columns.items()}
        assert ratios["side"] < ratios["shift"] - 0.1
        assert point.row["reached"] == pytest.approx(ratios["side"])


def test_groups_are_compared_with_those_of_their_own_column():
    X, y, _ = people()
    # few of one small group are selected, and many of the other: each is compared with all the rest
    rejected, accepted = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    low = np.isin(np.arange(len(y)), [*rejected[:10], *accepted[:4]])
    high = np.isin(np.arange(len(y)), [*rejected[-3:], *accepted[-10:]])
    path = accuracy_fairness_path(estimator(), X, y, {"low": low, "high": high}, ratios=[0.0])
    chosen = path.points[0].model.predict(X)
    ratios = [ratio_of(chosen, low), ratio_of(chosen, high)]
    assert chosen[low].mean() / chosen[high].mean() < min(ratios) - 0.01
    assert path.points[0].row["reached"] == pytest.approx(min(ratios))


@pytest.mark.parametrize("name", ["side", "shift"])
def test_columns_that_are_not_named_are_not_compared(name):
    X, _, columns, point = looked_at(DemographicParity(columns=[name]))
    assert point.row["reached"] == pytest.approx(ratio_of(point.model.predict(X), columns[name]))


def test_intersections_are_compared_as_groups_of_their_own():
    X, _, columns, point = looked_at(DemographicParity(intersection=True))
    chosen = point.model.predict(X)
    both = np.char.add(columns["side"], columns["shift"])
    assert len(np.unique(both)) == 4
    assert ratio_of(chosen, both) < min(ratio_of(chosen, groups) for groups in columns.values()) - 0.01
    assert point.row["reached"] == pytest.approx(ratio_of(chosen, both))


def test_one_column_has_no_intersections():
    X, _, columns, point = looked_at(DemographicParity(intersection=True), keys=["shift"])
    assert point.row["reached"] == pytest.approx(ratio_of(point.model.predict(X), columns["shift"]))


def test_of_two_rates_the_smaller_ratio_is_reached():
    X, y, side = people()
    turned = np.where(np.arange(len(y)) % 3 == 0, 1 - y, y)
    tests = {"X_test": X, "y_test": turned, "sensitive_test": side}
    _, _, _, point = looked_at(EqualizedOdds(), keys=["side"], **tests)
    chosen = point.model.predict(X)
    # on the training data nobody is selected falsely, which is alike; with some labels turned that is worse
    assert not chosen[y == 0].any()
    assert point.row["reached"] == pytest.approx(ratio_of(chosen[y == 1], side[y == 1]))
    false, true = (ratio_of(chosen[turned == kind], side[turned == kind]) for kind in (0, 1))
    assert false < true - 0.1
    assert point.row["test_reached"] == pytest.approx(false)


def test_accuracies_are_compared_without_a_favourable_class():
    X, y, columns, point = looked_at(OverallAccuracyEquality(), keys=["side"])
    assert point.row["reached"] == pytest.approx(ratio_of(point.model.predict(X) == y, columns["side"]))


@pytest.mark.parametrize("truth", [0, 1])
def test_where_nobody_is_selected_groups_are_alike(truth):
    X, _, side = people()
    # the rows of the class that is not favourable, as far as the model tells them
    _, _, _, point = looked_at(DemographicParity(), keys=["side"])
    refused = np.flatnonzero(point.model.predict(X) == 0)
    assert len(set(side[refused])) == 2
    tests = {"X_test": X[refused], "y_test": np.full(refused.size, truth), "sensitive_test": side[refused]}
    _, _, _, point = looked_at(DemographicParity(), keys=["side"], **tests)
    assert (point.row["test_accuracy"], point.row["test_reached"]) == (1 - truth, 1.0)
    assert point.row["reached"] < 1


def test_the_ratio_is_0_where_one_group_alone_is_selected():
    X, y, side = people()
    _, _, _, point = looked_at(DemographicParity(), keys=["side"])
    rows = np.flatnonzero((point.model.predict(X) == 1) == (side == "right"))
    tests = {"X_test": X[rows], "y_test": y[rows], "sensitive_test": side[rows]}
    assert looked_at(DemographicParity(), keys=["side"], **tests)[-1].row["test_reached"] == 0


def test_the_favourable_class_may_be_named():
    X, _, columns, point = looked_at(DemographicParity(favourable=0), keys=["side"])
    assert point.row["reached"] == pytest.approx(ratio_of(point.model.predict(X) == 0, columns["side"]))


def test_a_ratio_weighs_the_samples_of_the_training_data():
    X, y, side = people()
    weight = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    path = accuracy_fairness_path(estimator(), X, y, side, ratios=[0.0], sample_weight=weight)
    (point,) = path.points
    chosen = point.model.predict(X)
    rates = [np.average(chosen[side == name], weights=weight[side == name]) for name in ("left", "right")]
    assert point.row["reached"] == pytest.approx(min(rates) / max(rates))
    assert point.row["accuracy"] == pytest.approx(np.average(chosen == y, weights=weight))


def test_the_default_ratios_go_from_nothing_to_equality():
    assert DEFAULT_RATIOS == (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0)


def test_the_plot_names_its_axes_and_lines(path):
    left, right = path.plot().axes
    assert [axes.get_xlabel() for axes in (left, right)] == ["required ratio"] * 2
    assert [axes.get_ylabel() for axes in (left, right)] == ["accuracy", "smallest rate / largest rate"]
    assert left.get_legend() is None
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["training", "test", "required"]
