"""Files as people have them: delimiters, encodings, quotes, missing values, and what is wrong with them."""

import bz2
import csv
import gzip
import io
import lzma
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddlearn.errors import InvalidInputError
from oddlearn.table.csv_reader import MISSING, infer_column
from oddlearn.table.read_table import ReadOptions, read_table

PLAIN = "age,income,colour,owner\n18,1.5,red,true\n40,2.25,dark blue,FALSE\n"


@pytest.fixture
def read(tmp_path):
    """Return a function that reads text or bytes as a file."""

    def read_content(content, name="data.csv", reading=None, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(str(path), reading, **options)

    return read_content


def values(table):
    return {column.name: column.values.tolist() for column in table.columns}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(read, delimiter):
    table = read(PLAIN.replace(",", delimiter))
    assert values(table) == {
        "age": [18, 40],
        "income": [1.5, 2.25],
        "colour": ["red", "dark blue"],
        "owner": [True, False],
    }
    assert [column.kind for column in table.columns] == ["number", "number", "text", "boolean"]
    assert table.messages == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_byte_order_marks_and_line_endings_are_understood(read, encoding, ending):
    table = read(PLAIN.replace("\n", ending).encode(encoding))
    assert table.names == ("age", "income", "colour", "owner")
    assert table.n_rows == 2


def test_quoted_fields_keep_delimiters_line_breaks_and_quotes(read):
    table = read('name,y\n"a, ""b""\nc",1\n" d ",2\n')
    assert values(table) == {"name": ['a, "b"\nc', "d"], "y": [1, 2]}


def test_blank_lines_are_passed_over(read):
    assert values(read("a,b\n\n1,2\n\n\n3,4\n\n")) == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize(
    ("written", "number"),
    [("1,5", 1.5), ("-0,25", -0.25), ("1.234,5", 1234.5), ("3", 3.0), ("1,5e3", 1500.0)],
)
def test_decimal_commas_are_read_and_told(read, written, number):
    table = read(f"a;y\n{written};x\n2,5;z\n")
    assert values(table)["a"] == [number, 2.5]
    assert table.messages == ("Commas are taken for decimal commas in 'a' (see --decimal).",)


def test_between_commas_a_quoted_comma_is_no_decimal_comma_unless_told(read):
    content = 'a,y\n"1,234",x\n"2,5",z\n'
    assert read(content).columns[0].kind == "text"
    assert values(read(content, reading=ReadOptions(decimal=",")))["a"] == [1.234, 2.5]


@pytest.mark.parametrize("word", sorted(MISSING))
def test_missing_values_do_not_change_what_a_column_is(read, word):
    table = read(f"number,whole,truth,text\n1.5,2,true,x\n{word},{word},{word},{word}\n")
    assert [column.kind for column in table.columns] == ["number", "number", "boolean", "text"]
    assert [column.missing.tolist() for column in table.columns] == [[False, True]] * 4
    assert table.incomplete_rows().tolist() == [False, True]


def test_numbers_with_underscores_are_text(read):
    assert values(read("a,b\n1_2,1\n3_4,2\n"))["a"] == ["1_2", "3_4"]


def test_numbers_beyond_64_bits_are_floats(read):
    assert values(read(f"a,b\n{10**30},1\n7,2\n"))["a"] == [1e30, 7.0]


def test_named_columns_are_kept_as_text(read):
    assert values(read("a,b\n01,1\n2,2\n", text_columns=("a",))) == {"a": ["01", "2"], "b": [1, 2]}


def test_without_a_header_columns_are_numbered(read):
    assert values(read("1,x\n2,z\n", reading=ReadOptions(has_header=False))) == {
        "x0": [1, 2],
        "x1": ["x", "z"],
    }


def test_a_header_of_numbers_and_a_header_without_a_name_are_told(read):
    assert "--no-header" in read("1,2\n3,4\n").messages[0]
    table = read(",a\n7,5\n1,6\n")
    assert table.names == ("column 1", "a")
    assert table.messages == ("The header has no name for 'column 1'.",)


@pytest.mark.parametrize("first", [0, 1])
def test_a_column_without_a_name_that_counts_the_rows_is_left_out(read, first):
    table = read(f",a,\n{first},5,x\n{first + 1},6,y\n")
    assert table.names == ("a", "column 3")
    assert table.messages == (
        "The header has no name for 'column 3'.",
        "'column 1' has no name and counts the rows: it is left out.",
    )
    assert read(f"row,a\n{first},5\n{first + 1},6\n").names == ("row", "a")


def test_dates_of_a_file_are_dates_and_keep_their_text(read):
    table = read("day,time,zone\n2021-03-04,2021-03-04 05:06,2021-03-04T05:06Z\n,2021-03-05 00:00:01,\n")
    assert [column.kind for column in table.columns] == ["date"] * 3
    assert [column.is_utc for column in table.columns] == [False, False, True]
    assert table.columns[0].missing.tolist() == [False, True]
    assert table.columns[1].as_text().values.tolist() == ["2021-03-04 05:06", "2021-03-05 00:00:01"]
    assert read("day\n2021-03-04\nsoon\n").columns[0].kind == "text"
    assert read("day\n2021-02-30\n2021-03-01\n").columns[0].kind == "text"


REFUSED = {
    "empty file": (b"", "data.csv is empty"),
    "blank file": (b" \n\n", "data.csv is empty"),
    "header only": (b"a,b\n", "has no rows"),
    "ragged row": (b'a,b\n"1\n1",2\n3,4,5\n', "data.csv, line 4: 3 fields, but the header has 2"),
    "short row": (b"a,b\n1,2\n3\n", "data.csv, line 3: 1 field, but the header has 2"),
    "open quote": (b'a,b\n1,2\n"3,4\n', "data.csv, line 3: a quote is opened and never closed"),
    "long field": (b"a,b\n1," + b"x" * 140_000 + b"\n", "data.csv, line 2: a field is longer than 131,072"),
    "text after quote": (b'a,b\n"1"x,2\n', "data.csv, line 2: a closing quote is followed by more text"),
    "other encoding": (b"a,b\n1,caf\xe9\n", "byte 0xe9 at position 9, in line 2"),
    "zero byte": (b"a,b\n1,\x002\n", "zero byte in line 2"),
    "equal names": (b"a,b,a\n1,2,3\n", "more than one column called 'a'"),
}


@pytest.mark.parametrize("content, told", REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_with_a_file_is_said_and_where(read, content, told):
    with pytest.raises(InvalidInputError, match=r"data\.csv") as refusal:
        read(content)
    assert told in str(refusal.value)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="There is no file"):
        read_table(str(tmp_path / "absent.csv"))
    with pytest.raises(InvalidInputError, match="is a directory"):
        read_table(str(tmp_path))


@pytest.mark.parametrize("delimiter", [",,", "", '"', "\n"])
def test_a_delimiter_is_one_character(delimiter):
    with pytest.raises(InvalidInputError, match="give one character"):
        ReadOptions(delimiter=delimiter)


def test_a_byte_order_mark_is_no_part_of_a_name_even_if_the_encoding_is_given(read):
    assert read(PLAIN.encode("utf-8-sig"), reading=ReadOptions(encoding="utf-8")).names[0] == "age"


def test_an_unknown_encoding_is_refused(read):
    with pytest.raises(InvalidInputError, match="'klingon' is not known"):
        read(PLAIN, reading=ReadOptions(encoding="klingon"))


@pytest.mark.parametrize(
    ("content", "encoding"),
    [(b"a,y\n1,2\n", "utf-16"), (b"a,y\n1,2\n", "UTF-16BE"), ("a,y\n1,2\n".encode("utf-16"), "utf-16-be")],
)
def test_utf_16_that_is_none_is_named(read, content, encoding):
    with pytest.raises(InvalidInputError, match=f"is not {encoding} text"):
        read(content, reading=ReadOptions(encoding=encoding))


def test_an_encoding_that_is_named_is_used(read):
    assert values(read("a,b\n1,é\n".encode("cp1252"), reading=ReadOptions(encoding="cp1252")))["b"] == ["é"]


def test_the_nearest_name_is_suggested(read):
    table = read(PLAIN)
    with pytest.raises(InvalidInputError, match=r"no column 'Colur' \(--target\): did you mean 'colour'\?"):
        table.column("Colur", "--target")
    with pytest.raises(InvalidInputError, match="it has 'age', 'income'"):
        table.column("zzz")


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6),
    delimiter=st.sampled_from([",", ";", "\t"]),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows, delimiter):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("first", "second", "third"), *rows])
    path = tmp_path_factory.mktemp("written") / "data.csv"
    path.write_bytes(stream.getvalue().encode())
    table = read_table(str(path), text_columns=("first", "second", "third"))
    for place, column in enumerate(table.columns):
        expected = [row[place].strip() for row in rows]
        known = [
            None if lacking else text for text, lacking in zip(column.values, column.missing, strict=True)
        ]
        assert known == [None if text in MISSING else text for text in expected]


