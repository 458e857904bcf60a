"""Labels as class codes: counted where they are many integers, sorted otherwise."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.multiclass import check_classification_targets

from oddlearn import OptimalDecisionTreeClassifier
from oddlearn.errors import InvalidInputError
from oddlearn.table import labels_and_weights
from oddlearn.table.column_table import to_dense
from oddlearn.table.labels_and_weights import check_class_weight, encode_labels, find_class_factors


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint16])
@pytest.mark.parametrize(("low", "span"), [(0, 1), (3, 4), (100, 26), (0, 40)])
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_counted_labels_are_those_of_numpy(dtype, low, span, monkeypatch):
    monkeypatch.setattr(labels_and_weights, "MANY_LABELS", 50)
    monkeypatch.setattr(labels_and_weights, "MAX_LABEL_SPAN", 30)
    random = np.random.default_rng(span)
    for step in (1, 3):
        labels = (low + step * random.integers(0, span // step + 1, 300)).astype(dtype)
        for given in (labels, labels[:49], labels[:50]):
            classes, codes = encode_labels(given)
            known, places = np.unique(given, return_inverse=True)
            assert np.array_equal(classes, known) and classes.dtype == given.dtype
            assert np.array_equal(codes, places)


def test_negative_labels_are_counted_too(monkeypatch):
    monkeypatch.setattr(labels_and_weights, "MANY_LABELS", 3)
    classes, codes = encode_labels(np.array([-1, 1, -1, 1, 1]))
    assert (classes.tolist(), codes.tolist()) == ([-1, 1], [0, 1, 0, 1, 1])


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"), "dates or times"),
        (np.array([1, 2], dtype="timedelta64[s]"), "dates or times"),
        (np.array(["a", None, "b"], dtype=object), "1 missing labels"),
        (np.array([1.0, np.nan, 0.0]), "1 missing labels"),
        (np.array(["a", 1, "b"], dtype=object), "type int, str"),
    ],
)
def test_labels_that_cannot_be_classes_are_refused(labels, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        encode_labels(labels)


def test_labels_that_are_no_labels_are_refused():
    with pytest.raises(InvalidInputError, match="y holds 2 missing labels"):
        encode_labels(np.array(["a", None, None], dtype=object))
    with pytest.raises(InvalidInputError, match="y holds labels of type int, str"):
        encode_labels(np.array(["a", 1], dtype=object))
    with pytest.raises(InvalidInputError, match="y holds dates or times"):
        encode_labels(np.array(["2020-01-01"], dtype="datetime64[D]"))


def test_factors_of_classes_are_what_was_asked_for():
    classes, totals = np.array(["a", "b", "c"]), np.array([2.0, 6.0, 0.0])
    assert find_class_factors(None, classes, totals).tolist() == [1, 1, 1]
    assert find_class_factors({"b": 3}, classes, totals).tolist() == [1, 3, 1]
    # as if both classes that are there had four rows each
    balanced = find_class_factors("balanced", classes, totals)
    assert balanced == pytest.approx([2.0, 4 / 6, 0.0])
    with pytest.raises(InvalidInputError, match="class_weight has the label 'd'"):
        find_class_factors({"d": 3}, classes, totals)
    named = find_class_factors({"a": 1, "b": 2, "c": 3, "d": 4}, classes, totals)
    assert named.tolist() == [1, 2, 3]
    with pytest.raises(InvalidInputError, match="give None"):
        find_class_factors("even", classes, totals)
    with pytest.raises(InvalidInputError, match="give None"):  # an array is compared with no text
        check_class_weight(np.array([1.0, 2.0]), classes, np.arange(3), np.ones(3))


@pytest.mark.parametrize("kind", [int, str, bool, float])
def test_labels_that_most_rows_have_alone_are_warned_of_as_by_scikit_learn(kind):
    for n_rows in range(19, 30):
        for n_classes in range(n_rows // 2 - 1, n_rows // 2 + 3):
            labels = (np.arange(n_rows) % n_classes).astype(kind)
            with warnings.catch_warnings(record=True) as expected:
                warnings.simplefilter("always")
                check_classification_targets(labels)
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                encode_labels(labels)
            assert [str(one.message) for one in given] == [str(one.message) for one in expected]


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("Int64", "i8"), ("UInt8", "u1"), ("boolean", "?"), ("int64[pyarrow]", "i8"), ("bool[pyarrow]", "?")],
)
def test_labels_of_nullable_types_keep_their_type(dtype, expected):
    y = pd.Series([0, 1] * 10).astype(bool if "bool" in dtype else np.int64).astype(dtype)
    model = OptimalDecisionTreeClassifier(1).fit(np.arange(20.0)[:, None] % 2, y)
    assert model.classes_.dtype == expected and model.predict([[0.0]]).dtype == expected
    with pytest.raises(InvalidInputError, match="missing labels"):
        OptimalDecisionTreeClassifier(1).fit(np.zeros((20, 1)), y.where(np.arange(20) > 3))


def test_masked_values_are_missing_and_masked_labels_and_weights_are_refused():
    hidden = np.arange(40) % 4 == 0
    X = np.where(hidden, 1000.0, np.arange(40))[:, None]
    y = (X[:, 0] > 20).astype(int)
    masked = np.ma.masked_array(X, mask=hidden[:, None])
    for given in (masked, masked.astype(np.int16), masked.astype(object)):
        model, plain = OptimalDecisionTreeClassifier(1).fit(given, y), np.where(hidden[:, None], np.nan, X)
        assert np.array_equal(model.predict(given), model.predict(plain))
        assert model.diagram_ == OptimalDecisionTreeClassifier(1).fit(plain, y).diagram_
    with pytest.raises(InvalidInputError, match="missing labels"):
        OptimalDecisionTreeClassifier(1).fit(X, np.ma.masked_array(y, mask=hidden))
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        OptimalDecisionTreeClassifier(1).fit(X, y, np.ma.masked_array(np.ones(40), mask=hidden))
    assert to_dense(np.ma.masked_array([["a"], ["b"]], mask=[[True], [False]])).tolist() == [[None], ["b"]]
    days = np.ma.masked_array(np.array([["2020-01-01"]], dtype="M8[D]"), mask=[[True]])
    assert np.isnat(to_dense(days)).all()


def test_a_lazy_frame_is_to_be_collected():
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame({"x": [0.0, 1.0]})
    with pytest.raises(InvalidInputError, match="collect"):
        OptimalDecisionTreeClassifier(1).fit(lazy, [0, 1])
    with pytest.raises(InvalidInputError, match="collect"):
        OptimalDecisionTreeClassifier(1).fit([[0.0], [1.0]], [0, 1]).predict(lazy)


def test_rows_are_no_path_where_files_are_not_read():
    model = OptimalDecisionTreeClassifier(1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InvalidInputError, match="X is the path 'rows"):
        model.apply("rows.csv")
