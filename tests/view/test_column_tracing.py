"""Columns through the transformers of scikit-learn, against what these compute."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from oddlearn.diagram.features import Feature
from oddlearn.view.column_tracing import TracedFeature, Tracer, _places, keep_outputs

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 3)) * [1.0, 50.0, 0.01] + [3.0, -20.0, 0.5]


def columns(count=3):
    return [TracedFeature(Feature(name)) for name in "abcdef"[:count]]


@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(),
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
        MinMaxScaler(),
        MinMaxScaler(feature_range=(-2, 5)),
        MaxAbsScaler(),
        RobustScaler(),
        RobustScaler(with_centering=False),
        RobustScaler(with_scaling=False),
    ],
    ids=str,
)
def test_a_scaled_column_is_traced_back_to_its_raw_values(scaler):
    scaled = scaler.fit_transform(X)
    traced = Tracer().trace(scaler, columns())
    twice = Tracer().trace(MinMaxScaler(feature_range=(3, 9)).fit(scaled), traced)
    again = MinMaxScaler(feature_range=(3, 9)).fit_transform(scaled)
    for place in range(3):
        one, two = traced[place], twice[place]
        np.testing.assert_allclose(one.scale * scaled[:, place] + one.offset, X[:, place])
        np.testing.assert_allclose(two.scale * again[:, place] + two.offset, X[:, place])
        assert one.feature.column == "abc"[place] and not one.reason


def test_filled_values_are_those_of_the_raw_column():
    holes = X.copy()
    holes[::4, 0] = np.nan
    scaler = StandardScaler().fit(holes)
    scaled = scaler.transform(holes)
    scaled[:, 1] = np.nan
    before = Tracer().trace(scaler, columns())
    for keep in (False, True):
        imputer = SimpleImputer(add_indicator=True, keep_empty_features=keep)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the column without values
            n_outputs = imputer.fit_transform(scaled).shape[1]
        traced = Tracer().trace(imputer, before)
        assert len(traced) == n_outputs
        kept = [one.feature.column for one in traced if one.feature.kind == "number"]
        assert kept == (["a", "b", "c"] if keep else ["a", "c"])
        assert traced[0].feature.has_missing
        assert traced[0].feature.fill == pytest.approx(np.nanmean(holes[:, 0]))
        missing = [one.feature.column for one in traced if one.feature.kind == "missing"]
        assert missing == ["a", "b"]
    text = SimpleImputer(strategy="most_frequent").fit(np.array([["u"], ["u"], ["v"]], dtype=object))
    (one,) = Tracer().trace(text, columns(1))
    assert one.feature.has_missing and one.feature.fill is None


def describe(traced):
    return [(one.feature.column, one.feature.kind, one.feature.category) for one in traced]


def test_categories_are_traced_to_their_column():
    table = pd.DataFrame({"a": ["x", "y", "z", "z"], "b": ["u", None, "v", "v"]})
    tracer = Tracer()
    traced = tracer.trace(OneHotEncoder().fit(table), columns(2))
    assert describe(traced) == [
        ("a", "category", "x"),
        ("a", "category", "y"),
        ("a", "category", "z"),
        ("b", "category", "u"),
        ("b", "category", "v"),
        ("b", "missing", None),
    ]
    assert tracer.categories == {"a": ["x", "y", "z"], "b": ["u", "v"]}
    dropped = Tracer().trace(OneHotEncoder(drop="first").fit(table), columns(2))
    assert describe(dropped) == [*describe(traced)[1:3], *describe(traced)[4:]]
    pooled = Tracer().trace(OneHotEncoder(min_frequency=2).fit(table[["a"]]), columns(1))
    assert describe(pooled) == [("a", "category", "z"), ("a", "other", None)]


def test_what_cannot_be_told_of_a_category_is_left_with_a_reason():
    table = pd.DataFrame({"a": ["x", "y", "z", "z"]})
    encoder = OneHotEncoder(min_frequency=2, drop="first").fit(table)
    assert all("OneHotEncoder" in one.reason for one in Tracer().trace(encoder, columns(1)))
    numbers = pd.DataFrame({"a": [0.0, 1.0, 2.0]})
    scaled = Tracer().trace(StandardScaler().fit(numbers), columns(1))
    assert all(one.reason for one in Tracer().trace(OneHotEncoder().fit(numbers), scaled))


def test_ordinal_codes_are_listed():
    table = pd.DataFrame({"a": ["x", "y", "z"]})
    (one,) = Tracer().trace(OrdinalEncoder().fit(table), columns(1))
    assert one.feature.column == "a (x = 0, y = 1, z = 2)"


def test_a_column_transformer_puts_every_part_in_its_place():
    frame = pd.DataFrame(X, columns=list("abc"))
    parts = [
        ("scaled", StandardScaler(), ["c"]),
        ("gone", "drop", ["b"]),
        ("none", StandardScaler(), []),
        ("squares", PolynomialFeatures(include_bias=False), ["a"]),
    ]
    for remainder in ("passthrough", "drop"):
        transformer = ColumnTransformer(parts, remainder=remainder).fit(frame)
        traced = Tracer().trace(transformer, columns())
        assert len(traced) == transformer.transform(frame).shape[1]
        assert traced[0].feature.column == "c" and traced[0].scale == pytest.approx(frame["c"].std(ddof=0))
        assert [bool(one.reason) for one in traced] == [False, True, True]


def test_columns_that_no_part_takes_pass_through_or_are_dropped():
    frame = pd.DataFrame(X, columns=list("abc"))
    rest = ColumnTransformer([("gone", "drop", ["b"])], remainder="passthrough").fit(frame)
    assert [one.feature.column for one in Tracer().trace(rest, columns())] == ["a", "c"]


def test_functions_are_traced_if_they_do_nothing():
    same, other = FunctionTransformer().fit(X), FunctionTransformer(np.log1p).fit(np.abs(X))
    assert Tracer().trace(same, columns()) == columns()
    assert all("FunctionTransformer" in one.reason for one in Tracer().trace(other, columns()))


class Silent:
    """A transformer that does not name its outputs."""


class Stubborn:
    """A transformer that knows its own input names only."""

    def get_feature_names_out(self, names=None):
        if names is not None:
            raise ValueError("other names")
        return np.array(["p", "q"])


def test_outputs_have_the_names_of_their_transformer():
    assert [one.feature.name for one in keep_outputs(Silent(), columns(2))] == ["silent0", "silent1"]
    assert [one.feature.name for one in keep_outputs(Stubborn(), columns(3))] == ["p", "q"]
    assert [one.feature.name for one in keep_outputs(Stubborn(), columns(3), 1)] == ["stubborn0"]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("b", [1]),
        (["c", "a"], [2, 0]),
        ([], []),
        (slice(1, 3), [1, 2]),
        ([2, 0], [2, 0]),
        ([-1], [2]),
        ([True, False, True], [0, 2]),
        (np.array([False, True, False]), [1]),
    ],
)
def test_columns_are_chosen_as_scikit_learn_does(chosen, expected):
    assert _places(chosen, ["a", "b", "c"]) == expected


def test_outputs_of_parts_that_are_not_known_have_a_reason_each():
    spans = {"scaled": slice(0, 2), "others": slice(2, 5)}
    parts = [("scaled", "passthrough", ["a", "b"])]
    transformer = SimpleNamespace(transformers_=parts, output_indices_=spans)
    traced = Tracer()._column_transformer(transformer, columns())
    assert [bool(one.reason) for one in traced] == [False, False, True, True, True]
