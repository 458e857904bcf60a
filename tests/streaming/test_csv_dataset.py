"""CSV files as one dataset: types from the first rows that have any, names, and dates that are none later."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from oddlearn.errors import InvalidInputError
from oddlearn.streaming import csv_dataset
from oddlearn.streaming.csv_dataset import open_csv_dataset, parse_text_dates
from oddlearn.table.column_table import Column
from oddlearn.table.read_table import ReadOptions


def write(folder, *texts):
    paths = [folder / f"{number}.csv" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths


def types_of(dataset):
    return {field.name: str(field.type) for field in dataset.schema}


def test_types_are_those_of_the_first_file_that_has_a_value(tmp_path):
    files = write(tmp_path, "a,b,c,y\n,1,x,1\n", "a,b,c,y\n2.5,x,3,2\n", "a,b,c,y\nx,2,z,3\n")
    dataset, dates, left_out = open_csv_dataset(files, None, "y")
    assert types_of(dataset) == {"a": "double", "b": "double", "c": "string", "y": "int64"}
    assert (dates, left_out) == ((), ())
    assert types_of(open_csv_dataset(files, None, None)[0])["y"] == "double"


def test_a_first_file_without_rows_is_passed_over(tmp_path):
    files = write(tmp_path, "a,y\n", "a,y\n \n", "a,y\ntrue,1.5\n")
    assert types_of(open_csv_dataset(files, None, "y")[0]) == {"a": "bool", "y": "double"}


def test_files_without_anything_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"0\.csv is empty: give a file with a line of column names"):
        open_csv_dataset(write(tmp_path, ""), None, "y")


def test_types_are_found_from_whole_lines_of_the_head(tmp_path, monkeypatch):
    text = "a,y\n" + "1,0\n" * 3 + "x,1\n"
    (path,) = write(tmp_path, text)
    for n_bytes, n_rows in ((len(text), 4), (len(text) - 1, 3), (len(text) - 4, 3), (len(text) - 5, 2)):
        monkeypatch.setattr(csv_dataset, "HEAD_BYTES", n_bytes)
        head = csv_dataset._read_head(path, ReadOptions())
        assert head.columns[0].values.size == n_rows
        assert head.columns[0].kind == ("text" if n_rows == 4 else "number")


def test_names_are_stripped_numbered_or_made_up(tmp_path):
    files = write(tmp_path, " a ,,y\n1,2,0\n3,5,1\n")
    assert list(types_of(open_csv_dataset(files, None, "y")[0])) == ["a", "column 2", "y"]
    bare = open_csv_dataset(files, ReadOptions(has_header=False), "x2")[0]
    assert list(types_of(bare)) == ["x0", "x1", "x2"]


def test_other_delimiters_commas_and_encodings_are_read(tmp_path):
    files = write(tmp_path, "größe;y\n1,5;no\n2,5;ja\nfehlt;ja\n".encode("cp1252"))
    reading = ReadOptions(encoding="cp1252", missing=("fehlt",))
    dataset, _, _ = open_csv_dataset(files, reading, "y")
    assert types_of(dataset) == {"größe": "double", "y": "string"}
    assert dataset.to_table().to_pydict() == {"größe": [1.5, 2.5, None], "y": ["no", "ja", "ja"]}
    reading = ReadOptions(decimal=",", delimiter=";", encoding="cp1252", missing=("fehlt",))
    assert open_csv_dataset(files, reading, "y")[0].to_table()["größe"].to_pylist() == [1.5, 2.5, None]


def test_the_first_line_is_a_row_only_without_a_header(tmp_path):
    files = write(tmp_path, "1,2\n3,4\n")
    assert open_csv_dataset(files, ReadOptions(has_header=False), "x1")[0].count_rows() == 2
    assert open_csv_dataset(files, None, "2")[0].count_rows() == 1


def column(*texts):
    return Column("since", np.array(texts, dtype=object), np.array([text == "" for text in texts]))


def test_texts_of_dates_are_dates():
    dates = parse_text_dates(column("2024-01-02", " 2024-01-03 ", ""), "a.csv")
    assert dates.kind == "date" and dates.missing.tolist() == [False, False, True]
    assert dates.values.astype("datetime64[D]").astype(str).tolist()[:2] == ["2024-01-02", "2024-01-03"]
    nothing = parse_text_dates(column("", ""), "a.csv")
    assert nothing.kind == "date" and nothing.missing.all() and np.isnat(nothing.values).all()


def test_a_column_of_dates_that_holds_text_later_is_named_with_the_text():
    with pytest.raises(InvalidInputError) as told:
        parse_text_dates(column("", "soon", "2024-01-02"), "a.csv")
    assert str(told.value) == (
        "The column since of a.csv holds dates in its first rows and text such as 'soon' later: give dates "
        "in all of them."
    )
