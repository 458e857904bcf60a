"""Constraints by options: those this build has are made and handed on, others are refused in a sentence."""

import re
from dataclasses import dataclass
from typing import Any

import pytest

import oddlearn
from oddlearn.cli.constraint_options import CONSTRAINTS, check_requirements, constraints_of, groups_to_compare
from oddlearn.cli.main import parser
from oddlearn.errors import InvalidInputError, UnsupportedError
from tests.cli.commands import QUICK, refused, run

FLAGS = {"min_flow": "0.1", "max_nodes": "4", "parity": "0.8", "opportunity": "0.9"}


@dataclass(frozen=True)
class Demand:
    """Stands in for a constraint."""

    samples: Any = None
    nodes: Any = None
    ratio: Any = None
    favourable: Any = None


class FairEstimator:
    """Stands in for an estimator whose fit takes groups."""

    def fit(self, X, y, sample_weight=None, sensitive_features=None):
        return self


def asked(*options):
    return parser().parse_args(["fit", "data.csv", "--target", "y", *options])


@pytest.fixture
def build_with_all(monkeypatch):
    names = [name for name, _, _ in CONSTRAINTS.values()]
    for name in names:
        monkeypatch.setitem(vars(oddlearn), name, Demand)
    monkeypatch.setattr(oddlearn, "__all__", [*oddlearn.__all__, *names])


def test_every_constraint_has_a_flag():
    assert set(FLAGS) == set(CONSTRAINTS)


@pytest.mark.usefixtures("build_with_all")
def test_the_options_become_constraints():
    given = asked(
        "--min-flow", "10", "--max-nodes", "4", "--sensitive", "sex", "--parity", "0.8", "--favourable", "1"
    )
    check_requirements(given, FairEstimator())
    made = constraints_of(given, [0, 1])
    assert made == (Demand(samples=10), Demand(nodes=4), Demand(ratio=0.8, favourable=1))
    assert groups_to_compare(given, {"sex": "groups"}) == {"sensitive_features": {"sex": "groups"}}


def test_a_share_of_the_rows_is_a_float_and_a_count_is_not():
    assert isinstance(asked("--min-flow", "0.05").min_flow, float)
    assert isinstance(asked("--min-flow", "5").min_flow, int)


def test_groups_without_a_requirement_are_not_for_the_fit():
    assert groups_to_compare(asked("--sensitive", "sex"), {"sex": "groups"}) == {}


@pytest.mark.parametrize("option", CONSTRAINTS)
def test_a_constraint_this_build_lacks_is_refused_before_the_file_is_read(capsys, monkeypatch, option):
    known = [name for name in oddlearn.__all__ if name != CONSTRAINTS[option][0]]
    monkeypatch.setattr(oddlearn, "__all__", known)
    flag = f"--{option.replace('_', '-')}"
    told = refused(capsys, "fit", "absent.csv", "--target", "y", "--sensitive", "sex", flag, FLAGS[option])
    assert told == f"oddlearn: This build of oddlearn has no {CONSTRAINTS[option][0]}: leave {flag} out."


@pytest.mark.usefixtures("build_with_all")
def test_groups_are_named_and_taken():
    with pytest.raises(InvalidInputError, match="--parity compares groups"):
        check_requirements(asked("--parity", "0.8"), FairEstimator())

    class Plain:
        def fit(self, X, y):
            return self

    with pytest.raises(UnsupportedError, match="cannot compare groups in training: leave --opportunity out"):
        check_requirements(asked("--sensitive", "sex", "--opportunity", "0.8"), Plain())


def test_a_favourable_label_that_is_no_class_is_refused():
    with pytest.raises(InvalidInputError, match="give one of the classes 'bad', 'good'"):
        constraints_of(asked("--favourable", "best"), ["bad", "good"])


def test_of_several_classes_the_favourable_one_must_be_named():
    with pytest.raises(InvalidInputError, match="--favourable LABEL, one of 'a', 'b', 'c'"):
        constraints_of(asked("--sensitive", "sex", "--parity", "0.8"), ["a", "b", "c"])


@pytest.mark.parametrize("favourable", ["yes", "no"])
def test_the_report_compares_the_favourable_class_without_a_requirement(capsys, table, tmp_path, favourable):
    options = ("--target", "approved", "--sensitive", "owner", "--favourable", favourable)
    assert run(capsys, "fit", table, *options, "--output", tmp_path, *QUICK)[0] == 0
    found = re.findall(r"<caption>Rates of “(\w+)” by owner<", (tmp_path / "report.html").read_text())
    assert found == [favourable]
