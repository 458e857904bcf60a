"""``oddlearn show`` and ``oddlearn export``: every form of a model, and nothing else on standard output."""

import argparse
import json
import sqlite3
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import oddlearn
from oddlearn.cli.export import all_formats
from oddlearn.cli.export import run as run_export
from oddlearn.errors import InvalidInputError
from oddlearn.export.formats import FORMATS
from tests.cli.commands import NAMES, people, refused, run


def test_a_model_is_shown_with_its_certificate(capsys, trained):
    model = oddlearn.load(trained / "model.json")
    code, out, err = run(capsys, "show", trained / "model.json")
    assert (code, err) == (0, "")
    assert "on 4 columns, for the 2 classes of 'approved': no, yes" in out
    assert oddlearn.export_text(model) in out
    assert model.certificate_.explain() in out


def test_each_view_is_shown_alone(capsys, trained):
    model = oddlearn.load(trained / "model.json")
    views = {
        form: run(capsys, "show", trained / "model.json", f"--{form}")[1] for form in ("text", "rules", "dot")
    }
    assert views["text"] == f"{oddlearn.export_text(model)}\n"
    assert views["rules"].count("then") == str(oddlearn.export_rules(model)).count("then") > 0
    assert views["dot"].startswith("digraph")
    assert run(capsys, "show", trained / "model.json", "--certificate")[1].startswith(
        model.certificate_.explain(details=True)
    )
    ElementTree.fromstring(run(capsys, "show", trained / "model.json", "--svg")[1])


def test_machines_get_a_summary(capsys, trained):
    summary = json.loads(run(capsys, "show", trained / "model.json", "--json")[1])
    assert summary["target"] == "approved"
    assert summary["columns"] == list(NAMES[:4])
    assert summary["is_optimal"] == oddlearn.load(trained / "model.json").is_optimal_


def test_every_exporter_has_a_format():
    assert {*FORMATS, "html"} == set(all_formats())


@pytest.mark.parametrize("form", all_formats())
def test_every_form_is_written(capsys, trained, tmp_path, form):
    if form == "onnx":
        pytest.importorskip("onnx")
    target = tmp_path / f"model{all_formats()[form].suffix}"
    code, out, err = run(capsys, "export", trained / "model.json", "--to", form, "--output", target)
    assert (code, out) == (0, "")
    assert err == f"Written: {target}\n"
    assert target.stat().st_size > 100
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_sql_on_standard_output_answers_as_predict_does(capsys, trained):
    expression = run(capsys, "export", trained / "model.json", "--to", "sql")[1]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE people (age, income, colour, owner)")
    rows = [(*row[:3], row[3] == "true") for row in people()]
    database.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    answers = [row[0] for row in database.execute(f"SELECT {expression} FROM people")]
    predicted = run(capsys, "predict", trained / "model.json", trained / "people.csv")[1]
    assert answers == predicted.splitlines()[1:]


def test_the_ending_of_a_file_tells_the_form(capsys, trained, tmp_path):
    assert run(capsys, "export", trained / "model.json", "--output", tmp_path / "model.sql")[0] == 0
    assert (tmp_path / "model.sql").read_text().startswith("CASE")
    told = refused(capsys, "export", trained / "model.json", "--output", tmp_path / "model.txt")
    assert "give --to and one of" in told
    assert "give --to" in refused(capsys, "export", trained / "model.json")


def test_unknown_forms_are_refused_and_files_kept(capsys, trained, tmp_path):
    assert "invalid choice: 'fortran'" in refused(capsys, "export", trained / "model.json", "--to", "fortran")
    (tmp_path / "model.c").write_text("mine")
    told = refused(capsys, "export", trained / "model.json", "--to", "c", "--output", tmp_path / "model.c")
    assert "exists already" in told
    assert (tmp_path / "model.c").read_text() == "mine"


def test_an_export_that_cannot_express_the_model_is_refused(capsys, trained, tmp_path, monkeypatch):
    def refuse(model):
        raise oddlearn.errors.UnsupportedError("This form has no word for the model.")

    monkeypatch.setitem(FORMATS, "c", replace(FORMATS["c"], function=refuse))
    target = tmp_path / "model.c"
    told = refused(capsys, "export", trained / "model.json", "--to", "c", "--output", target)
    assert told == "oddlearn: This form has no word for the model."
    assert not target.exists()


def test_a_binary_format_is_not_written_to_a_terminal(capsys, trained, monkeypatch, tmp_path):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    args = argparse.Namespace(to="onnx", output=None, model=str(trained / "model.json"), force=False)
    with pytest.raises(InvalidInputError, match="name a file with --output"):
        run_export(args)
    args.to = "dot"
    assert run_export(args) == 0
    assert capsys.readouterr().out.startswith("digraph")
