import numpy as np
import pytest

from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.view.conditions import class_name, condition_text
from oddlearn.view.number_text import number_text
from oddlearn.view.rounding import round_split
from tests.export.examples import people_notes

PEOPLE = people_notes(2)


@pytest.mark.parametrize(
    ("feature", "threshold", "positive", "negative"),
    [
        (0, 43.5, "age >= 43.5", "age < 43.5"),
        (1, 0.5, "colour = red", "colour is not red"),
        (1, 1.0, "colour = red", "colour is not red"),
        (3, 0.5, "smoker is true", "smoker is false"),
        # a threshold that every category reaches is no question about red
        (1, 0.0, "[colour = red] >= 0", "[colour = red] < 0"),
    ],
)
def test_each_kind_of_feature_reads_in_its_own_words(feature, threshold, positive, negative):
    split = UnivariateSplit(feature, threshold)
    assert [condition_text(split, PEOPLE, side) for side in (1, 0)] == [positive, negative]


LACKING = ModelMetadata(
    ("age", "pay", "since"),
    (0, 1),
    np.zeros((2, 2)),
    (Feature("age", has_missing=True), Feature("pay"), Feature("since", kind="date", has_missing=True)),
)


@pytest.mark.parametrize(
    ("split", "positive", "negative"),
    [
        (UnivariateSplit(0, 41.0, True), "age >= 41 or missing", "age < 41"),
        (UnivariateSplit(0, 41.0), "age >= 41", "age < 41 or missing"),
        (UnivariateSplit.is_missing(0), "age is missing", "age is not missing"),
        (UnivariateSplit.is_missing(0, positive=False), "age is not missing", "age is missing"),
        # no value was missing in training
        (UnivariateSplit(1, 41.0, True), "pay >= 41", "pay < 41"),
        (UnivariateSplit(2, 18628.0, True), "since >= 2021-01-01 or missing", "since < 2021-01-01"),
        (UnivariateSplit.is_missing(2), "since is missing", "since is not missing"),
    ],
)
@pytest.mark.parametrize("rows", [None, np.full((3, 3), np.nan), np.array([[41.0] * 3, [20000.0] * 3])])
def test_the_side_of_missing_values_is_named_where_there_were_any(split, positive, negative, rows):
    rounded = round_split(split, rows, metadata=LACKING)
    assert [condition_text(rounded, LACKING, side) for side in (1, 0)] == [positive, negative]


def weighted(*weights, threshold=4.25):
    return MultivariateSplit(np.array(weights), threshold)


def test_a_sum_has_its_largest_weight_first():
    split = weighted(0.25, 0.5, 0, -1)
    assert condition_text(split, PEOPLE, 1) == "smoker - 0.5 [colour = red] - 0.25 age <= -4.25"
    assert condition_text(split, PEOPLE, 0) == "smoker - 0.5 [colour = red] - 0.25 age > -4.25"
    assert condition_text(weighted(2, 0, 0, 1), PEOPLE, 1) == "2 age + smoker >= 4.25"


def test_terms_beyond_the_most_are_counted():
    split = weighted(4, 3, 2, 1)
    assert condition_text(split, PEOPLE, max_terms=2) == "4 age + 3 [colour = red] + 2 smaller terms >= 4.25"
    assert condition_text(split, PEOPLE, max_terms=3).endswith("+ 1 smaller term >= 4.25")
    assert "smaller" not in condition_text(split, PEOPLE, max_terms=4)


def test_a_sum_of_one_category_reads_as_that_category():
    assert condition_text(weighted(0, -2, 0, 0, threshold=-1.0), PEOPLE, 1) == "colour is not red"
    assert condition_text(weighted(0, -2, 0, 0, threshold=-1.0), PEOPLE, 0) == "colour = red"


def test_rounded_numbers_are_marked():
    rounded = [round_split(UnivariateSplit(0, threshold), digits=3) for threshold in (43.56789, 43.5)]
    assert [condition_text(one, PEOPLE) for one in rounded] == ["about age >= 43.6", "age >= 43.5"]


def test_rows_make_numbers_short():
    rows = np.array([[43.1, 0, 0, 0], [44.2, 0, 0, 0]])
    assert condition_text(round_split(UnivariateSplit(0, 43.65001), rows), PEOPLE) == "age >= 43.7"


def test_names_that_look_like_numbers_are_quoted_and_line_breaks_are_taken_out():
    metadata = ModelMetadata(("2", "two\n lines"), ("a\nb", "c"), np.zeros((2, 2)))
    assert condition_text(weighted(2, 1), metadata) == '2 "2" + two lines >= 4.25'
    assert class_name(metadata, 0) == "a b"


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-300, -2.5, 1e22, 3.0, 1 / 3, 123456789.125, 5e-324, 1e-5])
def test_a_number_reads_back_as_itself(value):
    assert float(number_text(value)) == value


def test_plain_numbers_have_no_needless_signs():
    assert [number_text(value) for value in (3.0, -0.0, 0.5, 100000.0)] == ["3", "0", "0.5", "100000"]
