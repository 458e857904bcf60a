"""Constraints by options: who must name the favourable class."""

from argparse import Namespace

import pytest

from oddlearn.cli.constraint_options import build_constraints
from oddlearn.constraints import DemographicParity, MaxNodes, MinFlow
from oddlearn.errors import InvalidInputError


def options(**given):
    names = ("min_flow", "max_nodes", "parity", "opportunity", "favourable")
    return Namespace(**{**dict.fromkeys(names), **given})


def test_limits_need_no_favourable_class_whatever_the_number_of_classes():
    given = options(min_flow=5, max_nodes=3)
    for classes in (["a", "b"], ["a", "b", "c"]):
        assert build_constraints(given, classes) == (MinFlow(5), MaxNodes(3))


def test_of_two_classes_the_favourable_one_need_not_be_named_and_of_three_it_must():
    given = options(parity=0.8)
    assert build_constraints(given, ["a", "b"]) == (DemographicParity(0.8),)
    with pytest.raises(InvalidInputError, match="there are 3 classes: name it with --favourable"):
        build_constraints(given, ["a", "b", "c"])
    named = build_constraints(options(parity=0.8, favourable="b"), ["a", "b", "c"])
    assert named == (DemographicParity(0.8, favourable="b"),)
