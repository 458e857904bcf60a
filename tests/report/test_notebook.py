"""Notebooks show the diagram of a fitted model."""

import re

import pytest
from sklearn import config_context
from sklearn.datasets import load_iris

from oddlearn import OptimalDecisionDiagramClassifier

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
CELL = """
from sklearn.datasets import load_iris
from oddlearn import OptimalDecisionDiagramClassifier
X, y = load_iris(return_X_y=True, as_frame=True)
OptimalDecisionDiagramClassifier("1-2", max_iter=5, random_state=0).fit(X, y)
"""


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


def test_the_saved_output_of_a_notebook_holds_the_diagram():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    assert "<svg" in output.data["text/html"] and "petal" in output.data["text/html"]
