import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionDiagramClassifier, export_dot, export_rules, export_svg, export_text
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import InvalidInputError
from tests.diagram.drawings import crossed
from tests.export.code.cases import lacking
from tests.export.examples import chain, drawn, people_notes

WEIGHTS = np.array([[0, 0], [0, 0], [0, 0], [1, 4], [5, 0], [0, 0], [2, 1], [0, 3]])


def test_each_node_is_written_once_and_shared_nodes_are_referred_to():
    metadata = ModelMetadata(("height", "width"), ("small", "large"), WEIGHTS)
    assert export_text(crossed(), metadata).splitlines() == [
        "node 0: height >= 0.5",
        "  yes:",
        "    node 2: width >= 0.3",
        "      yes:",
        "        node 3: height >= 0.8",
        "          yes: large (3 of 3 right)",
        "          no:  small (2 of 3 right)",
        "      no:  small (5 of 5 right)",
        "  no:",
        "    node 1: width >= 0.5",
        "      yes: large (4 of 5 right)",
        "      no:  node 3, shown above",
    ]


def test_categories_and_sums_read_in_words():
    diagram = chain((1, 0.5), ([0.25, 0.0, 1.0, 0.0], 10.0))
    assert export_text(diagram, people_notes(4)).splitlines() == [
        "node 0: colour = red",
        "  yes: ill",
        "  no:",
        "    node 1: [colour = blue] + 0.25 age >= 10",
        "      yes: ill",
        "      no:  well",
    ]


def test_the_constant_diagram_is_one_line():
    metadata = ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.5]]))
    assert export_text(DecisionDiagram.constant(1, 2, 1), metadata) == "always b (weight 2.5 of 3.5 right)"


def test_a_diagram_without_notes_has_numbered_names():
    assert export_text(crossed()).splitlines()[0] == "node 0: x0 >= 0.5"


def test_long_conditions_are_wrapped_between_their_terms():
    diagram = chain(([1.0, -2.0, 3.0, -4.0], 0.5))
    text = export_text(diagram, people_notes(2), width=50)
    assert text.splitlines()[:2] == [
        "node 0: 4 smoker - 3 [colour = blue]",
        "        + 2 [colour = red] - age <= -0.5",
    ]


@pytest.mark.parametrize("seed", range(5))
def test_every_node_and_every_final_arc_has_its_line(seed):
    diagram, metadata, X = drawn(seed)
    lines = [line.strip() for line in export_text(diagram, metadata, X).splitlines()]
    for node in range(diagram.n_nodes):
        assert sum(line.startswith(f"node {node}: ") for line in lines) == 1
    assert sum(line.endswith("right)") for line in lines) == (diagram.arc_class >= 0).sum()


def test_a_fitted_classifier_brings_names_and_counts():
    X, y = np.array([[0.0], [0.4], [1.0]]), ["no", "no", "yes"]
    model = OptimalDecisionDiagramClassifier("1", max_iter=2).fit(X, y)
    assert export_text(model, X=X).splitlines() == [
        "node 0: x0 >= 0.7",
        "  yes: yes (1 of 1 right)",
        "  no:  no (2 of 2 right)",
    ]


def test_what_has_no_diagram_is_refused_in_a_sentence():
    for wrong in (DecisionTreeClassifier(), OptimalDecisionDiagramClassifier(), "model.json"):
        with pytest.raises(InvalidInputError, match="give a classifier of oddlearn after its fit"):
            export_text(wrong)


@pytest.mark.parametrize("value", [0, -2, 1.5, True, "3"])
def test_numbers_of_digits_and_terms_are_checked(value):
    for name in ("digits", "max_terms"):
        with pytest.raises(InvalidInputError, match=f"{name} is .* at least 1"):
            export_text(crossed(), **{name: value})
    with pytest.raises(InvalidInputError, match="digits is"):
        export_rules(crossed(), digits=value)


def test_notes_and_rows_of_something_else_are_refused():
    with pytest.raises(InvalidInputError, match="metadata of this diagram"):
        export_text(crossed(), ModelMetadata(None, ("a", "b"), np.zeros((3, 2))))
    with pytest.raises(InvalidInputError, match=r"metadata is a ndarray: .* rows by their name, X=\.\.\."):
        export_text(crossed(), np.zeros((3, 2)))
    with pytest.raises(InvalidInputError, match="give as many names"):
        export_text(crossed(), ModelMetadata(("a",), ("a", "b"), WEIGHTS))
    with pytest.raises(InvalidInputError, match="2 columns"):
        export_text(crossed(), X=np.zeros((4, 3)))


@pytest.mark.parametrize("exporter", [export_text, export_rules, export_svg, export_dot])
@pytest.mark.parametrize("has_rows", [True, False])
def test_missing_values_are_shown_and_infinite_thresholds_are_not(exporter, has_rows):
    given = lacking(3, "mixed")
    text = str(exporter(given.diagram, given.metadata, given.X if has_rows else None))
    assert "inf" not in text
    assert "or missing" in text
    assert "is missing" in text or "is not missing" in text
