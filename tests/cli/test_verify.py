"""``oddlearn verify``: the rows, columns and weights of the fit are found again."""

import json

import numpy as np

import oddlearn
from tests.cli.commands import NAMES, QUICK, as_text, people, refused, run


def test_a_model_is_verified_on_the_rows_it_was_trained_on(capsys, trained):
    code, out, err = run(capsys, "verify", trained / "model.json", trained / "people.csv")
    assert (code, err) == (0, "")
    assert out.startswith("Verified on 44 rows.\n")
    found = json.loads(run(capsys, "verify", trained / "model.json", trained / "people.csv", "--json")[1])
    assert found["objective"] == oddlearn.load(trained / "model.json").objective_


def test_roles_and_skipped_rows_are_remembered(capsys, tmp_path):
    rows = [[*row, place, 1 + place % 3, "ab"[place % 2]] for place, row in enumerate(people())]
    rows[7][1] = "NA"
    data = tmp_path / "data.csv"
    data.write_text(as_text(rows, names=(*NAMES, "id", "weight", "group")))
    options = ("--drop", "id", "--weights", "weight", "--sensitive", "group", "--skip-missing", "--seed", "3")
    fitted = run(
        capsys, "fit", data, "--target", "approved", "--output", tmp_path, "--no-report", *QUICK, *options
    )
    assert fitted[0] == 0
    turned = tmp_path / "turned.csv"
    turned.write_text(as_text([row[::-1] for row in rows], names=(*NAMES, "id", "weight", "group")[::-1]))
    for path in (data, turned):
        assert run(capsys, "verify", tmp_path / "model.json", path)[0] == 0


def test_columns_that_are_lacking_are_named(capsys, trained):
    told = refused(capsys, "verify", trained / "model.json", trained / "people.csv", "--target", "owner")
    assert "X lacks the column owner: a certificate is about all columns" in told
    assert told.startswith(f"oddlearn: {trained / 'model.json'} does not pass the check")


def test_other_data_are_refused(capsys, trained, tmp_path):
    rows = people()
    rows[0], rows[1] = (rows[0][0] + 1, *rows[0][1:]), (rows[1][0] + 1, *rows[1][1:])
    (tmp_path / "other.csv").write_text(as_text(rows))
    told = refused(capsys, "verify", trained / "model.json", tmp_path / "other.csv")
    assert "does not pass the check" in told
    told = refused(capsys, "verify", trained / "model.json", trained / "people.csv", "--seed", "9")
    assert "another problem" in told


def test_models_from_python_need_their_target(capsys, tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    model = oddlearn.OptimalDecisionDiagramClassifier("1", max_iter=5, random_state=0)
    model.fit(X, [0, 0, 0, 1, 1, 1]).save(tmp_path / "model.json")
    rows = [(*row, int(row[0] > 5)) for row in X.tolist()]
    (tmp_path / "data.csv").write_text(as_text(rows, names=("a", "b", "y")))
    assert "--target" in refused(capsys, "verify", tmp_path / "model.json", tmp_path / "data.csv")
    code, out, _ = run(capsys, "verify", tmp_path / "model.json", tmp_path / "data.csv", "--target", "y")
    assert code == 0
    assert out.startswith("Verified on 6 rows.")
