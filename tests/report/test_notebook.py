"""Notebooks show the diagram of a fitted model."""

import re
from html import escape

import pytest
from sklearn import config_context
from sklearn.datasets import load_iris

from oddlearn import OptimalDecisionDiagramClassifier

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
CELLS = (
    """
from sklearn.datasets import load_iris
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionDiagramClassifierCV
X, y = load_iris(return_X_y=True, as_frame=True)
OptimalDecisionDiagramClassifier("1-2", max_iter=5, random_state=0).fit(X, y)
""",
    'OptimalDecisionDiagramClassifier("1-2", max_iter=5, random_state=0, verbose=1).fit(X, y);',
    """
options = {"skeletons": ["1-2"], "node_prices": [0.01, 0.1], "cv": 3, "max_iter": 5}
OptimalDecisionDiagramClassifierCV(**options, random_state=0, verbose=1).fit(X, y);
""",
)


def model():
    return OptimalDecisionDiagramClassifier("1-2", max_iter=5, random_state=0)


def test_a_fitted_model_is_its_diagram_its_accuracy_and_its_proof():
    fitted = model().fit(IRIS, SPECIES)
    shown = fitted._repr_html_()
    assert "<svg" in shown and "petal" in shown
    assert fitted.certificate_.summarise().split(":")[0] in shown
    assert re.search("training accuracy 9[0-9.]+ %", shown)
    assert "prefers-color-scheme:dark" in shown and "<script" not in shown
    assert not re.search("(src|href)=", shown)
    assert fitted._repr_mimebundle_()["text/html"] == shown
    assert fitted._repr_mimebundle_()["text/plain"] == repr(fitted)


def test_an_unfitted_model_stays_as_scikit_learn_shows_it():
    assert "sk-" in model()._repr_html_()
    assert "<svg" not in model()._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in model().fit(IRIS, SPECIES)._repr_mimebundle_()


@pytest.fixture(scope="module")
def outputs():
    """The saved outputs of a notebook: of a model, of the progress of its fit, of that of a search."""
    missing = "{} is not installed: no notebook is run; pip install oddlearn[test]"
    names = ("nbclient", "nbformat", "ipykernel")
    nbclient, nbformat, _ = (pytest.importorskip(name, reason=missing.format(name)) for name in names)
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [cell.outputs for cell in nbformat.reads(nbformat.writes(notebook), 4).cells]


def test_the_saved_output_of_a_notebook_holds_the_diagram_and_the_certificate(outputs):
    (output,) = outputs[0]
    shown = output.data["text/html"]
    assert "<svg" in shown and "petal" in shown
    (proof,) = re.findall("<p>([^<]*optimal[^<]*|[^<]*proved[^<]*)</p>", shown)
    assert proof == escape(model().fit(IRIS, SPECIES).certificate_.summarise()) and "\n" not in proof


@pytest.mark.parametrize(("cell", "starts"), [(1, ["objective"]), (2, ["fold", "objective"])])
def test_progress_in_a_notebook_is_one_line_of_text_for_a_fit_and_for_the_folds_of_a_search(
    outputs, cell, starts
):
    assert {output.output_type for output in outputs[cell]} == {"display_data"}
    texts = [output.data["text/plain"] for output in outputs[cell]]
    assert [re.match(r" *[0-9.]+ s  (\w+).*$", text)[1] for text in texts] == starts
