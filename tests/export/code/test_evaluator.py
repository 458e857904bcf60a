"""The evaluator in examples/, which knows nothing but the model file."""

import ast
import csv
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from oddlearn.diagram.diagram_json import ModelDocument, model_from_text, model_to_text
from tests.export.code.cases import KINDS, case, coloured, every_case, fitted

SCRIPT = Path(__file__).parents[3] / "examples" / "evaluate_json.py"
STORED = Path(__file__).parents[2] / "diagram" / "stored"


@pytest.fixture(scope="module")
def evaluator():
    spec = importlib.util.spec_from_file_location("evaluate_json", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_short_and_needs_the_standard_library_only():
    source = SCRIPT.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 50
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {alias.name for node in imports for alias in node.names} <= sys.stdlib_module_names


@every_case
def test_it_agrees_with_predict(name, evaluator):
    given = case(name)
    document = json.loads(model_to_text(ModelDocument(given.diagram, given.notes)))
    names = given.notes.feature_names or [f"x{place}" for place in range(given.diagram.n_features)]
    rows = [dict(zip(names, row, strict=True)) for row in given.X.tolist()]
    assert [evaluator.predict(document, row) for row in rows] == given.expected


@pytest.mark.parametrize("file", ["schema_1.json", "schema_1_names.json"])
def test_it_reads_files_of_the_first_schema(file, evaluator):
    text = (STORED / file).read_text(encoding="utf-8")
    model = model_from_text(text)
    X = np.random.default_rng(0).normal(size=(50, model.diagram.n_features))
    names = [feature.name for feature in model.notes.features]
    answers = [evaluator.predict(json.loads(text), dict(zip(names, row, strict=True))) for row in X.tolist()]
    assert answers == [model.notes.class_labels[code] for code in model.diagram.predict(X)]


@pytest.mark.parametrize("split", KINDS)
def test_it_reads_a_file_with_text_booleans_and_categories(split, tmp_path):
    model, X = coloured(split)
    model.save(tmp_path / "model.json")
    with open(tmp_path / "rows.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([X.columns, *X.astype(object).to_numpy().tolist()])
    command = [sys.executable, SCRIPT, tmp_path / "model.json", tmp_path / "rows.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == model.predict(X).tolist()


@pytest.mark.parametrize("header", [{}, {"schema": 1}, {"format": "oddlearn-diagram", "schema": 9}])
def test_another_file_is_refused(header, tmp_path, evaluator):
    (tmp_path / "model.json").write_text(json.dumps(header))
    with pytest.raises(ValueError, match="not an oddlearn model"):
        evaluator.load(tmp_path / "model.json")


def test_a_missing_value_is_refused(evaluator):
    document = json.loads(fitted("grid", "univariate")[0].to_json())
    with pytest.raises(ValueError, match="is missing"):
        evaluator.predict(document, dict.fromkeys(["x0", "x1", "x2"], ""))
