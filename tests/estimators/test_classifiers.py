import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import oddlearn
from oddlearn import (
    LocalSearch,
    Milp,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    Skeleton,
)
from oddlearn.errors import (
    IgnoredFeatureWarning,
    InvalidInputError,
    OddlearnWarning,
    UnsupportedError,
    WideMarginWarning,
)
from oddlearn.problem.certificate_json import certificate_from_dict
from tests.fakes import FixedExact

IRIS, SPECIES = load_iris(return_X_y=True)
SPLITS = ["univariate", "multivariate"]


def fitted(X=IRIS, y=SPECIES, sample_weight=None, **parameters):
    defaults = {"skeleton": "1-2-4", "max_iter": 100, "random_state": 0}
    return OptimalDecisionDiagramClassifier(**{**defaults, **parameters}).fit(X, y, sample_weight)


@pytest.mark.parametrize("split", SPLITS)
def test_a_fitted_model_says_what_it_is(split):
    model = fitted(split=split)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_features_in_ == 4
    assert not hasattr(model, "feature_names_in_")
    assert (model.n_nodes_, model.depth_) == (model.diagram_.n_nodes, model.diagram_.depth)
    assert model.lower_bound_ <= model.objective_
    assert model.is_optimal_ == (model.gap_ == 0.0)
    assert model.n_iter_ >= 1
    assert model.score(IRIS, SPECIES) > 0.9


@pytest.mark.parametrize("split", SPLITS)
def test_the_objective_is_the_papers_formula(split):
    model = fitted(split=split, alpha=0.3)
    errors = np.mean(model.predict(IRIS) != SPECIES)
    assert model.objective_ == pytest.approx(errors + 0.3 / 6 * (model.n_nodes_ - 1))


def test_the_history_ends_with_the_result():
    model = fitted()
    history = model.history_
    assert history.dtype.names == ("seconds", "objective", "lower_bound", "n_nodes")
    assert (np.diff(history["seconds"]) >= 0).all()
    assert history[-1]["objective"] == pytest.approx(model.objective_)
    assert history[-1]["lower_bound"] == model.lower_bound_
    assert history[-1]["n_nodes"] == model.n_nodes_


def test_probabilities_are_frequencies_of_the_final_arc_shrunk_towards_the_node_above():
    model = fitted(skeleton="1")
    arcs = model.apply(IRIS)
    above = (np.bincount(SPECIES, minlength=3) + 1 / 3) / 151
    for arc in np.unique(arcs):
        counts = np.bincount(SPECIES[arcs == arc], minlength=3) + 5 * above
        for probabilities in model.predict_proba(IRIS[arcs == arc]):
            assert probabilities == pytest.approx(counts / counts.sum(), abs=1e-5)


def test_the_class_that_is_predicted_is_the_most_probable_one():
    model = fitted()
    assert np.array_equal(model.predict_proba(IRIS).argmax(axis=1), model.predict(IRIS))


def test_the_decision_path_starts_at_the_root_and_ends_at_the_final_arc():
    model = fitted()
    path = model.decision_path(IRIS)
    assert path.format == "csr"
    assert path.shape == (150, model.n_nodes_)
    assert path.toarray()[:, 0].all()
    assert path.toarray()[np.arange(150), model.apply(IRIS) // 2].all()


def test_a_tree_has_no_merged_nodes():
    model = OptimalDecisionTreeClassifier(3, alpha=0.01, max_iter=100, random_state=0).fit(IRIS, SPECIES)
    assert model.diagram_.is_tree
    assert model.certificate_.skeleton == Skeleton.tree(3)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array(["setosa", "versicolor", "virginica"], dtype=object),
        np.array([10, 20, 30], dtype=np.int32),
        np.array([1.0, 2.0, 4.0]),
        np.array([3, 5, 7], dtype=np.uint8),
    ],
    ids=lambda labels: labels.dtype.str,
)
@pytest.mark.parametrize("split", SPLITS)
def test_a_model_survives_json(labels, split, tmp_path):
    model = fitted(y=labels[SPECIES], split=split, max_iter=20)
    model.save(tmp_path / "model.json")
    copy = oddlearn.load(tmp_path / "model.json")
    assert type(copy) is type(model)
    assert copy.get_params() == model.get_params()
    assert copy.predict(IRIS).dtype == model.predict(IRIS).dtype
    assert np.array_equal(copy.predict(IRIS), model.predict(IRIS))
    assert np.array_equal(copy.predict_proba(IRIS), model.predict_proba(IRIS))
    assert copy.certificate_ == model.certificate_
    assert np.array_equal(copy.history_, model.history_)
    assert copy.to_json() == model.to_json()


