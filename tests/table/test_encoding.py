import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from oddlearn.errors import InvalidInputError, ModelFileError, UnknownCategoryWarning
from oddlearn.table.column_table import ColumnTable, RawColumn, is_table, read_columns
from oddlearn.table.encoded_column import EncodedColumn
from oddlearn.table.encoding import (
    Encoding,
    encoding_from_dict,
    learn_encoding,
    learn_number_encoding,
)
from tests.table.people import FEATURES, people, slowly_encoded

STORED = EncodedColumn("a", "number").to_dict()


def learned(frame):
    return learn_encoding(read_columns(frame))


def test_an_encoded_table_is_the_obvious_one():
    frame, _ = people()
    encoding = learned(frame)
    assert np.array_equal(encoding.encode(read_columns(frame)), slowly_encoded(frame))
    assert [feature.name for feature in encoding.features] == FEATURES
    kinds = [feature.kind for feature in encoding.features]
    assert kinds == ["number"] + ["category"] * 4 + ["boolean"] + ["category"] * 4


def test_two_categories_need_one_feature_and_one_category_has_one():
    encoding = learned(pd.DataFrame({"sex": ["m", "f", "m"], "country": ["fi"] * 3}))
    assert [feature.name for feature in encoding.features] == ["sex = m", "country = fi"]
    table = read_columns(pd.DataFrame({"sex": ["m", "f", "m"], "country": ["fi"] * 3}))
    assert encoding.encode(table).tolist() == [[1, 1], [0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series([1, 2, 3]), "number"),
        (pd.Series([1, 2, 3], dtype="Int64"), "number"),
        (pd.Series([1, 2.5, True], dtype=object), "number"),
        (pd.Series([Decimal("1.5"), Decimal(2), Decimal(3)]), "number"),
        (pd.Series([True, False, True]), "boolean"),
        (pd.Series([True, False, True], dtype="boolean"), "boolean"),
        (pd.Series([True, False, True], dtype=object), "boolean"),
        (pd.Series([True, False, True], dtype="category"), "boolean"),
        (pd.Series(["a", "b", "a"]), "category"),
        (pd.Series(["a", "b", "a"], dtype=object), "category"),
        (pd.Series(["a", "b", "a"], dtype="string"), "category"),
        (pd.Series(["a", "b", "a"], dtype="category"), "category"),
        (pd.Series([3, 1, 3], dtype="category"), "category"),
        (pd.Series(["1", "2", "1"]), "category"),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_a_column_is_what_its_values_are(column, kind):
    assert learned(pd.DataFrame({"x": column, "other": ["u", "v", "w"]})).columns[0].kind == kind


def test_categories_are_sorted_whatever_the_order_of_rows_and_of_the_type():
    ordered = pd.Categorical(["low", "high", "low"], categories=["low", "high", "never"], ordered=True)
    assert learned(pd.DataFrame({"x": ordered})).columns[0].categories == ("high", "low")


def test_numbers_alone_are_left_to_numpy():
    assert not is_table(np.zeros((2, 2)))
    assert not is_table(pd.DataFrame({"a": [1.0, 2.0], "b": pd.array([1, 2], dtype="Int64")}))
    assert is_table(pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]}))
    assert is_table(ColumnTable.from_mapping({"a": [1.0, 2.0]}))


def test_an_unknown_category_is_none_of_the_known_ones_and_is_warned_of():
    frame, _ = people()
    encoding = learned(frame)
    strange = frame.head(2).assign(colour=["violet", "red"], sex=["x", "m"])
    with pytest.warns(UnknownCategoryWarning, match=r"in colour \('violet'\), sex \('x'\)"):
        rows = encoding.encode(read_columns(strange))
    assert rows[:, 1:5].tolist() == [[0, 0, 0, 0], [0, 0, 1, 1]]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([f"person {place}" for place in range(20)], "20 different values in 20 rows, such as 'person 0'"),
        (pd.period_range("2020", periods=20, freq="D"), "odd holds values of type Period"),
        (pd.cut(np.arange(20), 3), "odd holds values of type Interval: give .*astype"),
        (["a", 1] * 10, "odd holds values of type int, str: give numbers only"),
        (["a", True] * 10, "odd holds values of type bool, str"),
        ([[1]] * 20, "odd holds values of type list"),
        ([b"a"] * 20, "odd holds values of type bytes"),
        ([1j] * 20, "odd holds values of type complex"),
        ([np.inf] * 20, "X contains infinity in the column odd"),
        (pd.Series([10**400] * 20, dtype=object), "odd holds numbers beyond 1e308"),
    ],
)
def test_a_column_that_is_no_feature_is_refused(column, message):
    frame = people(20)[0].assign(odd=column)
    with pytest.raises(InvalidInputError, match=message):
        learned(frame).encode(read_columns(frame))


