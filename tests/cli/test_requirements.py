"""Options for constraints: they become constraints, and invalid ones are refused in a sentence."""

import re

import pytest

from oddlearn import DemographicParity, MaxNodes, MinFlow
from oddlearn.cli.constraint_options import (
    CONSTRAINTS,
    any_compares_groups,
    build_constraints,
    check_constraint_options,
)
from oddlearn.cli.main import build_parser
from oddlearn.errors import InvalidInputError
from tests.cli.commands import QUICK, refused, run

FLAGS = {"min_flow": "0.1", "max_nodes": "4", "parity": "0.8", "opportunity": "0.9"}


def parse(*options):
    return build_parser().parse_args(["fit", "data.csv", "--target", "y", *options])


def test_every_constraint_has_a_flag():
    assert set(FLAGS) == set(CONSTRAINTS)


def test_the_options_become_constraints():
    given = parse(
        "--min-flow", "10", "--max-nodes", "4", "--sensitive", "sex", "--parity", "0.8", "--favourable", "1"
    )
    check_constraint_options(given)
    made = build_constraints(given, [0, 1])
    assert made == (MinFlow(samples=10), MaxNodes(nodes=4), DemographicParity(ratio=0.8, favourable=1))
    assert any_compares_groups(given)


def test_a_share_of_the_rows_is_a_float_and_a_count_is_not():
    assert isinstance(parse("--min-flow", "0.05").min_flow, float)
    assert isinstance(parse("--min-flow", "5").min_flow, int)


def test_groups_without_a_requirement_are_not_for_the_fit():
    assert not any_compares_groups(parse("--sensitive", "sex"))


@pytest.mark.parametrize("option", ["parity", "opportunity"])
def test_groups_must_be_named_before_the_file_is_read(capsys, option):
    with pytest.raises(InvalidInputError, match=f"--{option} compares groups"):
        check_constraint_options(parse(f"--{option}", "0.8"))
    check_constraint_options(parse("--sensitive", "sex", f"--{option}", "0.8"))
    sentence = refused(capsys, "fit", "absent.csv", "--target", "y", f"--{option}", "0.8")
    assert sentence == f"oddlearn: --{option} compares groups: name their column with --sensitive."


def test_a_favourable_label_that_is_no_class_is_refused():
    with pytest.raises(InvalidInputError, match="give one of the classes 'bad', 'good'"):
        build_constraints(parse("--favourable", "best"), ["bad", "good"])


def test_of_several_classes_the_favourable_one_must_be_named():
    with pytest.raises(InvalidInputError, match="--favourable LABEL, one of 'a', 'b', 'c'"):
        build_constraints(parse("--sensitive", "sex", "--parity", "0.8"), ["a", "b", "c"])


@pytest.mark.parametrize("favourable", ["yes", "no"])
def test_the_report_compares_the_favourable_class_without_a_requirement(capsys, table, tmp_path, favourable):
    options = ("--target", "approved", "--sensitive", "owner", "--favourable", favourable)
    assert run(capsys, "fit", table, *options, "--output", tmp_path, *QUICK)[0] == 0
    page = (tmp_path / "report.html").read_text()
    found = re.findall(r"<caption>Rates of “(\w+)” by owner, training samples<", page)
    assert found == [favourable]
