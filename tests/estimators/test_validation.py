"""Every line of bad input, each answered by a clear error."""

import json
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

import oddlearn
from oddlearn import (
    LocalSearch,
    MaxNodes,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    Skeleton,
)
from oddlearn.diagram.json_checks import checksum
from oddlearn.errors import ConstantTableWarning, InvalidInputError, ModelFileError, UnsupportedError
from oddlearn.estimators.parameters import MAX_DEPTH, parse_depth
from oddlearn.table.labels_and_weights import check_total_weight
from tests.fakes import FixedExact

X = np.array([[0.0, 1.0], [0.2, 0.0], [0.8, 0.5], [1.0, 0.3]])
Y = np.array([0, 0, 1, 1])


def test_a_single_constraint_need_not_be_in_a_list():
    X, y = np.arange(8.0)[:, None], [0, 1, 1, 0, 0, 1, 1, 0]
    model = OptimalDecisionDiagramClassifier("1-2-2", constraints=MaxNodes(2), max_iter=20).fit(X, y)
    assert model.n_nodes_ <= 2


def fit(X=X, y=Y, sample_weight=None, **parameters):
    return OptimalDecisionDiagramClassifier(**{"max_iter": 5, **parameters}).fit(X, y, sample_weight)


def with_value(value):
    changed = X.copy()
    changed[1, 1] = value
    return changed


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (with_value(np.inf), "contains infinity .* Give finite numbers"),
        (np.array([["a", "b"]] * 4), "X holds text"),
        (np.empty((0, 2)), "0 sample"),
        (np.empty((4, 0)), "0 feature"),
        (X[0], "Expected 2D array"),
        (X[:3], "inconsistent numbers of samples"),
        (csr_array((100_000, 100_000)), "80.0 GB as a dense table, .*SelectKBest"),
    ],
)
def test_a_table_that_is_not_numbers_is_refused(table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fit(X=table)


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="1 sample"):
        fit(X=X[:1], y=Y[:1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 1, 1, 1], "one class only, 1, among"),
        ([0.1, 0.2, 0.3, 0.4], "continuous"),
        ([0, 1, np.nan, 1], "NaN"),
        (None, "y"),
        (np.array(["a", 1, 2, 2], dtype=object), "y holds labels of type int, str: give labels that are all"),
        (np.array(["2020", "2020", "2021", "2021"], dtype="M8[Y]"), "y holds dates or times"),
        (np.array([b"a", b"a", b"b", b"b"]), "y holds labels of type bytes_"),
    ],
)
def test_labels_that_name_no_classes_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        fit(y=labels)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1], "holds -1: give weights of 0 or more"),
        ([0, 0, 0, 0], "All sample weights are zero"),
        ([1, 1], "one weight per row"),
        ([1, 1, 0, 0], "one class only"),
        ([1, np.nan, 1, 1], "NaN"),
        (2.0, "sample_weight is 2.0: give one weight of 0 or more per row of X, here 4"),
        (list("abcd"), "sample_weight cannot be read as numbers"),
        (np.ones((4, 1, 1)), r"sample_weight has shape \(4, 1, 1\): give one weight per row"),
        ([[1], [1], [1], [1]], "one weight per row"),
        (np.full(4, 1e308), r"sample_weight holds 1e\+308: give numbers of at most 1e\+100"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        fit(sample_weight=weights)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("skeleton", "1-3", "at most twice"),
        ("skeleton", "2-2", "the root layer has 1"),
        ("skeleton", "1-x", "not a list of whole numbers"),
        ("skeleton", 7, "cannot be read"),
        ("alpha", -0.1, "alpha is -0.1: give a finite number of 0 or more"),
        ("alpha", "big", "alpha is 'big'"),
        ("node_price", -0.1, "node_price is -0.1: give a finite number of 0 or more"),
        ("node_price", float("inf"), "node_price is inf"),
        ("node_price", float("nan"), "node_price is nan"),
        ("alpha", float("nan"), "alpha is nan"),
        ("time_limit", 0, "time_limit is 0: give a finite number above 0"),
        ("time_limit", -1.0, "time_limit is -1.0"),
        ("time_limit", float("inf"), "time_limit is inf: give a finite number above 0, or None for no limit"),
        ("max_iter", 0, "max_iter is 0: give a whole number of at least 1"),
        ("max_iter", 1.5, "max_iter is 1.5"),
        ("split", "diagonal", 'give "univariate" or "multivariate"'),
        ("search", "luck", 'give one of "local_search", "construct"'),
        ("search", OptimalDecisionTreeClassifier, "search is"),
        ("exact", "luck", 'give None, "auto", one of "branch_and_bound", "milp", "cpsat", or a solver'),
        ("exact", 3, "exact is 3: give None"),
        ("exact", FixedExact, "exact is .*FixedExact.*: give None"),
        ("exact", LocalSearch(), "exact is LocalSearch.*: give None"),
        ("epsilon", 1.0, "epsilon is 1.0"),
        ("n_jobs", 0, "n_jobs is 0"),
        ("constraints", [3], "constraints holds 3"),
        ("class_weight", "even", "class_weight is 'even'"),
        ("class_weight", {0: -1.0}, "class_weight"),
        ("class_weight", {0: 0.0, 1: 0.0}, "All weights are zero"),
        ("cost_matrix", np.ones((2, 3)), "has shape"),
        ("cost_matrix", [[0, -1], [1, 0]], "negative"),
        ("cost_matrix", [[0, np.nan], [1, 0]], "NaN"),
        ("verbose", -1, "verbose is -1"),
        ("verbose", None, "verbose is None: give a whole number"),
        ("verbose", "x", "verbose is 'x'"),
        ("verbose", 1.5, "verbose is 1.5"),
        ("alpha", 1e308, r"alpha is 1e\+308: give a finite number of 0 or more, at most 1e\+100"),
        ("alpha", 10**400, "alpha is a whole number of 1329 bits"),
        ("split", np.array(["a", "b"]), 'give "univariate" or "multivariate"'),
        ("n_jobs", 100_000, "n_jobs is 100000: give at most [0-9]+ threads, best -1"),
        ("class_weight", {5: 1}, r"has the label 5, which y does not hold: .* among \[0, 1\]"),
        ("class_weight", {0: 1e308}, "at most 1e"),
        ("cost_matrix", "abc", "cost_matrix cannot be read as numbers: give 2 rows of 2 costs"),
        ("cost_matrix", [[0, 1], [1]], "cost_matrix cannot be read as numbers"),
        ("cost_matrix", 1e308 * (1 - np.eye(2)), r"cost_matrix holds 1e\+308"),
        ("random_state", "x", "cannot be used to seed"),
    ],
)
def test_bad_parameters_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        fit(**{name: value})


