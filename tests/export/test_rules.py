import sys

import numpy as np
import pytest

from oddlearn import export_rules
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import UnsupportedError
from tests.diagram.drawings import crossed
from tests.export.code.cases import lacking
from tests.export.examples import chain, drawn, people_notes

WEIGHTS = np.array([[0, 0], [0, 0], [0, 0], [1, 4], [5, 0], [0, 0], [2, 1], [0, 3]])


def crossed_rules(**options):
    return export_rules(crossed(), ModelMetadata(("height", "width"), ("small", "large"), WEIGHTS), **options)


@pytest.mark.parametrize("kind", ["univariate", "mixed", "multivariate"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_short", [True, False])
def test_each_row_satisfies_exactly_the_rule_of_its_final_arc(seed, kind, is_short):
    diagram, metadata, X = drawn(seed, kind, widths=(1, 2, 4, 4))
    rules = export_rules(diagram, metadata, X if is_short else None)
    covered = np.array([rule.covers(X) for rule in rules])
    assert (covered.sum(axis=0) == 1).all()
    arcs = np.array([rule.arc for rule in rules])
    assert np.array_equal(arcs[covered.argmax(axis=0)], diagram.route(X).final_arc)
    assert [rule.support for rule in rules] == covered.sum(axis=1).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_exact_rules_hold_for_rows_that_were_never_seen(seed):
    diagram, metadata, _ = drawn(seed, "mixed")
    X = np.random.default_rng(seed).normal(size=(500, 4))
    rules = export_rules(diagram, metadata)
    covered = np.array([rule.covers(X) for rule in rules])
    assert (covered.sum(axis=0) == 1).all()
    arcs = np.array([rule.arc for rule in rules])
    assert np.array_equal(arcs[covered.argmax(axis=0)], diagram.route(X).final_arc)


@pytest.mark.parametrize("kind", ["univariate", "mixed"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_short", [True, False])
def test_each_row_with_missing_values_satisfies_exactly_its_rule(seed, kind, is_short):
    given = lacking(seed, kind)
    rules = export_rules(given.diagram, given.metadata, given.X if is_short else None)
    covered = np.array([rule.covers(given.X) for rule in rules])
    assert (covered.sum(axis=0) == 1).all()
    arcs = np.array([rule.arc for rule in rules])
    assert np.array_equal(arcs[covered.argmax(axis=0)], given.diagram.route(given.X).final_arc)
    assert "inf" not in str(rules)


def missing_rules(*splits):
    """Return the conditions of a chain over age, which was missing in training, and pay, which was not."""
    features = (Feature("age", has_missing=True), Feature("pay"))
    n = len(splits)
    diagram = DecisionDiagram(splits, range(1, n + 1), [n + 1] * n, range(n), 2, 2)
    metadata = ModelMetadata(("age", "pay"), ("no", "yes"), np.zeros((2 * n, 2)), features)
    return [rule.condition for rule in export_rules(diagram, metadata)]


def test_an_interval_says_whether_missing_values_are_in_it():
    splits = (UnivariateSplit(0, 8.0), UnivariateSplit(0, 5.0, True), UnivariateSplit(0, 2.0))
    assert missing_rules(*splits) == ["age >= 8", "5 <= age < 8 or missing", "age < 2", "2 <= age < 5"]
    splits = (UnivariateSplit.is_missing(0), UnivariateSplit(0, 5.0, True))
    assert missing_rules(*splits) == ["age is missing", "age < 5", "age >= 5"]
    # what is left of the first question is missing values alone
    splits = (UnivariateSplit(0, 5.0), UnivariateSplit.is_missing(0, positive=False))
    assert missing_rules(*splits) == ["age >= 5", "age is missing", "age < 5"]


def test_an_alternative_stands_in_parentheses_among_other_conditions():
    assert missing_rules(UnivariateSplit(0, 5.0), UnivariateSplit(1, 2.0, True)) == [
        "age >= 5",
        "(age < 5 or missing) and pay < 2",
        "(age < 5 or missing) and pay >= 2",
    ]


def test_paths_merge_when_missing_values_do():
    # age below 5 or missing, and age from 5 on, lead to the same node
    splits = tuple(UnivariateSplit(*test) for test in ((0, 5.0), (1, 1.0), (1, 1.0), (2, 1.0)))
    diagram = DecisionDiagram(splits, [1, 4, 4, 4], [2, 3, 3, 5], [0, 1, 1, 2], 2, 3)
    assert export_rules(diagram)[-1].condition == "x1 >= 1 and x2 >= 1"


def test_rules_read_as_text():
    assert str(crossed_rules()).split("\n\n") == [
        "if height < 0.5 and width >= 0.5\n"
        "then large  (5 samples, 31 %; small: 1, large: 4; probability 0.65)",
        "if height >= 0.5 and width < 0.3\nthen small  (5 samples, 31 %; small: 5; probability 0.75)",
        "if one of these holds:\n"
        "      height < 0.5 and width < 0.5\n"
        "      0.5 <= height < 0.8 and width >= 0.3\n"
        "then small  (3 samples, 19 %; small: 2, large: 1; probability 0.563)",
        "if height >= 0.8 and width >= 0.3\nthen large  (3 samples, 19 %; large: 3; probability 0.688)",
    ]


def test_a_condition_is_one_line():
    condition = "(height < 0.5 and width < 0.5) or (0.5 <= height < 0.8 and width >= 0.3)"
    assert crossed_rules()[2].condition == condition


def test_what_holds_on_all_paths_is_said_once():
    # nodes 1 and 2 lead to node 3 on different sides
    tests = ((0, 0.5), (1, 0.5), (2, 0.5), (3, 0.5))
    splits = tuple(UnivariateSplit(*test) for test in tests)
    diagram = DecisionDiagram(splits, [1, 3, 4, 4], [2, 5, 3, 5], [0, 1, 1, 2], 2, 4)
    rule = export_rules(diagram)[-1]
    assert rule.condition == "x3 >= 0.5 and ((x0 < 0.5 and x1 < 0.5) or (x0 >= 0.5 and x2 >= 0.5))"
    assert str(rule).startswith("if x3 >= 0.5, and one of these:\n")


def test_conditions_on_one_feature_become_an_interval():
    rules = export_rules(chain((0, 8.0), (0, 5.0), (0, 2.0)))
    assert [rule.condition for rule in rules] == ["x0 >= 8", "5 <= x0 < 8", "x0 < 2", "2 <= x0 < 5"]


def test_paths_that_meet_again_at_once_are_one():
    # both sides of node 0 lead to node 3 in the end, whatever x0 is
    tests = ((0, 0.5), (1, 0.5), (1, 0.5), (2, 0.5))
    splits = tuple(UnivariateSplit(*test) for test in tests)
    diagram = DecisionDiagram(splits, [1, 4, 4, 4], [2, 3, 3, 5], [0, 1, 1, 2], 2, 3)
    assert export_rules(diagram)[-1].condition == "x1 >= 0.5 and x2 >= 0.5"


@pytest.mark.parametrize("threshold", [5.0, 8.0])
def test_an_arc_that_nothing_can_take_has_no_rule(threshold):
    rules = export_rules(chain((0, 5.0), (0, threshold)))
    assert [rule.arc for rule in rules] == [1, 2]
    assert [rule.condition for rule in rules] == ["x0 >= 5", "x0 < 5"]


def test_one_category_excludes_the_others():
    # class 1 if red, else if blue; node 2 asks for blue where red is known
    splits = tuple(UnivariateSplit(*test) for test in ((1, 0.5), (2, 0.5), (2, 0.5)))
    diagram = DecisionDiagram(splits, [1, 3, 3], [2, 4, 4], [0, 1, 1], 2, 4)
    rules = export_rules(diagram, people_notes(6))
    assert [(rule.condition, rule.label) for rule in rules] == [
        ("colour is not red and colour is not blue", "well"),
        ("colour = blue", "ill"),
        ("colour = red", "well"),
    ]


def test_rounded_numbers_are_marked_and_rules_still_hold():
    diagram = chain((0, 8.123456), (0, 2.123456))
    rules = export_rules(diagram, digits=3)
    conditions = ["about x0 >= 8.12", "about x0 < 2.12", "about 2.12 <= x0 < 8.12"]
    assert [rule.condition for rule in rules] == conditions
    assert rules[0].covers([[8.123456, 0, 0, 0], [8.1234, 0, 0, 0]]).tolist() == [True, False]


def test_the_constant_diagram_has_one_rule():
    metadata = ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.5]]))
    rules = export_rules(DecisionDiagram.constant(1, 2, 1), metadata)
    assert str(rules) == "always b  (weight 3.5, 100 %; a: 1, b: 2.5; probability 0.667)"
    assert rules[0].covers(np.zeros((3, 1))).all()


def test_rules_as_a_table_have_a_row_each():
    frame = crossed_rules().to_frame()
    assert frame["class"].tolist() == ["large", "small", "small", "large"]
    assert frame["support"].tolist() == [5, 5, 3, 3]
    assert frame["count of small"].tolist() == [1, 5, 2, 0]


def test_without_pandas_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UnsupportedError, match=r'pip install "oddlearn\[tables\]"'):
        crossed_rules().to_frame()
