"""Lists on the command line."""

import argparse

import pytest

from oddlearn.cli.parser import parse_numbers, parse_skeletons
from tests.cli.commands import refused


@pytest.mark.parametrize("text", ["1-2,1-2-4", " 1-2 , 1-2-4 ", "1-2,,1-2-4,"])
def test_spaces_and_commas_too_many_change_no_list_of_skeletons(text):
    assert parse_skeletons(text) == ("1-2", "1-2-4")


@pytest.mark.parametrize("text", ["0.1,2", " 0.1 , 2 ", "0.1,,2,"])
def test_nor_a_list_of_numbers(text):
    assert parse_numbers(text) == (0.1, 2.0)


def test_a_skeleton_that_is_none_is_refused():
    with pytest.raises(argparse.ArgumentTypeError, match="1-x"):
        parse_skeletons("1-2,1-x")


@pytest.mark.parametrize("option", ["--split", "--exact"])
def test_a_word_that_is_no_choice_is_refused_with_the_choices(option, capsys):
    told = refused(capsys, "fit", "table.csv", "--target", "y", option, "oblique")
    assert f"{option}: invalid choice: 'oblique'" in told
