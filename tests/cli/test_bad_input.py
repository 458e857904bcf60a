"""Whatever is wrong with what was given: one sentence, exit code 2, no traceback, nothing written."""

import numpy as np
import pytest

from oddlearn.cli.training_rows import _labels
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import Column
from tests.cli.commands import NAMES, QUICK, as_text, people, refused, run


def fit_refused(capsys, path, *options, target="approved"):
    before = sorted(path.parent.iterdir())
    sentence = refused(
        capsys, "fit", path, "--target", target, "--output", path.parent / "out", *QUICK, *options
    )
    assert sorted(path.parent.iterdir()) == before
    return sentence


def written(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_text(content)
    return path


def test_files_that_are_missing_or_empty(capsys, tmp_path):
    assert "There is no file" in fit_refused(capsys, tmp_path / "absent.csv")
    assert "is empty" in fit_refused(capsys, written(tmp_path, ""))
    assert "has no rows" in fit_refused(capsys, written(tmp_path, "a,approved\n"))


def test_columns_that_are_not_there(capsys, table):
    assert "no column 'aproved' (--target): did you mean 'approved'?" in fit_refused(
        capsys, table, target="aproved"
    )
    assert "no column 'agee' (--drop): did you mean 'age'?" in fit_refused(capsys, table, "--drop", "agee")
    assert "(--weights)" in fit_refused(capsys, table, "--weights", "weight")
    assert "(--sensitive)" in fit_refused(capsys, table, "--sensitive", "sex")


def test_columns_with_two_roles_or_none_left(capsys, table):
    told = fit_refused(capsys, table, "--drop", "approved")
    assert "'approved' is given to --target and to --drop" in told
    dropped = [word for name in NAMES[:4] for word in ("--drop", name)]
    assert "no column left to learn from" in fit_refused(capsys, table, *dropped)


def test_columns_of_one_name(capsys, tmp_path):
    assert "more than one column called 'a'" in fit_refused(
        capsys, written(tmp_path, "a,a,approved\n1,2,x\n")
    )


def test_targets_that_are_no_classes(capsys, tmp_path, table):
    one = written(tmp_path, "a,approved\n1,x\n2,x\n3,x\n")
    assert "has one class only, 'x'" in fit_refused(capsys, one)
    assert "a target needs classes" in fit_refused(capsys, table, target="income")


@pytest.mark.parametrize(("n_values", "n_rows"), [(10, 10), (10, 15), (12, 24)])
def test_up_to_ten_values_or_half_as_many_as_rows_are_classes(n_values, n_rows):
    assert classes_of(n_values, n_rows) == n_values


@pytest.mark.parametrize(("n_values", "n_rows"), [(11, 11), (11, 21), (13, 24)])
def test_more_than_ten_values_and_half_as_many_as_rows_are_no_classes(n_values, n_rows):
    with pytest.raises(InvalidInputError, match=f"{n_values} different values in {n_rows} rows, such as"):
        classes_of(n_values, n_rows)


def test_a_few_numbers_with_fractions_are_no_classes():
    with pytest.raises(InvalidInputError, match=r"2 different values in 40 rows, such as 0\.0, 1\.5"):
        labels_of(np.tile([0.0, 1.5], 20))
    assert labels_of(np.tile([0.0, 2.0], 20)).tolist() == [0.0, 2.0] * 20


def classes_of(n_values, n_rows):
    values = np.array([f"value {row % n_values}" for row in range(n_rows)], dtype=object)
    return np.unique(labels_of(values)).size


def labels_of(values):
    return _labels("data.csv", Column("name", values, np.zeros(values.size, dtype=bool)))


def test_a_column_of_unique_strings_is_said_and_not_encoded(capsys, tmp_path):
    rows = [(f"person {place}", *row, f"x{place // 2}") for place, row in enumerate(people(80))]
    path = written(tmp_path, as_text(rows, names=("full name", *NAMES, "code")))
    told = fit_refused(capsys, path)
    assert "80 rows: 'full name' (80 different texts). " in told
    assert "out with --drop 'full name'," in told


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("31/01/20{}", "'when' looks like dates, such as '31/01/2010', and is text: write them as 2026"),
        ("2021.01.05 7:{}", "'when' looks like dates, such as '2021.01.05 7:10', and is text: write them"),
        ("1,0{:02}.50 €", "'when' looks like numbers, such as '1,010.50 €', and is text: leave out units"),
        ("{:02}-45-6789", None),
        ("person {}", None),
    ],
)
def test_texts_in_the_form_of_dates_or_numbers_get_a_hint(capsys, tmp_path, text, hint):
    quoted = [f'"{text.format(place)}",{place},{place > 50}' for place in range(10, 100)]
    (tmp_path / "data.csv").write_text("\n".join(["when,age,y", *quoted]))
    code, _, err = run(capsys, "fit", tmp_path / "data.csv", "--target", "y", "--output", tmp_path)
    assert code != 0 and "Too many texts" in err
    assert hint in err if hint else "looks like" not in err


