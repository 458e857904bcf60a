import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.view.node_labels import FONT_SIZE, MAX_LINE_WIDTH, MAX_TERMS, label_nodes
from oddlearn.view.text_metrics import text_width
from tests.report.pages import noted


def test_a_long_sum_shows_its_first_terms_and_lists_all():
    random = np.random.default_rng(0)
    X = random.random((50, 30))
    split = MultivariateSplit(random.normal(size=30), 0.1)
    diagram = DecisionDiagram((split,), [1], [2], [0], 2, 30)
    metadata = noted(diagram, X, diagram.predict(X), tuple(f"feature number {n}" for n in range(30)))
    label = label_nodes(diagram, metadata, X)[0]
    assert len(label.lines) == MAX_TERMS + 2
    assert "smaller terms" in label.lines[MAX_TERMS]
    assert len(label.terms) == 31
    sign = -1 if label.is_flipped else 1
    listed = {term.name: sign * float(term.exact) for term in label.terms[:-1]}
    assert listed == {f"feature number {n}": weight for n, weight in enumerate(split.weights)}
    assert float(label.terms[-1].exact.split()[1]) == sign * split.threshold
    assert label.is_rounded


def test_a_short_threshold_is_shown_as_it_is_and_a_long_one_shortened():
    X = np.array([[0.0], [1.0]])
    splits = (UnivariateSplit(0, 0.45), UnivariateSplit(0, 1 / 3))
    diagram = DecisionDiagram(splits, [1, 2], [3, 3], [0, 1], 2, 1)
    short, long = label_nodes(diagram, noted(diagram, X, [0, 1], ("a",)), X)
    assert short.lines == ("a >= 0.45",)
    assert not short.is_rounded
    assert long.lines == ("a >= 0.3",)
    assert long.exact == ("a < 0.3333333333333333", "a >= 0.3333333333333333")


def test_a_long_name_is_cut_and_its_number_is_not():
    name = "the amount of a very long story that nobody can read to its end without falling asleep over it"
    diagram = DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 1)
    metadata = ModelMetadata((name,), (0, 1), np.zeros((2, 2)))
    label = label_nodes(diagram, metadata, None)[0]
    assert label.lines[-1] == ">= 0.5"
    assert "…" in label.lines[-2]
    assert max(text_width(line, FONT_SIZE) for line in label.lines) <= text_width("W" * 40, FONT_SIZE)
    assert name in label.sides[1]


@pytest.mark.parametrize(("n_terms", "n_lines"), [(2, 3), (3, 4), (4, 5), (5, 5), (9, 5)])
def test_a_single_term_is_written_rather_than_counted(n_terms, n_lines):
    split = MultivariateSplit(np.arange(1.0, n_terms + 1), 2.0)
    diagram = DecisionDiagram((split,), [1], [2], [0], 2, n_terms)
    metadata = ModelMetadata(None, (0, 1), np.zeros((2, 2)))
    labels = label_nodes(diagram, metadata, None)
    assert len(labels[0].lines) == n_lines
    assert "1 smaller" not in " ".join(labels[0].lines)


def test_lines_fit_whatever_the_names():
    names = ("W" * 60, "名前" * 20, "a b " * 40)
    splits = tuple(UnivariateSplit(feature, 1 / 3) for feature in range(3))
    diagram = DecisionDiagram(splits, [1, 2, 3], [4, 4, 4], [0, 1, 2], 2, 3)
    for label in label_nodes(diagram, ModelMetadata(names, (0, 1), np.zeros((6, 2))), None):
        assert all(text_width(line, FONT_SIZE) <= MAX_LINE_WIDTH for line in label.lines)


def test_a_category_has_one_line_and_a_second_one_for_missing_values():
    level = "a category with a name of so many words that one line cannot hold them all at once"
    diagram = DecisionDiagram((UnivariateSplit(0, 0.5, True),), [1], [2], [0], 2, 1)
    for has_missing, n_lines in ((False, 1), (True, 2)):
        feature = Feature("W" * 12, kind="category", category=level, has_missing=has_missing)
        metadata = ModelMetadata(None, (0, 1), np.zeros((2, 2)), (feature,))
        name, *comparison = label_nodes(diagram, metadata, None)[0].lines
        assert name == "W" * 12 and len(comparison) == n_lines
        assert comparison[0].startswith("= a category") and "…" in comparison[-1]
        assert comparison[-1].endswith("or missing" if has_missing else "at once")
