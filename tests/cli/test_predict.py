"""``oddlearn predict``: answers in the order of the rows, for tables that have the model's columns."""

import csv
import io
import json
import os

import numpy as np
import pytest

import oddlearn
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.encoding import needed_columns
from tests.cli.commands import NAMES, QUICK, as_text, people, refused, run


def rows_of(out):
    return list(csv.DictReader(io.StringIO(out)))


@pytest.fixture
def model(trained):
    return oddlearn.load(trained / "model.json")


def features(rows):
    columns = list(zip(*rows, strict=True))
    owner = np.array(columns[3]) == "true"
    return ColumnTable.from_mapping(
        {"age": columns[0], "income": columns[1], "colour": columns[2], "owner": owner}
    )


def test_the_answers_are_those_of_the_model(capsys, trained, model, tmp_path):
    rows = people(seed=5)
    (tmp_path / "new.csv").write_text(as_text([row[:4] for row in rows], names=NAMES[:4]))
    code, out, err = run(capsys, "predict", trained / "model.json", tmp_path / "new.csv", "--proba")
    assert (code, err) == (0, "")
    told = rows_of(out)
    assert [row["prediction"] for row in told] == model.predict(features(rows)).tolist()
    probabilities = [[float(row["probability_no"]), float(row["probability_yes"])] for row in told]
    assert probabilities == model.predict_proba(features(rows)).tolist()


def test_columns_may_come_in_another_order_and_with_others(capsys, trained, tmp_path):
    rows = people(seed=5)
    plain = run(capsys, "predict", trained / "model.json", trained / "people.csv")[1]
    turned = [(*row[::-1], "more") for row in people()]
    (tmp_path / "turned.csv").write_text(as_text(turned, names=(*NAMES[::-1], "further")))
    assert len(rows) == len(turned)
    assert run(capsys, "predict", trained / "model.json", tmp_path / "turned.csv")[1] == plain


def test_the_accuracy_is_told_where_the_target_is_known(capsys, trained):
    _code, out, err = run(capsys, "predict", trained / "model.json", trained / "people.csv")
    labels = [row[4] for row in people()]
    share = np.mean([row["prediction"] == label for row, label in zip(rows_of(out), labels, strict=True)])
    first, blank, head, *metrics = err.splitlines()
    assert (first, blank) == (f"Accuracy: {100 * share:.1f} % on 60 rows", "")
    assert head.split("  ")[0] == "metrics (rows)" and head.endswith("model  always no")
    assert metrics[0].split()[:3] == ["accuracy", f"{100 * share:.1f}", "%"]
    assert [line.split("  ")[0] for line in metrics[1:6]] == [
        "balanced accuracy",
        "ROC AUC",
        "Brier score",
        "precision of no",
        "recall of no",
    ]


def test_the_table_can_be_repeated_and_written_to_a_file(capsys, trained, tmp_path):
    target = tmp_path / "answers.csv"
    arguments = ("predict", trained / "model.json", trained / "people.csv", "--with-data", "--output", target)
    code, out, _ = run(capsys, *arguments)
    assert (code, out) == (0, "")
    told = rows_of(target.read_text())
    assert list(told[0]) == [*NAMES, "prediction"]
    assert [float(row["income"]) for row in told] == [row[1] for row in people()]
    assert "exists already" in refused(capsys, *arguments)
    assert run(capsys, *arguments, "--force")[0] == 0


def test_what_is_read_is_not_replaced_and_names_say_the_format(capsys, trained, tmp_path):
    model, data = tmp_path / "model.json", tmp_path / "people.csv"
    for copy in (model, data):
        copy.write_bytes((trained / copy.name).read_bytes())
    for path in (model, data):
        told = refused(capsys, "predict", model, data, "--output", path, "--force")
        assert "is what this command reads" in told
        assert path.read_bytes() == (trained / path.name).read_bytes()
    assert "is what" in refused(capsys, "export", model, "--to", "sql", "--output", model, "--force")
    assert "not written as .xlsx" in refused(capsys, "predict", model, data, "--output", tmp_path / "a.xlsx")
    assert run(capsys, "predict", model, data, "--with-data", "--output", tmp_path / "a.tsv")[0] == 0
    assert (tmp_path / "a.tsv").read_text().splitlines()[0].split("\t") == [*NAMES, "prediction"]


