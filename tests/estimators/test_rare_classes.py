"""Classes that are never predicted, prices of nodes, and scorers by name."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer_names

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    OptimalDecisionTreeClassifier,
    from_json,
    verify,
)
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import ConstantTableWarning, InvalidInputError, UnpredictedClassWarning
from oddlearn.estimators.fit_certificate import describe_missed_classes
from oddlearn.estimators.scoring import SCORERS, scorer_names

IRIS, SPECIES = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(0)
RARE_X = RANDOM.random((400, 3))
RARE = np.where((RARE_X[:, 0] > 0.9) & (RANDOM.random(400) < 0.3), "fraud", "regular")


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return model.fit(X, y)


def rare_model(**parameters):
    return OptimalDecisionDiagramClassifier("1-2", max_iter=30, random_state=0, **parameters)


def test_a_class_that_is_never_predicted_is_warned_of_once():
    with pytest.warns(UnpredictedClassWarning) as caught:
        model = rare_model().fit(RARE_X, RARE)
    (warning,) = caught
    assert str(warning.message).startswith('The diagram never predicts class fraud. Try class_weight="bal')
    assert "cost_matrix" in str(warning.message) and "node_price" in str(warning.message)
    assert warning.filename == __file__
    assert model.certificate_.unpredicted_classes == ("fraud",)
    assert set(model.predict(RARE_X)) == {"regular"}


def test_a_class_of_which_hardly_a_row_is_found_is_warned_of():
    X = np.column_stack([np.arange(200.0), np.ones(200)])
    is_rare = (np.arange(200) % 5 == 1) | (np.arange(200) == 199)  # 41 rows, one at the end
    y = np.where(is_rare, "rare", "usual")
    with pytest.warns(
        UnpredictedClassWarning, match=r"^The diagram finds only 2\.4 % of class rare\. Try cl"
    ):
        model = OptimalDecisionDiagramClassifier("1", node_price=0.001, random_state=0).fit(X, y)
    assert (model.predict(X) == "rare").sum() == 1
    assert "optimal, but it finds only 2.4 % of class rare: of all" in model.certificate_.explain()
    assert from_json(model.to_json()).certificate_ == model.certificate_
    assert model.certificate_.unpredicted_classes == ()


def test_the_certificate_never_says_optimal_alone():
    with pytest.warns(UnpredictedClassWarning):
        model = OptimalDecisionDiagramClassifier("1-2", random_state=0).fit(RARE_X, RARE)
    assert model.is_optimal_
    claim = model.certificate_.explain().splitlines()[0]
    assert claim.startswith('Proved optimal, but it predicts class "regular" for every row: of all diagrams')
    again = from_json(model.to_json())
    assert again.certificate_ == model.certificate_
    assert verify(again, RARE_X, RARE).is_optimal


@pytest.mark.parametrize("parameters", [{"class_weight": "balanced"}, {"cost_matrix": [[0, 20], [1, 0]]}])
def test_weights_or_costs_make_the_rare_class_predicted(parameters):
    model = fit_quietly(rare_model(**parameters), RARE_X, RARE)
    assert set(model.predict(RARE_X)) == {"fraud", "regular"}
    assert "never predicts" not in model.certificate_.explain()


def test_a_skeleton_too_small_for_the_classes_is_said():
    with pytest.warns(UnpredictedClassWarning, match="a larger skeleton: 1 predicts at most 2 of 3 classes"):
        OptimalDecisionDiagramClassifier("1", max_iter=5, random_state=0).fit(IRIS, SPECIES)


def test_a_constant_table_has_its_own_warning_only():
    with pytest.warns(ConstantTableWarning) as caught:
        rare_model().fit(np.ones((20, 2)), np.repeat([0, 1], [15, 5]))
    assert len(caught) == 1


def test_a_class_without_weight_is_not_missed():
    weight = (RARE == "regular") * 1.0 + (np.arange(400) < 3)
    y = np.where(np.arange(400) < 200, np.where(RARE_X[:, 0] > 0.5, "a", "b"), "c")
    model = rare_model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(RARE_X, y, sample_weight=(y != "c") * weight)
    assert model.certificate_.unpredicted_classes == ()


def test_a_search_over_parameters_warns_of_its_last_fit_only():
    search = OptimalDecisionDiagramClassifierCV(("1", "1-2"), (0.5, 1.0), cv=3, max_iter=5, random_state=0)
    with pytest.warns(UnpredictedClassWarning) as caught:
        search.fit(RARE_X, RARE)
    assert len(caught) == 1
    fit_quietly(search.set_params(refit=False), RARE_X, RARE)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize(
    ("kind", "shape", "n_paid"),
    [(OptimalDecisionDiagramClassifier, "1-2-2", 4), (OptimalDecisionTreeClassifier, 2, 2)],
)
def test_one_price_given_both_ways_is_one_fit(kind, shape, n_paid, split):
    options = {"split": split, "max_iter": 20, "random_state": 0}
    by_alpha = kind(shape, alpha=0.04, **options).fit(IRIS, SPECIES)
    by_price = kind(shape, node_price=0.04 / n_paid, **options).fit(IRIS, SPECIES)
    assert by_alpha.certificate_.digest == by_price.certificate_.digest
    assert by_alpha.diagram_ == by_price.diagram_
    assert by_alpha.objective_ == by_price.objective_
    assert "price per node 0.0" in by_price.certificate_.explain(details=True)


def test_without_both_the_default_price_is_taken():
    default = rare_model(class_weight="balanced").fit(RARE_X, RARE)
    given = rare_model(class_weight="balanced", node_price=0.01).fit(RARE_X, RARE)
    assert default.certificate_.digest == given.certificate_.digest


def test_a_larger_skeleton_leaves_the_meaning_of_a_node_price():
    errors = IRIS[:, 2:], SPECIES
    sizes = [
        OptimalDecisionDiagramClassifier(skeleton, node_price=0.03, random_state=0).fit(*errors).n_nodes_
        for skeleton in ("1-2", "1-2-4", "1-2-4-4")
    ]
    assert sizes == [2, 2, 2]


def test_both_penalties_are_refused():
    with pytest.raises(InvalidInputError, match=r"alpha is 0\.1 and node_price is 0\.01: give one"):
        rare_model(alpha=0.1, node_price=0.01).fit(RARE_X, RARE)
    with pytest.raises(InvalidInputError, match="alphas and node_prices are both given"):
        OptimalDecisionDiagramClassifierCV(alphas=(0.1,), node_prices=(0.1,)).fit(RARE_X, RARE)
    with pytest.raises(InvalidInputError, match="node_prices is nan"):
        OptimalDecisionDiagramClassifierCV(node_prices=(0.1, float("nan"))).fit(RARE_X, RARE)


def test_a_grid_of_node_prices():
    search = OptimalDecisionDiagramClassifierCV(
        ("1", "1-2-2"), node_prices=(0.001, 0.3), cv=3, max_iter=20, random_state=0
    ).fit(IRIS, SPECIES)
    assert search.best_params_ == {"skeleton": "1-2-2", "node_price": 0.001}
    assert search.cv_results_["param_node_price"].tolist() == [0.001, 0.3, 0.001, 0.3]
    assert "param_alpha" not in search.cv_results_
    assert search.best_estimator_.node_price == 0.001
    assert from_json(search.to_json()).node_price == 0.001


def labels_of(kind):
    return {"binary": (SPECIES == 2).astype(int), "text": np.where(SPECIES == 2, "a", "b"), "three": SPECIES}[
        kind
    ]


@pytest.mark.parametrize("kind", ["binary", "text", "three"])
@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_gives_a_score_or_a_sentence(name, kind):
    if name not in get_scorer_names():
        pytest.skip("this scikit-learn does not have it")
    search = OptimalDecisionDiagramClassifierCV(
        ("1-2",), (0.01,), cv=3, scoring=name, refit=False, max_iter=3, random_state=0
    )
    try:
        search.fit(IRIS, labels_of(kind))
    except InvalidInputError as problem:
        assert f"scoring is {name!r}" in str(problem) and "give '" in str(problem)
    else:
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("name", ["luck", "r2", "neg_mean_squared_error"])
def test_other_scorers_are_refused_with_the_names(name):
    with pytest.raises(InvalidInputError, match=f"scoring is '{name}': give one of accuracy, ") as caught:
        OptimalDecisionDiagramClassifierCV(scoring=name).fit(IRIS, SPECIES)
    assert all(known in str(caught.value) for known in scorer_names())


@pytest.mark.parametrize(("found", "text"), [(4, "finds only 4.0 % of class b"), (5, ""), (100, "")])
def test_a_class_is_missed_below_a_twentieth_of_its_rows(found, text):
    diagram = DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 1)
    metadata = ModelMetadata(None, ("a", "b"), np.array([[300.0, 100.0 - found], [50.0, found]]))
    assert describe_missed_classes(diagram, metadata, SimpleNamespace(unpredicted_classes=())) == text
    never = SimpleNamespace(unpredicted_classes=("b",), unpredicted_text="class b")
    assert describe_missed_classes(diagram, metadata, never) == "never predicts class b"
    # a class without training rows is not missed
    empty = ModelMetadata(None, ("a", "b"), np.array([[300.0, 0.0], [50.0, 0.0]]))
    assert describe_missed_classes(diagram, empty, SimpleNamespace(unpredicted_classes=())) == ""
