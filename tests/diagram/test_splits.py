import numpy as np
import pytest

from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit, split_from_dict
from oddlearn.errors import InvalidInputError, ModelFileError

X = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])


def test_a_key_equal_to_the_threshold_is_on_the_positive_side():
    assert UnivariateSplit(0, 0.5).side(X).tolist() == [False, True, True]
    assert MultivariateSplit(np.array([1.0, -1.0]), 0.0).side(X).tolist() == [False, True, True]


def test_float32_rows_are_compared_in_double_precision():
    rows = np.array([[0.1]], dtype=np.float32)  # a little more than 0.1
    assert UnivariateSplit(0, 0.1).side(rows).tolist() == [True]
    assert UnivariateSplit(0, 0.100000002).side(rows).tolist() == [False]


def test_a_rescaled_split_takes_the_same_sides_in_raw_units():
    offset, half_span = np.array([10.0, -3.0]), np.array([2.5, 50.0])
    raw = offset + 2 * half_span * X
    for split in (UnivariateSplit(1, 0.4), MultivariateSplit(np.array([0.3, -0.7]), 0.1)):
        assert np.array_equal(split.rescaled(offset, half_span).side(raw), split.side(X))


def test_splits_are_described_with_names():
    assert UnivariateSplit(1, 0.25).describe() == "x[1] >= 0.25"
    split = MultivariateSplit(np.array([0.5, -0.25]), 0.1)
    assert split.describe(["a", "b"]) == "0.5 a - 0.25 b >= 0.1"
    assert MultivariateSplit(np.zeros(2), 0.1).describe() == "0 >= 0.1"


def test_names_and_exponents_are_printed_as_they_are():
    assert MultivariateSplit([1e-7, -2e7], 1).describe() == "1e-07 x[0] - 20000000 x[1] >= 1"
    assert MultivariateSplit([-1e-7, 2e20], 1).describe() == "-1e-07 x[0] + 2e+20 x[1] >= 1"
    assert MultivariateSplit([-1.5, -2], -3).describe(["a+b", "c -d"]) == "-1.5 a+b - 2 c -d >= -3"


@pytest.mark.parametrize(
    ("threshold", "printed"),
    [
        (1700000123.5, "1700000123.5"),
        (1e9, "1000000000"),
        (0.1 + 0.2, "0.3"),
        ((4.9 + 5.0) / 2, "4.95"),
        (1 / 3, "0.333333333"),
        (-0.0, "0"),
        (1e300, "1e+300"),
        (-12345678.25, "-12345678.25"),
    ],
)
def test_thresholds_are_short_but_faithful(threshold, printed):
    assert UnivariateSplit(2, threshold).describe() == f"x[2] >= {printed}"


def test_a_printed_threshold_parts_whole_numbers_as_the_split_does():
    random = np.random.default_rng(0)
    for size in 10.0 ** np.arange(1, 16):
        low = np.floor(random.random() * size)
        printed = float(UnivariateSplit(0, low + 0.5).describe().split(">= ")[1])
        assert low < printed < low + 1


def test_splits_are_equal_by_value():
    assert MultivariateSplit(np.array([1.0, 2]), 1) == MultivariateSplit([1, 2], 1.0)
    assert len({UnivariateSplit(0, 1), UnivariateSplit(0, 1.0), MultivariateSplit([1.0], 1)}) == 2


@pytest.mark.parametrize("split", [UnivariateSplit(3, 0.1 + 0.2), MultivariateSplit([1 / 3, -2e-310], 1e300)])
def test_splits_survive_their_dictionary_exactly(split):
    assert split_from_dict(split.to_dict()) == split


@pytest.mark.parametrize("threshold", [np.nan, np.inf])
def test_thresholds_are_finite(threshold):
    with pytest.raises(InvalidInputError, match="finite"):
        UnivariateSplit(0, threshold)


@pytest.mark.parametrize(
    "document",
    [
        None,
        {"kind": "oblique", "threshold": 1.0},
        {"kind": "univariate", "feature": -1, "threshold": 1.0},
        {"kind": "univariate", "feature": True, "threshold": 1.0},
        {"kind": "univariate", "feature": 0, "threshold": float("nan")},
        {"kind": "univariate", "feature": 0, "threshold": 10**400},
        {"kind": "multivariate", "weights": [1.0, "2"], "threshold": 1.0},
        {"kind": "multivariate", "weights": 3, "threshold": 1.0},
    ],
)
def test_a_damaged_split_is_refused(document):
    with pytest.raises(ModelFileError, match="model file"):
        split_from_dict(document)
