"""Lists on the command line."""

import argparse

import pytest

from oddlearn.cli.parser import parse_depth, parse_numbers, parse_skeletons
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


@pytest.mark.parametrize("option", ["--max-nodes", "--jobs", "--max-terms"])
def test_what_is_no_whole_number_is_said_to_be_none(option, capsys):
    assert f"{option}: '1.5' is not a whole number." in refused(
        capsys, "fit", "table.csv", "--target", "y", option, "1.5"
    )


@pytest.mark.parametrize("option", ["--epsilon", "--alpha", "--node-price", "--parity"])
def test_what_is_no_number_is_said_to_be_none(option, capsys):
    assert f"{option}: 'x' is not a number." in refused(
        capsys, "fit", "table.csv", "--target", "y", option, "x"
    )


def test_the_depth_of_a_tree_is_a_whole_number_or_none(capsys):
    assert (parse_depth("3"), parse_depth("None")) == (3, "none")
    told = refused(capsys, "fit", "table.csv", "--target", "y", "--tree", "0")
    assert "--tree: '0' is not a depth: give 1 or more, or none." in told


@pytest.mark.parametrize("command", ["show model.json", "paper tables", "paper run"])
def test_what_no_command_knows_points_to_the_help_of_the_whole_command(command, capsys):
    given = command.split()
    name = " ".join(word for word in given if "." not in word)
    assert refused(capsys, *given, "--nonsense").endswith(f"See 'oddlearn {name} --help'.")
