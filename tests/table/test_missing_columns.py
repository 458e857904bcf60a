"""Missing values of every kind of table become what a slow and obvious encoder makes of them."""

import json
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csr_array
from sklearn.impute import SimpleImputer

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionDiagramClassifierCV
from oddlearn.errors import InvalidInputError, MissingColumnWarning, UnknownCategoryWarning
from oddlearn.table.column_table import ColumnTable, read_columns
from oddlearn.table.encoding import encoding_from_dict, learn_encoding, needed_columns
from tests.table.people import people

FRAME, LABELS = people()
QUICK = {"skeleton": "1-2-2", "alpha": 0.001, "max_iter": 30, "random_state": 0}


def fitted(X, y=LABELS, **parameters):
    return OptimalDecisionDiagramClassifier(**{**QUICK, **parameters}).fit(X, y)


def with_holes(seed=1):
    """Return ``people`` with a tenth of each column missing."""
    random = np.random.default_rng(seed)
    return FRAME.astype(object).where(random.random(FRAME.shape) > 0.1, None)


def slowly_encoded(frame, fill=False):
    """Return the features row by row; missing numbers are NaN, or the median and an indicator."""
    median = np.median([age for age in frame.age if age is not None])
    rows = []
    for row in frame.itertuples():
        age = [np.nan if row.age is None else float(row.age)]
        if fill:
            age = [median if row.age is None else float(row.age), float(row.age is None)]
        colours = [float(row.colour == colour) for colour in ("blue", "green", "red", None)]
        sexes = [float(row.sex == sex) for sex in ("f", "m", None)]
        smoker = [float(bool(row.smoker)), float(row.smoker is None)]
        grades = [float(row.grade == grade) for grade in (1, 2, 3, 4)] + [float(row.grade is None)]
        rows.append([*age, *colours, *sexes, *smoker, *grades])
    return np.array(rows)


def in_pandas_types(frame):
    return pd.DataFrame(
        {
            "age": frame.age.astype("Int64"),
            "colour": frame.colour.astype("string"),
            "sex": pd.Categorical(frame.sex),
            "smoker": frame.smoker.astype("boolean"),
            "grade": pd.Categorical(frame.grade),
        }
    )


@pytest.mark.parametrize("fill", [False, True])
@pytest.mark.parametrize("convert", [lambda frame: frame, in_pandas_types], ids=["objects", "nullable types"])
def test_missing_values_are_encoded_as_a_slow_encoder_does(convert, fill):
    frame = with_holes()
    given = convert(frame).assign(grade=pd.Categorical(frame.grade))
    encoding = learn_encoding(read_columns(given), fill=fill)
    rows = encoding.encode(read_columns(given))
    assert np.array_equal(rows, slowly_encoded(frame, fill), equal_nan=True)
    names = [feature.name for feature in encoding.features]
    assert [name for name in names if name.endswith("is missing")] == [
        *["age is missing"] * fill,
        *(f"{column} is missing" for column in ("colour", "sex", "smoker", "grade")),
    ]
    assert encoding.features[0].has_missing is not fill
    assert encoding_from_dict(json.loads(json.dumps(encoding.to_dict()))) == encoding


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, Decimal("nan")], ids=repr)
def test_all_ways_to_write_a_missing_value_are_one(missing):
    frame = FRAME.astype({"age": object, "colour": object})
    frame.loc[[3, 5], ["age", "colour"]] = missing
    expected = FRAME.astype({"age": object, "colour": object})
    expected.loc[[3, 5], ["age", "colour"]] = None
    found, wanted = (learn_encoding(read_columns(given)) for given in (frame, expected))
    assert found == wanted
    assert np.array_equal(
        found.encode(read_columns(frame)), wanted.encode(read_columns(expected)), equal_nan=True
    )


@pytest.mark.parametrize("name", ["Int64", "Float64", "UInt8", "boolean", "string", "category"])
def test_nullable_types_of_pandas_are_read(name):
    values = {"boolean": [True, None, False], "string": ["a", None, "b"]}.get(name, [1, None, 2])
    frame = pd.DataFrame({"x": pd.Series(values, dtype=name), "other": ["u", "v", "u"]})
    encoding = learn_encoding(read_columns(frame))
    kind = {"boolean": "boolean", "string": "category", "category": "category"}.get(name, "number")
    assert (encoding.columns[0].kind, encoding.columns[0].has_missing) == (kind, True)
    assert encoding.encode(read_columns(frame)).shape[0] == 3


