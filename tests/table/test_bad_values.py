"""Values that cannot be used: a sentence that names the column and says what to do."""

import numpy as np
import pandas as pd
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import InvalidInputError

RANDOM = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RANDOM.normal(size=60),
        "visits": RANDOM.integers(0, 5, 60).astype(float),
        "joined": pd.Timestamp("2021-01-01") + pd.to_timedelta(RANDOM.integers(0, 300, 60), "D"),
    }
)
Y = np.where(X["age"] > 0, "yes", "no")


def model():
    return OptimalDecisionDiagramClassifier("1", max_iter=2, random_state=0)


def changed(**columns):
    frame = X.copy()
    for name, values in columns.items():
        frame[name] = values
    return frame


def test_infinity_in_a_table_of_numbers_is_named_by_column():
    numbers = changed(visits=np.where(np.arange(60) == 3, np.inf, 1.0))[["age", "visits"]]
    with pytest.raises(InvalidInputError, match=r"contains infinity .* in the column visits\. Give finite"):
        model().fit(numbers, Y)
    with pytest.raises(InvalidInputError, match=r"contains infinity .* in the column 1\. Give finite"):
        model().fit(numbers.to_numpy(), Y)


def test_text_in_place_of_numbers_is_shown():
    fitted = model().fit(X, Y)
    texts = X["age"].astype(str).where(np.arange(60) != 7, "unknown")
    with pytest.raises(InvalidInputError, match=r"held numbers .* text, such as 'unknown', now: give n"):
        fitted.predict(changed(age=texts))
    mixed = X["age"].astype(object).where(np.arange(60) != 7, "unknown")
    with pytest.raises(InvalidInputError, match=r"held numbers .* type float, str now: give numbers"):
        fitted.predict(changed(age=mixed))


def test_missing_labels_are_counted():
    labels = np.where(np.arange(60) < 2, None, Y)
    with pytest.raises(InvalidInputError, match="y holds 2 missing labels: leave these rows out"):
        model().fit(X, labels)


def test_a_class_whose_rows_are_all_missing_is_told_apart():
    numbers = X[["age", "visits"]].copy()
    numbers[Y == "no"] = np.nan
    fitted = OptimalDecisionDiagramClassifier("1", max_iter=20, random_state=0).fit(numbers, Y)
    assert fitted.score(numbers, Y) == 1.0


@pytest.mark.parametrize("columns", [["age", "visits"], ["age", "joined"]])
def test_missing_labels_are_to_be_left_out(columns):
    labels = np.where(np.arange(60) == 3, np.nan, Y == "yes")
    with pytest.raises(InvalidInputError, match="Input y contains NaN, missing labels: leave these rows out"):
        model().fit(X[columns], labels)


def test_a_dict_and_a_frame_without_columns_are_refused():
    with pytest.raises(InvalidInputError, match=r"X is a dict: give a frame, such as pandas\.DataFrame"):
        model().fit({"age": [1, 2]}, ["a", "b"])
    with pytest.raises(InvalidInputError, match="X is a frame without columns: give at least one"):
        model().fit(X[[]], Y)
    fitted = model().fit(X, Y)
    with pytest.raises(InvalidInputError, match="X is a dict"):
        fitted.predict({"age": [1], "visits": [2]})
