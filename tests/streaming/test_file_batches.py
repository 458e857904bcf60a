"""Files read in batches: which ones are data, what is refused, and in which words."""

import numpy as np
import pandas as pd
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.streaming.file_batches import _list_files, _reading_text, open_batches, partition_options

FRAME = pd.DataFrame({"a": np.arange(6.0), "t": list("xyzxyz"), "y": [0, 1] * 3, "w": [1.0, 2.0] * 3})


def write(path, frame=FRAME):
    path.parent.mkdir(parents=True, exist_ok=True)
    (frame.to_parquet if path.suffix == ".parquet" else frame.to_csv)(path, index=False)
    return path


def names_of(folder):
    return [path.relative_to(folder).as_posix() for path in _list_files(folder)]


def test_of_a_folder_the_files_of_data_are_read_sorted(tmp_path):
    for name in ("b.parquet", "a.parquet", "sub/c.parquet", ".hidden.parquet", "_temporary/d.parquet"):
        write(tmp_path / name)
    (tmp_path / "README.txt").write_text("what the columns mean")
    assert names_of(tmp_path) == ["a.parquet", "b.parquet", "sub/c.parquet"]
    assert _list_files(tmp_path / "b.parquet") == [tmp_path / "b.parquet"]


def test_text_files_are_data_where_there_is_nothing_else(tmp_path):
    write(tmp_path / "a.txt")
    assert names_of(tmp_path) == ["a.txt"]
    write(tmp_path / "b.csv")
    assert names_of(tmp_path) == ["b.csv"]


def test_folders_of_no_files_or_of_two_kinds_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="no file or folder"):
        _list_files(tmp_path / "nowhere")
    with pytest.raises(InvalidInputError, match="has no Parquet or CSV file"):
        _list_files(tmp_path)
    write(tmp_path / "a.parquet")
    write(tmp_path / "b.csv")
    with pytest.raises(
        InvalidInputError, match="has both Parquet and CSV files: give a folder with one kind"
    ):
        _list_files(tmp_path)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "folder"])
def test_batches_have_the_columns_that_are_left(tmp_path, name):
    path = tmp_path / name
    write(path / "0.parquet" if name == "folder" else path)
    batches = open_batches(path, "y", "w", dropped=("t",))
    assert batches.names == ("a",)
    (samples,) = batches.read()
    assert samples.y.tolist() == [0, 1] * 3 and samples.sample_weight.tolist() == [1.0, 2.0] * 3
    assert [column.values.tolist() for column in samples.X.columns] == [[0, 1, 2, 3, 4, 5]]
    assert open_batches(path, None).names == ("a", "t", "y", "w")


def test_a_table_without_a_column_to_learn_from_is_refused(tmp_path):
    path = write(tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match="has no column left to learn from: drop fewer columns"):
        open_batches(path, "y", "w", dropped=("a", "t"))
    with pytest.raises(InvalidInputError, match="has no column 'z'"):
        open_batches(path, "z")


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1.0, None] * 3, "missing values"), (list("abcabc"), "text"), ([True] * 6, "boolean")],
)
def test_weights_that_are_no_numbers_are_refused(tmp_path, weights, words):
    path = write(tmp_path / "a.parquet", FRAME.assign(w=weights))
    with pytest.raises(InvalidInputError, match=f"The weights 'w' of .*a.parquet hold {words}: give numbers"):
        list(open_batches(path, "y", "w").read())


def test_files_with_other_columns_or_types_are_refused(tmp_path):
    write(tmp_path / "0.parquet")
    write(tmp_path / "1.parquet", FRAME[["t", "a", "y", "w"]])
    with pytest.raises(InvalidInputError, match="the same columns in the same order"):
        open_batches(tmp_path, "y")
    write(tmp_path / "1.parquet", FRAME.assign(a="text"))
    with pytest.raises(InvalidInputError, match="give files with the same types"):
        open_batches(tmp_path, "y")
    write(tmp_path / "1.parquet", FRAME.assign(a=None))
    assert [len(batch.y) for batch in open_batches(tmp_path, "y").read()] == [6, 6]


@pytest.mark.parametrize("columns", [["t", "a", "y", "w"], ["a", "t", "y"], ["a", "t", "y", "w", "w2"]])
def test_csv_files_with_other_columns_are_refused(tmp_path, columns):
    """pyarrow would read them by place: the first file's "a" would be the second one's "t"."""
    write(tmp_path / "0.csv")
    write(tmp_path / "1.csv", FRAME.assign(w2=1)[columns])
    with pytest.raises(InvalidInputError, match=r"1.csv has the columns .*same columns in the same order"):
        open_batches(tmp_path, "y")


@pytest.mark.parametrize(("first", "late", "kind"), [(1.5, "far", "numbers"), (True, "perhaps", "booleans")])
def test_a_csv_value_of_another_kind_is_named_with_line_and_column(tmp_path, first, late, kind):
    write(tmp_path / "0.csv", FRAME.assign(a=first))
    write(tmp_path / "1.csv", FRAME.assign(a=[first] * 4 + [late] * 2))
    told = rf"1.csv, line 6: the column a holds '{late}', and {kind} in the first rows of the table: give"
    with pytest.raises(InvalidInputError, match=told):
        list(open_batches(tmp_path, "y").read())


def test_csv_files_that_are_empty_or_no_text_are_refused(tmp_path):
    write(tmp_path / "0.csv")
    (tmp_path / "1.csv").write_text("")
    with pytest.raises(InvalidInputError, match=r"1.csv is empty: give a file with a line of column names"):
        open_batches(tmp_path, "y")
    (tmp_path / "1.csv").write_bytes(bytes(range(256)) * 2000)
    with pytest.raises(InvalidInputError, match=r"1.csv (has the columns|cannot be read: )"):
        open_batches(tmp_path, "y")


def test_csv_files_of_column_names_alone_are_refused(tmp_path):
    for name in ("0.csv", "1.csv"):
        (tmp_path / name).write_text("a,b,y\n")
    with pytest.raises(InvalidInputError, match=r"0.csv has column names and no rows below them: give at"):
        open_batches(tmp_path, "y")


def test_a_file_that_is_damaged_or_gone_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InvalidInputError, match=r"a\.parquet cannot be read: "):
        open_batches(path, "y")
    assert (
        _reading_text("f", FileNotFoundError("x"))
        == "f is not there any more: give the files again, and fit anew."
    )
    assert _reading_text("f", OSError("Broken.\nmore")) == "f cannot be read: Broken."


def test_names_of_subfolders_are_columns_of_folders_only(tmp_path):
    write(tmp_path / "town=Aix" / "0.parquet")
    assert partition_options(tmp_path / "town=Aix" / "0.parquet") == {}
    assert partition_options(tmp_path)["partition_base_dir"] == str(tmp_path)
    assert open_batches(tmp_path, "y").names == ("a", "t", "w", "town")


def test_tables_have_the_columns_named_or_all_of_them(tmp_path):
    batches = open_batches(write(tmp_path / "a.parquet"), "y")
    assert [table.schema.names for table in batches.tables()] == [["a", "t", "y", "w"]]
    assert [table.schema.names for table in batches.tables(["w", "a"])] == [["w", "a"]]