def test_polars_frames_with_nulls_are_read_as_pandas_frames():
    polars = pytest.importorskip("polars")
    frame = with_holes().drop(columns="grade")
    other = polars.DataFrame({name: frame[name].tolist() for name in frame})
    model, twin = fitted(other), fitted(frame)
    assert model.encoding_ == twin.encoding_
    assert np.array_equal(model.encode(other), twin.encode(frame), equal_nan=True)
    assert np.array_equal(model.predict(other), twin.predict(frame))


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, lambda X: X.astype(object)])
def test_plain_numbers_take_the_median_and_an_indicator_in_sums(kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    X[random.random(80) < 0.2, 1] = np.nan
    labels = np.where(np.isnan(X[:, 1]), 1, X[:, 0] > 0)
    model = fitted(kind(X), labels, split="multivariate")
    filled = SimpleImputer(strategy="median", add_indicator=True).fit_transform(X)
    assert np.array_equal(model.encode(kind(X)), filled[:, [0, 1, 3, 2]])
    assert [feature.name for feature in model.metadata_.features][2].endswith("1 is missing")
    assert model.n_features_in_ == 3
    assert oddlearn.verify(oddlearn.from_json(model.to_json()), kind(X), labels).objective == model.objective_
    hole = X[:5].copy()
    hole[0, 0] = np.nan  # a column that had none
    assert model.encode(kind(hole))[0, 0] == np.median(X[:, 0])


@pytest.mark.parametrize(
    "kind", [np.asarray, pd.DataFrame, lambda X: X.astype(object), csr_array, coo_matrix]
)
def test_plain_numbers_keep_nan_for_thresholds(kind):
    random = np.random.default_rng(0)
    X = random.integers(0, 3, size=(80, 3)).astype(float)
    X[random.random(80) < 0.2, 1] = np.nan
    labels = np.where(np.isnan(X[:, 1]), 1, X[:, 0] > 0)
    model = fitted(kind(X), labels)
    assert model.score(kind(X), labels) == 1.0
    assert np.array_equal(model.encode(kind(X)), X, equal_nan=True)
    assert [feature.has_missing for feature in model.metadata_.features] == [False, True, False]
    assert oddlearn.from_json(model.to_json()).score(kind(X), labels) == 1.0


def test_a_sparse_table_is_a_dense_one():
    X = np.random.default_rng(0).integers(0, 3, size=(60, 4)).astype(float)
    labels = X[:, 2] > 1
    assert fitted(csr_array(X), labels).diagram_ == fitted(X, labels).diagram_
    grid = OptimalDecisionDiagramClassifierCV(("1",), (0.1,), max_iter=5, cv=2, random_state=0)
    assert grid.fit(csr_array(X), labels).score(csr_array(X), labels) == 1.0


def test_a_column_that_the_diagram_does_not_ask_about_may_be_absent_or_missing():
    model = fitted(FRAME, skeleton="1")
    unasked = [name for place, name in enumerate(FRAME) if place not in needed_columns(model)]
    assert unasked
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for table in (FRAME.drop(columns=unasked), FRAME.assign(**dict.fromkeys(unasked))):
            assert np.array_equal(model.predict(table), model.predict(FRAME))
    columns = read_columns(FRAME.drop(columns=unasked)).columns
    assert np.array_equal(model.predict(ColumnTable(columns)), model.predict(FRAME))
    asked = [name for name in FRAME if name not in unasked]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(FRAME.drop(columns=asked[0]))


def test_numbers_that_the_diagram_does_not_ask_about_may_be_absent():
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.tile([1.0, 2.0], 20)})
    model = fitted(X, X.a > 20)
    assert np.array_equal(model.predict(X[["a"]]), X.a > 20)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["b"]])


def test_a_category_that_was_never_missing_is_unknown_when_it_is():
    encoding = learn_encoding(read_columns(FRAME))
    hole = FRAME.astype({"colour": object, "smoker": object})
    hole.loc[0, ["colour", "smoker"]] = None
    with pytest.warns(UnknownCategoryWarning, match=r"in colour \(missing\), smoker \(missing\)"):
        row = encoding.encode(read_columns(hole))[0]
    assert row[1:4].tolist() == [0, 0, 0]
    assert row[5] == 0


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_a_column_that_is_all_missing_is_warned_of_and_never_used(split):
    for empty in (np.nan, None, pd.NaT):
        frame = FRAME.assign(empty=empty)
        with pytest.warns(MissingColumnWarning, match="All values are missing in empty: no split uses"):
            model = fitted(frame, split=split)
        assert 5 not in needed_columns(model)
        assert np.array_equal(model.predict(frame.assign(empty="anything")), model.predict(frame))
        assert oddlearn.from_json(model.to_json()).encoding_ == model.encoding_
    X = np.column_stack([np.full(120, np.nan), FRAME.age])
    with pytest.warns(MissingColumnWarning, match="missing in x0"):
        assert 0 not in needed_columns(fitted(X, split=split))


def test_a_class_whose_rows_are_all_missing_is_learned():
    X = np.where(np.arange(60)[:, None] < 20, np.nan, np.arange(60.0)[:, None])
    labels = np.where(np.arange(60) < 20, "none", np.where(np.arange(60) < 40, "low", "high"))
    assert fitted(X, labels).score(X, labels) == 1.0
    assert (
        fitted(pd.DataFrame({"x": X[:, 0], "text": "a"}), labels).score(
            pd.DataFrame({"x": X[:, 0], "text": "a"}), labels
        )
        == 1.0
    )


def test_infinity_is_still_refused_beside_missing_values():
    X = np.array([[1.0, np.nan], [np.inf, 2.0], [3.0, 1.0], [4.0, 0.0]])
    with pytest.raises(InvalidInputError, match=r"contains infinity .* Give finite numbers"):
        fitted(X, [0, 0, 1, 1])
    with pytest.raises(InvalidInputError, match="X contains infinity in the column a"):
        fitted(pd.DataFrame({"a": X[:, 0], "b": ["u", "v", "u", "v"]}), [0, 0, 1, 1])