def test_boolean_labels_survive_json():
    model = fitted(y=SPECIES > 0)
    copy = oddlearn.from_json(model.to_json())
    assert copy.classes_.dtype == bool
    assert np.array_equal(copy.predict(IRIS), SPECIES > 0)


def test_every_kind_of_parameter_survives_json():
    parameters = {
        "skeleton": Skeleton.parse("1-2"),
        "search": LocalSearch(patience=7),
        "exact": Milp(formulation="paper", flows=False),
        "class_weight": {0: 1.0, 1: 2.0, 2: 0.5},
        "cost_matrix": np.array([[0.0, 1, 2], [3, 0, 4], [5, 6, 0]]),
        "random_state": np.int64(3),
        "time_limit": None,
    }
    model = fitted(**{**parameters, "exact": None}).set_params(exact=parameters["exact"])
    copy = oddlearn.from_json(model.to_json())
    assert np.array_equal(copy.cost_matrix, parameters.pop("cost_matrix"))
    for name, value in parameters.items():
        assert getattr(copy, name) == value
    copy.set_params(time_limit=0.5).fit(IRIS, SPECIES)


def test_parameters_of_their_own_kind_are_left_out_of_json():
    model = fitted(random_state=np.random.RandomState(0))
    with pytest.warns(OddlearnWarning, match="cannot hold the given random_state: a model that is read back"):
        content = model.to_json()
    assert oddlearn.from_json(content).random_state is None


@pytest.mark.parametrize(
    "costs", [1 - np.eye(3, dtype=int), pd.DataFrame(2 * (1 - np.eye(3))), [[0, 1, 1]] * 3]
)
def test_tables_among_the_parameters_survive_json(costs):
    copy = oddlearn.from_json(fitted(cost_matrix=costs, skeleton=np.array([1, 2])).to_json())
    assert np.array_equal(copy.cost_matrix, np.asarray(costs))
    assert np.asarray(copy.cost_matrix).dtype == np.asarray(costs).dtype
    assert copy.skeleton.tolist() == [1, 2]
    copy.fit(IRIS, SPECIES)


class Mine(OptimalDecisionDiagramClassifier):
    """A class of a user."""


def test_a_class_of_a_user_is_not_written():
    model = Mine("1", max_iter=5).fit(IRIS, SPECIES)
    with pytest.raises(UnsupportedError, match="of class Mine cannot be written as JSON"):
        model.to_json()


def test_a_file_that_could_not_be_read_is_not_written():
    with pytest.raises(InvalidInputError, match="alpha is -5"):
        fitted().set_params(alpha=-5).to_json()


def test_a_saved_tree_comes_back_as_a_tree():
    model = OptimalDecisionTreeClassifier(2, max_iter=20).fit(IRIS, SPECIES)
    assert oddlearn.from_json(model.to_json()).max_depth == 2


def test_the_certificate_of_a_saved_model_can_be_checked():
    model = fitted()
    assert certificate_from_dict(model.certificate_.to_dict()).explain() == model.certificate_.explain()


def test_names_of_columns_are_kept_and_checked():
    frame = pd.DataFrame(IRIS, columns=["a", "b", "c", "d"])
    model = fitted(X=frame)
    copy = oddlearn.from_json(model.to_json())
    assert copy.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert np.array_equal(copy.predict(frame), fitted().predict(IRIS))
    with pytest.raises(ValueError, match="feature names"):
        copy.predict(frame[["b", "a", "c", "d"]])