def test_columns_of_one_name_are_refused():
    frame = people(20)[0]
    with pytest.raises(InvalidInputError, match="more than one column called age: rename or leave out"):
        read_columns(pd.concat([frame, frame[["age"]]], axis=1))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"age": "old"}, "age held numbers .* holds text, such as .old., now: give numbers"),
        ({"age": pd.Timestamp("2020")}, "age held numbers .* holds times now"),
        ({"smoker": 2}, "smoker held booleans .* numbers other than 0 and 1"),
        ({"smoker": "yes"}, "smoker held booleans .* holds text, such as .yes., now"),
    ],
)
def test_a_column_that_changed_its_kind_is_refused(column, message):
    frame, _ = people(20)
    with pytest.raises(InvalidInputError, match=message):
        learned(frame).encode(read_columns(frame.assign(**column)))


def test_lists_among_categories_are_refused():
    frame, _ = people(20)
    with pytest.raises(InvalidInputError, match=r"colour held categories .* lists or other containers"):
        learned(frame).encode(read_columns(frame.assign(colour=[["red"]] * 20)))


def test_zeros_and_ones_are_booleans_where_booleans_were():
    frame, _ = people(20)
    encoding = learned(frame)
    same = encoding.encode(read_columns(frame.assign(smoker=frame.smoker.astype(int))))
    assert np.array_equal(same, encoding.encode(read_columns(frame)))


def test_an_encoding_survives_json():
    for frame in (people()[0], pd.DataFrame([["a", 1.5, True], ["b", 2.5, False]])):
        encoding = learned(frame)
        assert encoding_from_dict(json.loads(json.dumps(encoding.to_dict()))) == encoding


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": {}}, "columns must be a list"),
        ({"columns": [{"name": "a", "kind": "colour", "categories": []}]}, "kind is 'colour'"),
        ({"columns": [{**STORED, "kind": "category", "categories": [None]}]}, "not a label"),
        ({"columns": [{**STORED, "name": 1}]}, "must be text"),
        ({"columns": [{**STORED, "n_pooled": 0.5}]}, "n_pooled"),
        ({"columns": [{**STORED, "has_missing": 0}]}, "must be true or false"),
        ({"columns": [{**STORED, "fill": "3"}]}, "fill"),
        ({"has_names": 1}, "must be true or false"),
    ],
)
def test_a_damaged_encoding_is_refused(change, message):
    document = {**Encoding((EncodedColumn("a", "number"),)).to_dict(), **change}
    with pytest.raises(ModelFileError, match=message):
        encoding_from_dict(document)


def test_columns_side_by_side_are_a_table():
    table = ColumnTable.from_mapping({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    assert (table.shape, len(table), table.names) == ((3, 2), 3, ("a", "b"))
    assert table.rows(np.array([2, 0])).columns[1].values.tolist() == ["x", "x"]
    with pytest.raises(InvalidInputError, match="equal length"):
        ColumnTable.from_mapping({"a": [1, 2, 3], "b": ["x"]})
    with pytest.raises(InvalidInputError, match="b has 2 dimensions"):
        ColumnTable.from_mapping({"b": [["x"]]})


@pytest.mark.parametrize("names", [None, ["b", "a"]])
def test_an_encoding_of_numbers_knows_whether_its_columns_have_names(names):
    rows = np.array([[1.0, np.nan], [3.0, 4.0], [8.0, 6.0]])
    encoding = learn_number_encoding(rows, names, fill=True)
    assert encoding.has_names == (names is not None)
    assert [column.name for column in encoding.columns] == (names or ["x0", "x1"])
    assert [column.has_missing for column in encoding.columns] == [False, True]
    assert [column.fill for column in encoding.columns] == [3.0, 5.0]
    assert [column.fill for column in learn_number_encoding(rows, names, fill=False).columns] == [None, None]
    assert learn_number_encoding(rows[1:], names, fill=False) is None


def test_lists_among_pooled_categories_are_refused():
    column = EncodedColumn("colour", "category", ("blue", "red"), 2)
    words = np.array(["red", "green", None, "blue"], dtype=object)
    assert column.encode(RawColumn("colour", words)).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
    lists = np.empty(1, dtype=object)
    lists[0] = ["red"]
    with pytest.raises(InvalidInputError, match=r"held categories .* lists or other containers"):
        column.encode(RawColumn("colour", lists))


@pytest.mark.parametrize("given", [np.array([1.0, 2.0]), np.zeros((2, 2, 2)), ["a", "b"]])
def test_a_table_has_rows_and_columns(given):
    with pytest.raises(InvalidInputError, match="Expected 2D array, got"):
        read_columns(given)
