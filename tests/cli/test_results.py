"""The whole text of a fit, and the JSON beside it: each line once, and only where it is true."""

import argparse
import json
from dataclasses import dataclass

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, export_text
from oddlearn.cli.metric_tables import measure_fit
from oddlearn.cli.results import MAX_TERMS, FitResult, Outputs, build_outputs, report_fit
from oddlearn.cli.stored_model import ColumnRoles
from oddlearn.errors import InvalidInputError
from oddlearn.table.samples import LabelledSamples

X = np.arange(24.0).reshape(12, 2)
Y = np.repeat(["no", "yes"], 6)
INTERRUPTED = "The fit was interrupted: this is the best diagram found so far."
WEIGHTED = "Objective and probabilities count rows by their class weights; the metrics do not."


@dataclass(frozen=True)
class Options:
    verbose: bool = False
    json: bool = False
    no_report: bool = True
    data: str = "folder/people.csv"


def fitted(interrupted=False, **parameters):
    model = OptimalDecisionDiagramClassifier("1", max_iter=5, exact=None, random_state=0, **parameters)
    samples = LabelledSamples(X, Y, None)
    nobody = LabelledSamples(X[:0], Y[:0], None)
    return FitResult(model.fit(X, Y), samples, nobody, ColumnRoles("answer"), 1.23456, interrupted)


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("class_weight", [None, {"no": 2.0}])
def test_the_text_of_a_fit(verbose, interrupted, class_weight, tmp_path, capsys):
    result = fitted(interrupted, class_weight=class_weight)
    report_fit(result, Outputs(tmp_path / "m.json", tmp_path / "m.html"), Options(verbose))
    expected = [
        export_text(result.model, X=X, max_terms=MAX_TERMS),
        "",
        measure_fit(result.model, result.train, result.test).summary(),
        "",
        result.model.certificate_.explain(details=verbose),
        *([WEIGHTED] if class_weight else []),
        *([INTERRUPTED] if interrupted else []),
        "",
        f"Model:  {tmp_path / 'm.json'}",
        "",
    ]
    assert capsys.readouterr().out == "\n".join(expected)
    assert not (tmp_path / "m.html").exists()


def test_the_json_of_a_fit(tmp_path, capsys):
    result = fitted()
    outputs = Outputs(tmp_path / "m.json", tmp_path / "m.html")
    report_fit(result, outputs, Options(json=True, no_report=False), {"more": 1})
    told = json.loads(capsys.readouterr().out)
    assert (told["model"], told["report"]) == (str(outputs.model), str(outputs.report))
    assert (told["rows"], told["more"], told["seconds"]) == ({"train": 12, "test": 0}, 1, 1.235)
    assert (told["accuracy"], told["interrupted"]) == ({"train": 1.0, "test": None}, False)
    assert (told["classes"], told["nodes"], told["tree_only"]) == (["no", "yes"], 1, False)
    assert [entry["n_nodes"] for entry in told["by_node_count"]] == [1]
    assert "answer in people.csv" in outputs.report.read_text()
    assert json.loads(outputs.model.read_text())["format"] == "oddlearn-diagram"


def place(folder, name=None, *, no_report=False, force=False):
    return build_outputs(argparse.Namespace(output=str(folder), name=name, no_report=no_report, force=force))


def test_files_are_named_and_never_replaced_unless_that_is_asked_for(tmp_path):
    assert place(tmp_path) == Outputs(tmp_path / "model.json", tmp_path / "report.html")
    assert place(tmp_path, "loans") == Outputs(tmp_path / "loans.json", tmp_path / "loans.html")
    (tmp_path / "report.html").write_text("precious")
    with pytest.raises(InvalidInputError, match=r"report\.html"):
        place(tmp_path)
    assert place(tmp_path, no_report=True) == place(tmp_path, force=True)
    (tmp_path / "model.json").write_text("precious")
    with pytest.raises(InvalidInputError, match=r"model\.json"):
        place(tmp_path, no_report=True)
    for name in ("", "a/b"):
        with pytest.raises(InvalidInputError, match="give a file name without folders"):
            place(tmp_path, name)