def one_by_one(texts):
    """Return what the texts of a column are, each looked at on its own: the slow twin of infer_column."""
    known = [text for text in texts if text not in MISSING]
    if any("_" in text for text in known):
        return known
    for reader in (int, float, lambda text: {"true": True, "false": False}[text.lower()]):
        try:
            return [reader(text) for text in known]
        except (ValueError, KeyError):
            continue
    return known


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.one_of(
            st.integers(-(2**40), 2**40).map(str),
            st.floats(allow_nan=False).map(repr),
            st.sampled_from(["true", "False", "", "NA", "x", "1_0", "red"]),
        ),
        max_size=6,
    )
)
def test_columns_are_typed_as_their_texts_one_by_one(texts):
    column = infer_column("a", texts, decimal=".")
    assert column.missing.tolist() == [text in MISSING for text in texts]
    found = column.values[~column.missing].tolist()
    assert found == one_by_one(texts)
    assert [type(value) for value in found] == [type(value) for value in one_by_one(texts)]


def test_infinity_is_a_number_and_nan_is_missing():
    column = infer_column("a", ["inf", "-nan", "1"], decimal=".")
    assert math.isinf(column.values[0])
    assert column.missing.tolist() == [False, True, False]


def test_a_long_file_is_read_whole(read):
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 1000, size=(20_000, 3))
    content = "a,b,c\n" + "\n".join(",".join(map(str, row)) for row in numbers.tolist())
    table = read(content)
    assert (np.column_stack([column.values for column in table.columns]) == numbers).all()