@pytest.mark.parametrize("split", SPLITS)
def test_weights_count_as_repeated_rows(split):
    random = np.random.default_rng(1)
    weight = random.integers(0, 4, 150)
    weighted = fitted(split=split, sample_weight=weight)
    repeated = fitted(np.repeat(IRIS, weight, axis=0), np.repeat(SPECIES, weight), split=split)
    assert weighted.diagram_ == repeated.diagram_
    assert weighted.certificate_.digest == repeated.certificate_.digest
    assert np.array_equal(weighted.predict_proba(IRIS), repeated.predict_proba(IRIS))


@pytest.mark.parametrize("split", SPLITS)
def test_the_order_of_rows_leaves_no_trace(split):
    order = np.random.default_rng(2).permutation(150)
    assert fitted(IRIS[order], SPECIES[order], split=split).diagram_ == fitted(split=split).diagram_


def test_balanced_classes_weigh_the_same():
    kept = np.r_[0:50, 50:60]
    model = fitted(IRIS[kept], SPECIES[kept], class_weight="balanced")
    final = model.diagram_.arc_class >= 0
    assert model.metadata_.arc_weights[final].sum(axis=0) == pytest.approx([30.0, 30.0])


def test_a_cost_matrix_shifts_the_predictions():
    # a virginica taken for another class is a hundred times as bad
    costs = np.array([[0, 1, 1], [1, 0, 1], [100, 100, 0]])
    predicted = fitted(cost_matrix=costs, alpha=0.0).predict(IRIS)
    assert (predicted[SPECIES == 2] == 2).all()


@pytest.mark.parametrize("split", SPLITS)
def test_float32_is_trained_and_predicted_without_loss(split):
    small = IRIS.astype(np.float32)
    model = fitted(X=small, split=split)
    assert np.array_equal(model.predict(small), model.predict(small.astype(np.float64)))


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("offset", [1e6, 1e9, -1e10, 1e12])
def test_features_far_from_zero_are_split(split, offset):
    X = IRIS + offset
    model = fitted(X=X, split=split)
    assert model.score(X, SPECIES) > 0.9


def test_features_too_far_from_zero_are_left_out_of_hyperplanes():
    X = np.column_stack([IRIS[:, :3], 1e15 + IRIS[:, 3], np.full(150, 1e20)])
    with pytest.warns(IgnoredFeatureWarning, match=r"features \['x3'\]"):
        model = fitted(X=X, split="multivariate")
    assert all(split.weights[3] == 0 == split.weights[4] for split in model.diagram_.splits)
    assert model.score(X, SPECIES) > 0.9
    assert fitted(X=X).score(X, SPECIES) > 0.9


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("scale", [1e-290, 1e290, 1e307])
def test_the_scale_of_a_feature_does_not_matter(split, scale):
    X = IRIS * [scale, 1.0, 1.0, 1.0]
    assert fitted(X=X, split=split).score(X, SPECIES) > 0.9


def test_univariate_splits_see_features_of_any_span():
    assert fitted(X=IRIS * 1e-305).score(IRIS * 1e-305, SPECIES) > 0.9
    assert fitted(X=IRIS + 1e12).score(IRIS + 1e12, SPECIES) > 0.9


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (IRIS + 1e16, "too far from 0 .* no feature is left"),
        (IRIS * 1e-305, "vary by less than 2e-300, .* no feature is left"),
    ],
)
def test_ignored_features_are_named_in_the_claim(table, message):
    with pytest.warns(IgnoredFeatureWarning, match=message):
        model = fitted(X=table, split="multivariate")
    assert model.certificate_.ignored_features == (0, 1, 2, 3)
    assert "use only other features than 0, 1, 2, 3" in model.certificate_.explain()
    assert fitted().certificate_.ignored_features == ()
    assert "ignored" not in fitted().certificate_.explain()


@pytest.mark.parametrize("bad", [{"y": SPECIES.astype("M8[D]")}, {"y": SPECIES * 0}, {"sample_weight": [1]}])
def test_a_failed_fit_leaves_the_earlier_model_whole(bad):
    model = fitted(X=pd.DataFrame(IRIS, columns=list("abcd")))
    before = dict(vars(model))
    with pytest.raises(InvalidInputError):
        model.fit(**{"X": IRIS[:, :2], "y": SPECIES, **bad})
    assert vars(model) == before
    assert model.fit(IRIS[:, 2:], SPECIES) is model
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")


