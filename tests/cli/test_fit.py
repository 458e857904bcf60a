"""``oddlearn fit``: what it writes, what it tells, and what it does with the tables people have."""

import json

import numpy as np
import pytest

import oddlearn
from tests.cli.commands import NAMES, QUICK, as_text, people, refused, run


def fit(capsys, data, folder, *options):
    """Fit in machine language and return what it told."""
    code, out, err = run(
        capsys, "fit", data, "--target", "approved", "--output", folder, "--json", *QUICK, *options
    )
    assert code == 0, err
    return json.loads(out)


def test_a_fit_writes_model_and_report_and_tells_about_both(capsys, table, tmp_path):
    code, out, err = run(capsys, "fit", table, "--target", "approved", "--output", tmp_path, *QUICK)
    assert code == 0
    assert err == ""
    assert f"Model:  {tmp_path / 'model.json'}\nReport: {tmp_path / 'report.html'}\n" in out
    assert "node 0: " in out
    assert "Accuracy: 100.0 % on the 44 rows in training" in out
    assert "Proved optimal" in out
    model = oddlearn.load(tmp_path / "model.json")
    assert [feature.column for feature in model.metadata_.features[:2]] == ["age", "income"]
    assert "<html" in (tmp_path / "report.html").read_text()


def test_the_result_for_machines_agrees_with_the_model(capsys, table, tmp_path):
    told = fit(capsys, table, tmp_path)
    model = oddlearn.load(told["model"])
    assert told["rows"] == {"train": 44, "test": 16}
    assert told["accuracy"]["train"] == 1.0
    assert (told["objective"], told["nodes"]) == (model.objective_, model.n_nodes_)
    assert told["classes"] == ["no", "yes"]
    assert told["interrupted"] is False


@pytest.mark.parametrize("delimiter, decimal", [(";", ","), ("\t", "."), ("|", ".")])
def test_every_dialect_of_a_table_gives_the_same_model(capsys, table, tmp_path, delimiter, decimal):
    other = tmp_path / "other.csv"
    other.write_bytes(as_text(people(), delimiter, decimal).replace("\n", "\r\n").encode("utf-8-sig"))
    plain = fit(capsys, table, tmp_path / "plain", "--no-report")
    told = fit(capsys, other, tmp_path / "other", "--no-report")
    assert told["objective"] == plain["objective"]
    models = [oddlearn.load(result["model"]) for result in (plain, told)]
    assert models[0].metadata_.features == models[1].metadata_.features
    assert models[0].certificate_.digest == models[1].certificate_.digest


def test_columns_can_be_dropped_and_rows_weighted(capsys, tmp_path):
    rows = [(*row, place, 1 + place % 2) for place, row in enumerate(people())]
    (tmp_path / "data.csv").write_text(as_text(rows, names=(*NAMES, "id", "weight")))
    told = fit(capsys, tmp_path / "data.csv", tmp_path, "--drop", "id", "--weights", "weight", "--no-report")
    model = oddlearn.load(told["model"])
    assert model.feature_names_in_.tolist() == ["age", "income", "colour", "owner"]
    assert model.metadata_.arc_weights.sum() > told["rows"]["train"]


@pytest.mark.parametrize("first", [0, 1, 7])
def test_a_column_that_counts_the_rows_is_noted_unless_it_is_dropped(capsys, tmp_path, first):
    rows = [(*row, first + place) for place, row in enumerate(people())]
    (tmp_path / "data.csv").write_text(as_text(rows, names=(*NAMES, "id")))
    options = ("--target", NAMES[-1], "--no-report", "--time-limit", 1, "--force", "--output", tmp_path)
    for drop in ((), ("--drop", "id")):
        _, _, err = run(capsys, "fit", tmp_path / "data.csv", *options, *drop)
        is_noted = "Note: 'id' counts the rows and is used like any other column (see --drop)." in err
        assert is_noted == (first < 2 and not drop)


def test_the_report_weighs_rows_as_the_certificate_does(capsys, tmp_path):
    rows = [(*row, 1 + 4 * (place % 2)) for place, row in enumerate(people())]
    (tmp_path / "data.csv").write_text(as_text(rows, names=(*NAMES, "weight")))
    told = fit(capsys, tmp_path / "data.csv", tmp_path, "--weights", "weight")
    page = (tmp_path / "report.html").read_text()
    for part, name in (("train", "training samples"), ("test", "test samples")):
        share = 100 * told["accuracy"][part]
        assert f"Accuracy on {told['rows'][part]} {name}, weighted: {share:.1f} %." in page


def test_rows_with_missing_values_are_used_or_skipped(capsys, tmp_path):
    rows = [list(row) for row in people()]
    rows[3][0], rows[4][0], rows[4][2] = "", "NA", "?"
    (tmp_path / "data.csv").write_text(as_text(rows))
    told = fit(capsys, tmp_path / "data.csv", tmp_path, "--no-report")
    assert sum(told["rows"].values()) == 60
    told = fit(capsys, tmp_path / "data.csv", tmp_path, "--skip-missing", "--no-report", "--force")
    assert sum(told["rows"].values()) == 58