def test_a_tab_may_be_written_with_a_backslash():
    assert ReadOptions(delimiter="\\t").delimiter == "\t"
    assert ReadOptions(delimiter=";").delimiter == ";"


def test_a_parquet_file_marks_its_missing_values_itself(tmp_path):
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match="marks missing values itself: leave out --missing"):
        read_table(str(tmp_path / "a.parquet"), ReadOptions(missing=("x",)))
    assert read_table(str(tmp_path / "a.parquet")).n_rows == 2
    as_text = read_table(str(tmp_path / "a.parquet"), text_columns=("a",))
    assert [column.kind for column in as_text.columns] == ["text", "text"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"a,y\n1,x\n"), "compressed by gzip: unpack it first"),
        (bz2.compress(b"a,y\n1,x\n"), "compressed by bzip2: unpack it first"),
        (lzma.compress(b"a,y\n1,x\n"), "compressed by xz: unpack it first"),
        (b"PK\x03\x04 and so on", "an Excel workbook or a zip archive: save its sheet as CSV"),
    ],
    ids=["gzip", "bzip2", "xz", "zip"],  # the bytes of gzip hold the time: as a name they would differ
)
def test_compressed_files_and_workbooks_are_named(read, content, words):
    with pytest.raises(InvalidInputError, match=words):
        read(content)