def test_an_interrupted_fit_leaves_the_earlier_model_whole(monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    model = fitted()
    before = dict(vars(model))
    monkeypatch.setattr("oddlearn.estimators.fit_certificate.evaluate", broken)
    with pytest.raises(KeyboardInterrupt):
        model.fit(IRIS[:, :2], SPECIES)
    assert vars(model) == before


def crowded(n_rows):
    return np.linspace(0, 1, n_rows)[:, None], np.arange(n_rows) % 2


def test_rows_closer_together_than_the_margin_of_hyperplanes_are_warned_of():
    X, y = crowded(60)
    model = OptimalDecisionDiagramClassifier("1-2", split="multivariate", epsilon=0.1, max_iter=5)
    expected = r"60 distinct rows .* epsilon=0\.1 .* such as 2e-04"
    with pytest.warns(WideMarginWarning, match=expected) as caught:
        model.fit(X, y)
    assert [warning.filename for warning in caught if warning.category is WideMarginWarning] == [__file__]


@pytest.mark.parametrize(("split", "epsilon"), [("multivariate", 1e-4), ("univariate", 0.1)])
def test_no_warning_where_rows_lie_further_apart_or_splits_have_no_margin(split, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error", WideMarginWarning)
        fitted(*crowded(60), split=split, epsilon=epsilon, max_iter=5)


def test_without_an_epsilon_the_margin_fits_the_rows_and_nothing_is_warned_of():
    X, y = crowded(3000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", WideMarginWarning)
        model = fitted(X, (y + X[:, 0] > 1).astype(int), split="multivariate", max_iter=1)
    assert model.certificate_.margin == 1e-6
    assert "multivariate splits of margin 1e-06" in model.certificate_.explain()


@pytest.mark.parametrize("last", [None, 1e6, 1e12])
def test_one_hyperplane_separates_a_skewed_column_with_an_outlier(last):
    x = np.random.default_rng(0).lognormal(8, 1, 2000)
    x[0] = last or x[0]
    y = x > np.median(x)
    model = fitted(x[:, None], y, split="multivariate", max_iter=1)
    assert model.score(x[:, None], y) == 1.0
    assert model.is_optimal_


@pytest.mark.parametrize("kind", ["lognormal", "outlier", "close", "huge", "tiny"])
def test_a_threshold_may_lie_between_any_two_values(kind):
    random = np.random.default_rng(0)
    x = {
        "lognormal": random.lognormal(8, 1, 2000),
        "outlier": np.append(random.normal(size=1999), 1e9),
        "close": 1 + np.arange(200) * 2.0**-52,
        "huge": random.normal(size=200) * 1e307,
        "tiny": random.permutation(200) * 5e-324,
    }[kind]
    model = fitted(x[:, None], x > np.median(x))
    assert model.score(x[:, None], x > np.median(x)) == 1.0
    assert model.is_optimal_


def test_two_separable_classes_are_proved_optimal():
    model = fitted(IRIS, SPECIES == 0, split="multivariate")
    assert model.is_optimal_
    assert model.objective_ == 0.0
    assert not math.isinf(model.lower_bound_)


def test_a_prover_gets_the_seed_and_the_threads_of_the_estimator():
    seen = []

    class Watching(FixedExact):
        def run(self, *arguments):
            seen.append((self.seed, self.n_jobs))
            return super().run(*arguments)

    fitted(exact=Watching(), n_jobs=2)
    assert seen == [(fitted_seed(), 2)]


def fitted_seed():
    return int(np.random.RandomState(0).randint(np.iinfo(np.int32).max))


def test_the_certificate_says_what_a_prover_did():
    model = fitted(exact=FixedExact(bound=0.01, status="time"), alpha=0.5)
    assert "- fixed solver: at least" in model.certificate_.explain(details=True)
    assert "status: time" in model.certificate_.explain(details=True)
    copy = oddlearn.from_json(model.set_params(exact=None).to_json())
    assert copy.certificate_ == model.certificate_


@pytest.mark.parametrize("search", ["local_search", "construct", LocalSearch(patience=3)])
def test_every_search_trains(search):
    assert fitted(search=search).score(IRIS, SPECIES) > 0.9