def test_a_pipe_is_written_to_and_not_replaced(capsys, trained, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    given = (trained / "model.json", trained / "people.csv")
    assert run(capsys, "predict", *given, "--output", tmp_path / "pipe")[0] == 0
    assert (tmp_path / "pipe").is_fifo()
    assert os.read(reader, 100_000).decode().splitlines()[0] == "prediction"
    os.close(reader)


def test_machines_get_lists(capsys, trained, model):
    _, out, _ = run(capsys, "predict", trained / "model.json", trained / "people.csv", "--json")
    told = json.loads(out)
    assert told["prediction"] == model.predict(features(people())).tolist()
    assert told["metrics"]["rows"] == 60
    assert set(told["metrics"]["model"]["recall"]) == {"no", "yes"}


def test_infinity_in_a_column_beside_is_no_json(capsys, trained, tmp_path):
    lines = (trained / "people.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join([lines[0] + ",far", *(line + ",inf" for line in lines[1:])]))
    given = ["predict", trained / "model.json", tmp_path / "new.csv", "--with-data"]
    assert "The column 'far' holds infinity, which JSON lacks" in refused(capsys, *given, "--json")
    assert run(capsys, *given)[0] == 0


def test_a_category_column_of_numbers_only_is_still_text(capsys, tmp_path):
    rows = [(str(1 + place % 3) if place % 7 else "A", place, "ab"[place % 3 == 1]) for place in range(60)]
    (tmp_path / "data.csv").write_text(as_text(rows, names=("grade", "place", "y")))
    quick = (*QUICK, "--no-report")
    assert run(capsys, "fit", tmp_path / "data.csv", "--target", "y", "--output", tmp_path, *quick)[0] == 0
    numbers = [row for row in rows if row[0] != "A"]
    (tmp_path / "numbers.csv").write_text(as_text(numbers, names=("grade", "place", "y")))
    everything = rows_of(run(capsys, "predict", tmp_path / "model.json", tmp_path / "data.csv")[1])
    _code, out, err = run(capsys, "predict", tmp_path / "model.json", tmp_path / "numbers.csv")
    assert "Note" not in err
    expected = [answer for answer, row in zip(everything, rows, strict=True) if row[0] != "A"]
    assert rows_of(out) == expected


def trained_with_commas(capsys, folder):
    """Write data.csv with semicolons and decimal commas, thousands in some rows, and train on it."""
    prices = [f"{place}.000" if place % 2 else f"{place}.234,5" for place in range(1, 21)]
    rows = [(price, "yes" if place > 8 else "no") for place, price in enumerate(prices)]
    (folder / "data.csv").write_text(as_text(rows, ";", names=("price", "bought")))
    options = ("--target", "bought", "--output", folder, "--test-size", "0", *QUICK)
    assert run(capsys, "fit", folder / "data.csv", *options)[0] == 0


def test_decimal_commas_are_read_as_in_training(capsys, tmp_path):
    trained_with_commas(capsys, tmp_path)
    model, new = tmp_path / "model.json", tmp_path / "new.csv"
    new.write_text("id;price\n7;2.000\n8;19.000\n")
    _code, out, err = run(capsys, "predict", model, new)
    assert out == "prediction\nno\nyes\n"
    assert err == "Note: Commas are taken for decimal commas in 'price' (see --decimal).\n"
    # what is said on the line goes first: these are 2 and 19
    assert run(capsys, "predict", model, new, "--decimal", ".")[1] == "prediction\nno\nno\n"
    new.write_text("price\n2,5\n19000,5\n")  # one column: nothing to tell the delimiter by
    assert run(capsys, "predict", model, new)[1] == "prediction\nno\nyes\n"
    new.write_text("id,price\n7,2000.125\n8,19000.125\n")  # another kind of file, so its own rules
    assert run(capsys, "predict", model, new)[1] == "prediction\nno\nyes\n"
    assert run(capsys, "verify", model, tmp_path / "data.csv")[0] == 0


def test_unknown_categories_are_noted(capsys, trained, tmp_path):
    (tmp_path / "new.csv").write_text("age,income,colour,owner\n50,1.5,violet,true\n")
    code, _out, err = run(capsys, "predict", trained / "model.json", tmp_path / "new.csv", "--proba")
    assert code == 0
    assert err.startswith("Note: ")
    assert err.count("'violet'") == 1


def test_one_row_is_one_row(capsys, trained, tmp_path):
    (tmp_path / "new.csv").write_text("age,income,colour,owner,approved\n50,1.5,red,true,no\n")
    err = run(capsys, "predict", trained / "model.json", tmp_path / "new.csv")[2]
    assert err.splitlines()[0].endswith(" % on 1 row")


def test_tables_that_do_not_fit_are_refused(capsys, trained, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("age,income,color,owner\n50,1.5,red,true\n")
    told = refused(capsys, "predict", trained / "model.json", path)
    assert "no column 'colour' (the model needs it): did you mean 'color'?" in told
    path.write_text("age,income,colour,owner\nold,1.5,red,true\n")
    assert "age" in refused(capsys, "predict", trained / "model.json", path)


def test_values_may_be_missing_and_columns_that_are_not_asked_about_absent(capsys, trained, tmp_path):
    model = oddlearn.load(trained / "model.json")
    rows = {"age": "50", "income": "1.5", "colour": "red", "owner": "true"}
    path = tmp_path / "new.csv"
    path.write_text("age,income,colour,owner\n50,,red,true\n,1.5,red,true\n")
    code, out, _ = run(capsys, "predict", trained / "model.json", path)
    assert (code, len(out.splitlines())) == (0, 3)
    names = list(model.feature_names_in_)
    asked = {names[place] for place in needed_columns(model)}
    assert 0 < len(asked) < len(names)
    kept = {name: value for name, value in rows.items() if name in asked}
    path.write_text(f"{','.join(kept)}\n{','.join(kept.values())}\n")
    assert run(capsys, "predict", trained / "model.json", path)[0] == 0


def test_a_model_without_names_takes_columns_by_their_order(capsys, tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    model = oddlearn.OptimalDecisionDiagramClassifier("1", max_iter=5, random_state=0)
    model.fit(X, [0, 0, 0, 1, 1, 1]).save(tmp_path / "model.json")
    (tmp_path / "rows.csv").write_text("first,second\n0,1\n10,11\n")
    _code, out, _ = run(capsys, "predict", tmp_path / "model.json", tmp_path / "rows.csv")
    assert out == "prediction\n0\n1\n"
    (tmp_path / "rows.csv").write_text("first,second,third\n0,1,2\n")
    told = refused(capsys, "predict", tmp_path / "model.json", tmp_path / "rows.csv")
    assert "trained on 2 columns without names" in told
