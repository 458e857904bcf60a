"""Parameters as JSON content and back, and content that nobody wrote."""

import numpy as np
import pytest

from oddlearn import DemographicParity, LocalSearch, MaxNodes, Milp, Skeleton
from oddlearn.errors import ModelFileError
from oddlearn.estimators.parameter_json import NOT_STORED, decode, encode

STORED = [
    None,
    True,
    3,
    0.5,
    "auto",
    [1, "a", None],
    (1, (2, 3)),
    {0: 1.0, "b": [2]},
    Skeleton((1, 2), tree_only=True),
    MaxNodes(3),
    LocalSearch(patience=7),
    Milp(solver="scip"),
]


@pytest.mark.parametrize("value", STORED, ids=repr)
def test_what_is_stored_comes_back(value):
    back = decode(encode(value), "estimator.a")
    assert back == value and type(back) is type(value)


def test_numbers_of_numpy_come_back_as_those_of_python():
    assert encode(np.int64(3)) == 3 and type(encode(np.float64(0.5))) is float


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "float64", "U3"])
def test_arrays_come_back_with_their_type(dtype):
    values = np.array([[0, 1], [1, 0]]).astype(dtype)
    back = decode(encode(values), "estimator.a")
    assert back.dtype == values.dtype and np.array_equal(back, values)


@pytest.mark.parametrize(
    "value",
    [
        float("inf"),
        float("nan"),
        np.float64("nan"),
        object(),
        [1, object()],
        {"a": {"b": object()}},
        np.array([1.0, np.inf]),
        np.array(["a", object()], dtype=object),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array([1 + 2j]),
        type("MyNodes", (MaxNodes,), {})(3),
        type("MySearch", (LocalSearch,), {})(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_cannot_hold_is_not_stored(value):
    assert encode(value) is NOT_STORED


def test_objects_that_are_numbers_are_stored_as_numbers():
    assert encode(np.array([[1, 2.5]], dtype=object))["items"] == [[1.0, 2.5]]


def test_an_option_that_cannot_be_stored_leaves_out_the_whole_constraint():
    constraint = MaxNodes(3)
    object.__setattr__(constraint, "nodes", object())
    assert encode(constraint) is NOT_STORED


def nested(depth):
    content = 1
    for _ in range(depth):
        content = {"kind": "list", "items": [content]}
    return content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], r"estimator\.a cannot be read"),
        ({"items": []}, r"estimator\.a"),
        ({"kind": "set", "items": [1]}, "is of an unknown kind 'set'"),
        ({"kind": "dict", "items": [1]}, "is not a dict"),
        ({"kind": "dict", "items": [{"kind": "list", "items": [1]}]}, "is not a dict"),
        ({"kind": "list", "items": 3}, "must be a list"),
        ({"kind": "ndarray", "type": "O", "items": [1]}, "is not an array of type 'O'"),
        ({"kind": "ndarray", "type": "<f8", "items": ["a"]}, "is not an array of type '<f8'"),
        ({"kind": "search", "name": "luck", "options": {}}, "asks for an unknown search 'luck'"),
        ({"kind": "search", "name": "local_search", "options": []}, "asks for an unknown search"),
        (
            {"kind": "search", "name": "local_search", "options": {"luck": 1}},
            "options unknown to 'local_search'",
        ),
        (
            {"kind": "search", "name": "construct", "options": {"restarts": -1}},
            "options unknown to 'construct'",
        ),
        ({"kind": "constraint", "name": "Luck", "options": {}}, "asks for an unknown constraint 'Luck'"),
        ({"kind": "constraint", "name": "MaxNodes", "options": {"nodes": -1}}, "holds no valid MaxNodes"),
        ({"kind": "constraint", "name": "MaxNodes", "options": {"luck": 1}}, "holds no valid MaxNodes"),
        (nested(6), "cannot be read"),
    ],
)
def test_content_that_nobody_wrote_is_refused(content, message):
    with pytest.raises(ModelFileError, match=message):
        decode(content, "estimator.a")


def test_content_nests_as_deep_as_is_written():
    assert decode(nested(4), "a") == [[[[1]]]]
    fairness = DemographicParity(difference=0.1, groups=["a", "b"])
    assert decode(encode([[fairness]]), "a") == [[fairness]]
