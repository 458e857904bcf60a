"""A row of a file is a result only if a trial could have come to it."""

import random

import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.study.result_rows import COLUMNS, parse_row, sort_results, to_row
from tests.study.examples import SHARED, chance_grid, result


def test_rows_of_values_and_of_texts_are_the_same_result():
    for one in chance_grid(["iris"], seeds=(1,), kept=0.2):
        row = to_row(one)
        numbers = [int(value) if isinstance(value, bool) else value for value in row]
        assert parse_row(row) == parse_row(list(map(str, row))) == parse_row(numbers) == one


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("dataset", "irises", "There is no data set 'irises' (did you mean 'iris'?): "),
        ("seed", "1.0", "seed is '1.0', and not a whole number"),
        ("seed", 1.5, "seed is 1.5, and not a whole number"),
        ("is_tree", "yes", "is_tree is 'yes', and not True or False"),
        ("alpha", "", "alpha is '', and not a number"),
        ("alpha", None, "alpha is None, and not a number"),
        ("is_optimal", "yes", "is_optimal is 'yes', and not True or False"),
        ("is_optimal", 2, "is_optimal is 2, and not True or False"),
        ("objective", "nan", "objective is nan, and not a number from 0 on."),
        ("objective", "-0.1", "objective is -0.1, and not a number from 0 on."),
        ("lower_bound", "-inf", "lower_bound is -inf, and not a finite number."),
        ("training", "-1e-9", "training is -1e-09, and not an accuracy from 0 to 1."),
        ("validation", "inf", "validation is inf, and not an accuracy from 0 to 1."),
        ("test", "nan", "test is nan, and not an accuracy from 0 to 1."),
        ("test", "75", "test is 75.0, and not an accuracy from 0 to 1."),
        ("fit_seconds", "inf", "fit_seconds is inf, and not seconds from 0 on."),
        ("iterations", "-1", "iterations is -1, and not a whole number from 0 on."),
        ("n_nodes", "-3", "n_nodes is -3, and not a whole number from 0 on."),
        ("n_nodes", "4", "n_nodes is 4, and flows has 3"),
        ("flows", SHARED, "n_nodes is 3, and flows has 4"),
        ("flows", "junk", "flows is 'junk', and not nodes such as 0:1:c0:80 with spaces between"),
        ("flows", "0:1:2:80 1:c0:c3:30 1:c1:c0:50", "flows has a class 3, and the data have 3 classes"),
        ("skeleton", "1-1-1", "flows does not fit the skeleton 1-1-1"),
    ],
)
def test_a_value_that_no_trial_comes_to_is_told(name, value, sentence):
    row = list(to_row(result()))
    row[COLUMNS.index(name)] = value
    with pytest.raises(ValueError) as told:
        parse_row(row)
    assert str(told.value).startswith(sentence)


def test_a_tree_has_no_shared_node():
    row = to_row(result(flows=SHARED, n_nodes=4, is_tree=True))
    with pytest.raises(ValueError, match="two arcs to one node, and the trial is about trees"):
        parse_row(row)


def test_a_row_that_is_too_short_or_too_long_is_told():
    row = to_row(result())
    for given in (row[:-1], (*row, 1), ()):
        with pytest.raises(ValueError, match=f"^{len(given)} fields, and {len(COLUMNS)} are expected$"):
            parse_row(given)


def test_results_are_put_in_order_as_trials_are():
    results = chance_grid(["wine", "iris"], seeds=(1, 2), kept=0.2)
    random.Random(1).shuffle(results)
    assert sort_results(results) == sorted(results, key=lambda one: one.trial)
    assert sort_results([]) == []


def test_a_trial_counts_once():
    with pytest.raises(InvalidInputError) as told:
        sort_results([result(), result("wine"), result(seconds=1, test=0.1)])
    expected = "A trial occurs twice: iris, seed 1, univariate ODD 1-2-4-8, alpha 0.1, auto, 1 s."
    assert str(told.value) == expected