def test_dates_that_are_taken_for_categories_are_noted(capsys, tmp_path):
    rows = [f"0{1 + place % 4}/05/2024,{place % 7},{place % 4 > 1}" for place in range(80)]
    (tmp_path / "data.csv").write_text("\n".join(["when,z,y", *rows]))
    options = ("--target", "y", "--output", tmp_path, "--no-report", "--time-limit", 1)
    code, _, err = run(capsys, "fit", tmp_path / "data.csv", *options)
    assert code == 0 and "Note: 'when' looks like dates, such as '01/05/2024', and is text: " in err


def test_values_that_are_infinite_missing_everywhere_or_no_weights(capsys, tmp_path, table):
    path = written(tmp_path, "a,approved\n1,x\ninf,y\n")
    assert "'a' of" in fit_refused(capsys, path)
    assert "holds infinity, first in row 2" in fit_refused(capsys, path)
    path = written(tmp_path, "a,b,approved\n1,,x\n2,,y\n")
    assert "Every row" in fit_refused(capsys, path, "--skip-missing")
    assert "are text: give numbers" in fit_refused(capsys, table, "--weights", "colour")
    path = written(tmp_path, "a,w,approved\n1,1,x\n2,-3,y\n")
    assert "go down to -3" in fit_refused(capsys, path, "--weights", "w")


@pytest.mark.parametrize(
    "options, told",
    [
        (["--alpha", "-1"], "alpha is -1.0"),
        (["--alpha", "x"], "'x' is not a number"),
        (["--tree", "99"], "max_depth is 99"),
        (["--test-size", "1.5"], "is not a share"),
        (["--time-limit", "0"], "is not a time"),
        (["--time-limit", "soon"], "is not a number"),
        (["--seed", "-3"], "is not a seed"),
        (["--jobs", "0"], "n_jobs is 0"),
        (["--name", "a/b"], "without folders"),
        (["--epsilon", "2", "--split", "multivariate"], "epsilon is 2.0"),
        (["--epsilon", "0.01"], "--epsilon is a margin of weighted sums"),
        (["--favourable", "yes"], "name their column with --sensitive"),
        (["--delimiter", "::"], "give one character"),
        (["--exact", "magic"], "invalid choice"),
        (["--parity", "0.8"], "--parity compares groups: name their column with --sensitive"),
        (["--nonsense"], "unrecognized arguments"),
    ],
)
def test_options_out_of_range(capsys, table, options, told):
    if options[0] == "--tree":  # QUICK asks for a skeleton
        sentence = refused(capsys, "fit", table, "--target", "approved", *options)
    else:
        sentence = fit_refused(capsys, table, *options)
    assert told in sentence


def test_a_skeleton_that_is_none(capsys, table):
    sentence = refused(capsys, "fit", table, "--target", "approved", "--skeleton", "1-3")
    assert "The skeleton 1-3 has 3 nodes in layer 1 under 1" in sentence


def test_a_folder_that_cannot_be_made(capsys, table):
    sentence = refused(capsys, "fit", table, "--target", "approved", "--output", table / "sub", *QUICK)
    assert "is not a directory" in sentence


def test_a_folder_that_may_not_be_written_is_refused_before_the_fit(capsys, table, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "you may not write into" in fit_refused(capsys, table)


@pytest.mark.parametrize("command", ["show", "export", "predict", "verify"])
@pytest.mark.parametrize(
    "content, told",
    [
        (b'{"learner": {"objective": "binary"}}', "has no field 'format'"),
        (b"tree\nversion=v4\n", "is not complete JSON"),
        (b"\x80\x04\x95\xff", "is not text"),
        (b"[]", "other.json cannot be used as a model of oddlearn"),
        (None, "There is no file"),
    ],
    ids=["json", "text", "pickle", "list", "absent"],
)
def test_model_files_from_other_tools(capsys, tmp_path, table, command, content, told):
    path = tmp_path / "other.json"
    if content is not None:
        path.write_bytes(content)
    further = {"export": ["--to", "c"], "predict": [table], "verify": [table]}.get(command, [])
    assert told in refused(capsys, command, path, *further)


def test_a_model_file_that_was_changed(capsys, trained, tmp_path):
    changed = (trained / "model.json").read_text().replace('"test_size": 0.25', '"test_size": 0.5')
    (tmp_path / "model.json").write_text(changed)
    assert "was changed" in refused(capsys, "show", tmp_path / "model.json")


def test_commands_that_do_not_exist_and_arguments_that_lack(capsys):
    assert "invalid choice: 'fitt'" in refused(capsys, "fitt")
    assert "are required: data, --target. See 'oddlearn fit --help'." in refused(capsys, "fit")


def test_without_a_command_help_is_shown(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert "oddlearn fit data.csv --target y" in out