def test_rows_without_a_label_are_left_out_with_a_note(capsys, tmp_path):
    rows = [list(row) for row in people()]
    rows[3][-1] = ""
    (tmp_path / "data.csv").write_text(as_text(rows))
    arguments = ("fit", tmp_path / "data.csv", "--target", "approved", "--output", tmp_path, "--no-report")
    code, _, err = run(capsys, *arguments, *QUICK)
    assert code == 0
    assert "Note: 1 row with no approved left out." in err


def test_dates_and_rare_categories_of_a_file_are_features(capsys, tmp_path):
    rows = [f"{2000 + place % 20}-03-04,{'abcdefgh'[place % 8]},{place % 20 > 9}" for place in range(80)]
    (tmp_path / "data.csv").write_text("\n".join(["joined,code,approved", *rows]))
    arguments = ("fit", tmp_path / "data.csv", "--target", "approved", "--output", tmp_path, "--no-report")
    code, out, _ = run(capsys, *arguments, "--max-categories", "3", *QUICK)
    assert code == 0
    assert "joined >= 2009-09-01" in out
    model = oddlearn.load(tmp_path / "model.json")
    names = [feature.name for feature in model.metadata_.features]
    assert names[0] == "joined"
    assert names[-1] == "code is other"
    assert len(names) == 4


def test_rows_held_out_are_a_share_of_every_class(capsys, table, tmp_path):
    assert fit(capsys, table, tmp_path, "--test-size", "0", "--no-report")["rows"] == {"train": 60, "test": 0}
    told = fit(capsys, table, tmp_path, "--test-size", "0.5", "--no-report", "--force")
    assert abs(told["rows"]["test"] - 30) <= 1


@pytest.mark.parametrize(("depth", "expected"), [(2, 2), ("none", None)])
def test_a_tree_can_be_asked_for(capsys, table, tmp_path, depth, expected):
    options = [option for option in QUICK if option not in ("--skeleton", "1-2")]
    options += ["--target", "approved", "--output", tmp_path, "--tree", depth, "--json"]
    code, out, _ = run(capsys, "fit", table, *options)
    assert code == 0
    assert json.loads(out)["tree_only"]
    model = oddlearn.load(tmp_path / "model.json")
    assert isinstance(model, oddlearn.OptimalDecisionTreeClassifier) and model.max_depth == expected


def test_progress_is_on_standard_error_only(capsys, table, tmp_path):
    options = [option for option in QUICK if option != "--quiet"]
    code, out, err = run(
        capsys, "fit", table, "--target", "approved", "--output", tmp_path, "--json", "--no-report", *options
    )
    assert code == 0
    json.loads(out)
    assert "44 rows to train on, 16 held out, 4 columns." in err
    assert "objective" in err


def test_files_are_replaced_only_by_force(capsys, table, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    sentence = refused(capsys, "fit", table, "--target", "approved", "--output", tmp_path, *QUICK)
    assert "report.html exists already: give --force" in sentence
    assert (tmp_path / "report.html").read_text() == "mine"
    assert not (tmp_path / "model.json").exists()
    fit(capsys, table, tmp_path, "--force")
    assert (tmp_path / "report.html").read_text() != "mine"


def test_files_get_the_name_they_are_given(capsys, table, tmp_path):
    told = fit(capsys, table, tmp_path / "new" / "folder", "--name", "credit")
    assert told["model"].endswith("credit.json")
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == [
        "credit.html",
        "credit.json",
    ]


def test_the_margin_of_hyperplanes_is_left_to_the_estimator(capsys, table, tmp_path):
    code, _out, _err = run(
        capsys,
        "fit",
        table,
        "--target",
        "approved",
        "--output",
        tmp_path,
        "--no-report",
        *QUICK,
        "--split",
        "multivariate",
    )
    assert code == 0
    model = oddlearn.load(tmp_path / "model.json")
    assert model.epsilon is None
    assert model.certificate_.margin == 1e-4


def test_a_class_of_one_row_is_trained_on(capsys, tmp_path):
    rows = [*people(), (30, 100.0, "red", "true", "perhaps")]
    (tmp_path / "data.csv").write_text(as_text(rows))
    told = fit(capsys, tmp_path / "data.csv", tmp_path, "--no-report")
    assert told["classes"] == ["no", "perhaps", "yes"]


def test_whole_number_labels_stay_whole_numbers(capsys, tmp_path):
    rows = [(*row[:4], int(row[4] == "yes")) for row in people()]
    (tmp_path / "data.csv").write_text(as_text(rows))
    assert fit(capsys, tmp_path / "data.csv", tmp_path, "--no-report")["classes"] == [0, 1]
    assert oddlearn.load(tmp_path / "model.json").classes_.dtype == np.int64