def test_a_hyperplane_needs_a_margin():
    with pytest.raises(InvalidInputError, match="at least 1e-08"):
        fit(split="multivariate", epsilon=0.0)
    assert fit(epsilon=0.5).n_nodes_ == 1  # univariate splits have none


@pytest.mark.parametrize("depth", [0, 1.5, 21, True])
def test_the_depth_of_a_tree_is_a_small_whole_number(depth):
    with pytest.raises(InvalidInputError, match="max_depth"):
        OptimalDecisionTreeClassifier(depth).fit(X, Y)


def test_a_prover_that_cannot_take_the_problem_is_refused():
    with pytest.raises(UnsupportedError, match="Not on a Sunday"):
        fit(exact=FixedExact(objection="Not on a Sunday."))


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_a_constant_table_trains_the_constant_classifier(split):
    with pytest.warns(ConstantTableWarning, match="No feature of X varies"):
        model = fit(X=np.full((5, 2), 1e300), y=[0, 1, 1, 1, 0], split=split)
    assert model.predict([[0.0, 0.0]]).tolist() == [1]
    assert (model.n_nodes_, model.depth_, model.is_optimal_) == (0, 0, True)
    assert model.decision_path([[0.0, 0.0]]).shape == (1, 0)


def test_one_feature_that_varies_is_enough():
    assert fit(X=X[:, :1]).score(X[:, :1], Y) == 1.0


def test_predict_before_fit_is_refused():
    for method in ("predict", "predict_proba", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(OptimalDecisionDiagramClassifier(), method)(X)
    with pytest.raises(NotFittedError):
        OptimalDecisionDiagramClassifier().to_json()


def test_predict_with_other_columns_is_refused():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = fit(X=frame)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"b": "c"}))
    with pytest.raises(ValueError, match="expecting 2 features"):
        model.predict(X[:, :1])


