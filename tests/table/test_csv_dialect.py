"""A file is read as one like it was before, unless it is of another kind or the reader is told otherwise."""

import pytest

from oddlearn.table.csv_reader import CsvDialect
from oddlearn.table.read_table import ReadOptions, read_table

COMMAS = CsvDialect(";", None, ("price",))


@pytest.fixture
def read(tmp_path):
    def read(content, **reading):
        path = tmp_path / "data.csv"
        path.write_text(content)
        return read_table(str(path), ReadOptions(**reading))

    return read


def test_a_table_knows_how_it_was_read(read):
    assert read("price;id\n1,5;1\n").dialect == COMMAS
    assert read("price;id\n1.5;1\n", decimal=",").dialect == CsvDialect(";", ",", ())
    assert read("price,id\n1.5,1\n").dialect == CsvDialect(",", None, ())


@pytest.mark.parametrize(
    ("content", "dialect", "price"),
    [
        ("id;price\n1;2.000\n", COMMAS, 2000),
        ("id;price\n1;2.000\n", CsvDialect(), 2.0),
        ("id;price\n1;2.5\n", COMMAS, 2.5),
        ("id,price\n1,2.000\n", COMMAS, 2.0),
        ("price\n2,5\n", COMMAS, 2.5),
        ("id;price\n1;2.000\n", CsvDialect(";", ",", ()), 2000),
        ("id;price\n1;2.000\n", CsvDialect(";", ".", ("price",)), 2.0),
    ],
)
def test_the_same_delimiter_means_the_same_decimals(read, content, dialect, price):
    assert read(content, dialect=dialect).column("price").values.tolist() == [price]


def test_what_is_given_goes_before_the_habit(read):
    assert read("id;price\n1;2.000\n", dialect=COMMAS, decimal=".").column("price").values.tolist() == [2.0]
    assert read("id;price,x\n1;2,y\n", dialect=COMMAS, delimiter=",").names == ("id;price", "x")


def test_a_row_that_the_sample_of_a_long_file_cuts_off_does_not_count(read):
    rows = ["first;second;third,number", *([f"{'x' * 9000},1"] * 20)]
    assert read("\n".join(rows)).dialect.delimiter == ","


MIXED = "income,y\n" + "".join(f"{value},{value % 2}\n" for value in range(18)) + "refused,1\nunknown,0\n"


def test_a_few_words_among_numbers_are_told(read):
    table = read(MIXED)
    assert table.column("income").kind == "text"
    assert table.messages == (
        "'income' holds numbers and 'refused', 'unknown' (2 of 20 rows): it is read as categories. If a "
        "missing value is meant, give --missing refused,unknown.",
    )


@pytest.mark.parametrize("words", [["a", "b", "c", "d", "e"], ["low"] * 18])
def test_many_words_are_categories_and_not_told(read, words):
    assert read("income\n" + "\n".join(["1", "2", *words]) + "\n").messages == ()


@pytest.mark.parametrize(
    "missing", [{"missing": ("refused", "unknown")}, {"dialect": CsvDialect(missing=("refused", "unknown"))}]
)
def test_texts_that_are_named_are_missing_values(read, missing):
    table = read(MIXED, **missing)
    assert table.messages == ()
    assert table.column("income").kind == "number"
    assert table.column("income").missing.tolist() == [False] * 18 + [True] * 2
    assert set(table.dialect.missing) == {"refused", "unknown"}


def test_a_code_that_is_named_is_a_missing_value(read):
    column = read("income\n1\n-999\n", missing=("-999",)).column("income")
    assert column.missing.tolist() == [False, True]
