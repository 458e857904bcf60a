import ast
import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, export_text
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.export.code import export_python
from tests.diagram.drawings import crossed
from tests.export.code.cases import case, every_case
from tests.export.code.running import loaded


@every_case
def test_the_module_agrees_with_predict(name):
    given = case(name)
    module = loaded(given.diagram, given.metadata)
    assert [module["predict"](row) for row in given.X.tolist()] == given.expected
    assert [module["predict_proba"](row) for row in given.X] == [tuple(row) for row in given.probabilities]
    assert type(module["predict"](given.X[0])) is type(given.expected[0])


@every_case
def test_the_module_imports_nothing_and_is_ascii(name):
    given = case(name)
    source = export_python(given.diagram, given.metadata)
    assert source.isascii()
    assert not any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(ast.parse(source)))


def test_a_row_may_be_a_mapping_and_hold_text():
    given = case("iris univariate")
    predict = loaded(given.diagram, given.metadata)["predict"]
    rows = [dict(zip(given.metadata.feature_names, map(repr, row), strict=True)) for row in given.X.tolist()]
    assert [predict(row) for row in rows] == given.expected


def test_numbers_of_single_precision_are_taken_as_they_are():
    given = case("wine multivariate")
    single = given.X.astype(np.float32)
    predict = loaded(given.diagram, given.metadata)["predict"]
    assert [predict(row) for row in single] == [
        given.metadata.class_labels[code] for code in given.diagram.predict(single)
    ]


@pytest.fixture
def coloured():
    """Feature 0 is a category, feature 1 a boolean."""
    features = (Feature("colour", "it's red", "category"), Feature("big", kind="boolean"))
    metadata = ModelMetadata(("colour = it's red", "big"), ("a", "b"), np.zeros((8, 2)), features)
    return loaded(crossed(), metadata)["predict"]


@pytest.mark.parametrize("colour", ["it's red", "blue", "unknown"])
@pytest.mark.parametrize("big", [True, False])
def test_categories_are_given_as_they_stand_in_the_table(coloured, colour, big):
    code = crossed().predict(np.array([[float(colour == "it's red"), float(big)]]))[0]
    assert coloured({"colour": colour, "big": big}) == coloured([colour, big]) == "ab"[code]


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_a_missing_category_is_none_of_the_known_ones(coloured, missing):
    assert coloured([missing, True]) == coloured(["blue", True])


@pytest.mark.parametrize("given", [["", "x", "y"], ["", None, "x"], ["", "x", "x"]])
def test_an_empty_text_that_is_a_category_is_not_missing(given, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = pandas.DataFrame({"c": given * 9}, dtype=object), ["p", "q", "r"] * 9
    model = OptimalDecisionDiagramClassifier("1-2", random_state=0).fit(X, y)
    namespace = {}
    exec(export_python(model), namespace)
    assert [namespace["predict"]([value]) for value in X["c"]] == model.predict(X).tolist()
    assert [namespace["predict"]({"c": value}) for value in X["c"]] == model.predict(X).tolist()
    document = json.loads(model.to_json())
    evaluate = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "evaluate_json.py"))["predict"]
    assert [evaluate(document, {"c": value}) for value in X["c"]] == model.predict(X).tolist()
    assert 'c = ""' in export_text(model) or "c = x" in export_text(model)


@pytest.mark.parametrize("missing", [None, "", "nan", "NaN"])
def test_a_missing_number_may_be_written_in_several_ways(missing):
    given = case("missing univariate")
    predict = loaded(given.diagram, given.metadata)["predict"]
    rows = [[missing if value != value else value for value in row] for row in given.X.tolist()]
    assert [predict(row) for row in rows] == given.expected


def test_the_missing_value_of_pandas_is_one():
    pandas = pytest.importorskip("pandas")
    given = case("missing univariate")
    rows = [[pandas.NA if value != value else value for value in row] for row in given.X[:50].tolist()]
    assert [loaded(given.diagram, given.metadata)["predict"](row) for row in rows] == given.expected[:50]


def test_a_row_of_another_length_is_refused(coloured):
    with pytest.raises(ValueError, match="3 values: give 2"):
        coloured(["red", True, 1])