def damaged(*path, to, sign=True):
    document = json.loads(fit().to_json())
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    if sign:
        document["checksum"] = checksum({name: document[name] for name in document if name != "checksum"})
    return json.dumps(document)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda: fit().to_json()[:-40], "truncated"),
        (lambda: damaged("schema", to=99), "install a newer oddlearn"),
        (lambda: damaged("diagram", "nodes", 0, "positive", to={"node": 0}), "next layer"),
        (lambda: damaged("diagram", "nodes", 0, "positive", to={"node": 7}), "target node"),
        (lambda: damaged("estimator", to=None), "estimator"),
        (lambda: damaged("estimator", "name", to="os.system"), "not a classifier"),
        (lambda: damaged("estimator", "parameters", to={"shell": "ls"}), "no parameter 'shell'"),
        (lambda: damaged("estimator", "parameters", "skeleton", to={"kind": "call"}), "no field 'items'"),
        (lambda: damaged("estimator", "parameters", "search", to=SEARCH), "unknown search 'os'"),
        (lambda: damaged("estimator", "parameters", "exact", to=PROVER), "unknown exact solver 'os'"),
        (lambda: damaged("estimator", "parameters", "alpha", to=[1]), "cannot be read"),
        (lambda: damaged("estimator", "label_type", to="<U999999999"), "not a type of labels"),
        (lambda: damaged("estimator", "label_type", to="<M8"), "not a type of labels"),
        (lambda: damaged("metadata", "class_labels", to=["a", "b"]), "not of type"),
        (lambda: damaged("certificate", "objective", to=0.5), "checksum"),
        (lambda: damaged("estimator", "parameters", "alpha", to=0.2, sign=False), "checksum"),
        (lambda: damaged("diagram", "nodes", 0, "split", "threshold", to=0.3, sign=False), "checksum"),
        (lambda: damaged("metadata", "class_labels", to=[1, 0], sign=False), "checksum"),
        (lambda: damaged("estimator", "parameters", "alpha", to=-5), "not allowed. alpha is -5"),
        (lambda: damaged("estimator", "parameters", "skeleton", to="2-2"), "not allowed. .*root layer"),
        (lambda: damaged("estimator", "parameters", "random_state", to="x"), "not allowed"),
        (lambda: damaged("estimator", "parameters", "cost_matrix", to=ENDLESS), "not an array of type"),
        (lambda: damaged("diagram", "n_classes", to=10**12), "not the number of class labels"),
    ],
)
def test_a_damaged_model_file_is_refused(content, message, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(content())
    with pytest.raises(ModelFileError, match=message):
        oddlearn.load(path)


ENDLESS = {"kind": "ndarray", "type": "<U99999", "items": ["a"]}
SEARCH = {"kind": "search", "name": "os", "options": {}}
PROVER = {"kind": "exact solver", "name": "os", "options": {}}


def test_a_binary_file_is_not_a_model(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\x80\x04\x95")
    with pytest.raises(ModelFileError, match="not text"):
        oddlearn.load(path)


def test_a_skeleton_may_be_given_in_three_ways():
    for skeleton in ("1-2", [1, 2], Skeleton.parse("1-2")):
        assert fit(skeleton=skeleton).n_nodes_ == 1


def test_weights_and_costs_that_overflow_only_together_are_refused():
    with warnings.catch_warnings(), pytest.raises(InvalidInputError, match="divide sample_weight"):
        warnings.simplefilter("error")
        fit(sample_weight=[1e100, 1e100, 1e-250, 1e-250], class_weight="balanced")


@pytest.mark.parametrize(
    ("weight", "cost", "is_refused"),
    [(8e299, 1.0, False), (8e299, 0.1, False), (1e301, 1e-3, True), (1e299, 5.0, False), (1e299, 20.0, True)],
)
def test_the_total_weight_counts_with_the_largest_cost_but_no_less_than_1(weight, cost, is_refused):
    costs = np.array([[0.0, cost], [cost / 2, 0.0]])
    with pytest.raises(InvalidInputError, match="divide sample_weight") if is_refused else nullcontext():
        check_total_weight(np.array([0.5, 0.5]) * weight, costs)


def test_a_class_weight_may_name_labels_the_rows_lack():
    assert fit(class_weight={0: 1.0, 1: 2.0, 5: 3.0}).score(X, Y) == 1.0


def test_depths_up_to_their_limit_are_taken():
    assert parse_depth(None) is None
    for depth in (1, np.int64(2), MAX_DEPTH):
        assert parse_depth(depth).depth == depth
    for depth in (0, MAX_DEPTH + 1, True, 2.0, "2"):
        with pytest.raises(InvalidInputError, match="max_depth"):
            parse_depth(depth)
