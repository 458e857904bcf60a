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

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.diagram_json import ModelDocument, model_to_text
from tests.export.code.cases import KINDS, case, coloured, every_case, lacking_table
from tests.export.code.running import predicted

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
    assert len(source.splitlines()) <= 80
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {alias.name for node in imports for alias in node.names} <= sys.stdlib_module_names


@every_case
def test_it_agrees_with_predict(name, evaluator):
    given = case(name)
    document = json.loads(model_to_text(ModelDocument(given.diagram, given.metadata)))
    names = given.metadata.feature_names or [f"x{place}" for place in range(given.diagram.n_features)]
    rows = [dict(zip(names, row, strict=True)) for row in given.X.tolist()]
    assert [evaluator.predict(document, row) for row in rows] == given.expected


@pytest.mark.parametrize("split", KINDS)
def test_it_reads_a_file_with_text_booleans_and_categories(split, tmp_path):
    model, X = coloured(split)
    model.save(tmp_path / "model.json")
    with open(tmp_path / "rows.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([X.columns, *X.astype(object).to_numpy().tolist()])
    command = [sys.executable, SCRIPT, tmp_path / "model.json", tmp_path / "rows.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == model.predict(X).tolist()


@pytest.mark.parametrize("unit", ["D", "s"])
def test_it_reads_a_file_with_dates_of_which_some_are_missing(unit, tmp_path):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    seconds = random.integers(1_500_000_000, 1_600_000_000, 80)
    seen = seconds.astype("datetime64[s]").astype(f"datetime64[{unit}]").astype("datetime64[s]")
    X = pandas.DataFrame({"seen": np.where(random.random(80) < 0.3, np.datetime64("NaT"), seen)})
    y = (X["seen"] > pandas.Timestamp("2019-03-04")) | X["seen"].isna()
    model = OptimalDecisionDiagramClassifier("1-2", max_iter=5, exact=None, random_state=0).fit(X, y)
    assert model.metadata_.feature(0).kind == ("date" if unit == "D" else "datetime")
    model.save(tmp_path / "model.json")
    X.to_csv(tmp_path / "rows.csv", index=False)
    command = [sys.executable, SCRIPT, tmp_path / "model.json", tmp_path / "rows.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(label) for label in model.predict(X).tolist()]


OURS = {"format": "oddlearn-diagram"}


@pytest.mark.parametrize("header", [{}, {"schema": 6}, {**OURS, "schema": 4}, {**OURS, "schema": 9}])
def test_another_file_is_refused(header, tmp_path, evaluator):
    (tmp_path / "model.json").write_text(json.dumps(header))
    with pytest.raises(ValueError, match="not an oddlearn model"):
        evaluator.load(tmp_path / "model.json")


@pytest.mark.parametrize("split", KINDS)
def test_it_reads_a_file_with_missing_values(split, tmp_path):
    model, X = lacking_table(split)
    model.save(tmp_path / "model.json")
    X.to_csv(tmp_path / "rows.csv", index=False, na_rep="NA")
    command = [sys.executable, SCRIPT, tmp_path / "model.json", tmp_path / "rows.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == predicted(model, X)
