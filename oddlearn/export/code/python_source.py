"""A diagram as a Python module of its own, without imports."""

from __future__ import annotations

from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.diagram.timestamps import UNIT_TEXTS
from oddlearn.export.code.program import StateProgram, build_program, split_terms

HEAD = '''\
"""A decision diagram written by oddlearn: plain Python, nothing to install.

predict(row) returns the label of one row, predict_proba(row) the probability of each of LABELS. A row is a
mapping from the names in COLUMNS to values (those that are looked at will do), or a sequence with one value
per column, in their order. Numbers may be given as text, as a file has them. Dates, times and durations are
numbers as UNITS says. None, NaN and "" are missing values.
"""
'''

FUNCTIONS = '''

def predict(row):
    """Return the label of one row."""
    return LABELS[END_CLASS[_end(row)]]


def predict_proba(row):
    """Return the probability of each label, in the order of LABELS."""
    return PROBABILITIES[_end(row)]


def _value(row, column):
    is_mapping = hasattr(row, "keys")
    if not is_mapping and len(row) != len(COLUMNS):
        raise ValueError(f"The row has {len(row)} values: give {len(COLUMNS)}, one per column.")
    value = row[column] if is_mapping else row[COLUMNS.index(column)]
    # the missing value of pandas has no truth value
    is_missing = value is None or type(value).__name__ == "NAType" or value != value or value == ""
    return None if is_missing else value


def _number(row, column, fill=float("nan")):
    value = _value(row, column)
    number = fill if value is None else float(value)
    # the text "nan" is missing too
    return number if number == number else fill


def _is(row, column, category):
    return 1.0 if _value(row, column) == category else 0.0


def _is_other(row, column, categories):
    return 0.0 if _value(row, column) in categories else 1.0


def _is_missing(row, column):
    return _value(row, column) is None


def _is_nan(row, column):
    number = _number(row, column)
    return number != number


'''


def export_python(model: object, metadata: ModelMetadata | None = None) -> str:
    """Return the model as the source of a Python module, which agrees with ``predict``.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and labels of a DecisionDiagram; a classifier has its own.

    Returns
    -------
    str
        A module with ``predict(row)`` and ``predict_proba(row)``. A row is a dict of the table's columns, or
        a sequence; categories are given as they stand in the table.
    """
    program = build_program(model, metadata)
    return HEAD + _tables(program) + _functions(program) + _end(program)


def _functions(program: StateProgram) -> str:
    """Return the functions of every module; an empty text that is a category of a column is not missing."""
    columns = {feature.column for feature in program.features if feature.category == ""}
    if not columns:
        return FUNCTIONS
    test = f'(value == "" and column not in {tuple(sorted(columns))!a})'
    return FUNCTIONS.replace('value == ""', test)


def _tables(program: StateProgram) -> str:
    shares = [tuple(row) for row in program.probabilities.tolist()]
    tables = {
        "COLUMNS": [ascii(column) for column in program.columns],
        "UNITS": [
            f"({feature.column!a}, {UNIT_TEXTS[feature.timestamp_kind]!r})"
            for feature in program.features
            if feature.timestamp_kind is not None
        ],
        "LABELS": [ascii(label) for label in program.labels],
        "END_CLASS": [str(code) for code in program.end_class],
        "PROBABILITIES": [repr(row) for row in shares],
    }
    return "".join(_table(name, items) for name, items in tables.items())


def _table(name: str, items: list[str]) -> str:
    body = "".join(f"    {item},\n" for item in items)
    return f"\n{name} = (\n{body})\n"


def _end(program: StateProgram) -> str:
    """Return the function that finds the end of a row: the nodes in order, each tested once at most."""
    lines = ["def _end(row):", "    state = 0"]
    for node, split in enumerate(program.diagram.splits):
        negative, positive = program.children[node]
        test = _test(program, split)
        lines += [f"    if state == {node}:", f"        state = {positive} if {test} else {negative}"]
    return "\n".join([*lines, f"    return state - {program.n_nodes}", ""])


def _test(program: StateProgram, split: Split) -> str:
    """Return the condition of the positive side; a missing number is a NaN and not at least anything."""
    if not isinstance(split, UnivariateSplit):
        return f"{_key(program, split)} >= {split.threshold!r}"
    missing = _is_missing(program, program.features[split.feature].column)
    if split.asks_missing:
        return missing if split.missing_positive else f"not {missing}"
    test = f"{_read(program, split.feature)} >= {split.threshold!r}"
    return f"{test} or {missing}" if split.missing_positive and program.may_miss(split.feature) else test


def _key(program: StateProgram, split: Split) -> str:
    """Return the sum that is compared: Python adds term by term from the first, as predict does."""
    parts = [
        _read(program, place) if weight == 1.0 else f"{weight!r} * {_read(program, place)}"
        for place, weight in split_terms(split)
    ]
    if len(parts) < 2:
        return "".join(parts) or "0.0"
    return "(\n            " + "\n            + ".join(parts) + "\n        )"


def _read(program: StateProgram, place: int) -> str:
    feature = program.features[place]
    column = ascii(feature.column)
    if feature.kind in ("category", "other") and feature.fill is not None:
        test = _read_category(program, feature, column)
        return f"({feature.fill!r} if _is_missing(row, {column}) else {test})"
    if feature.kind in ("category", "other"):
        return _read_category(program, feature, column)
    if feature.kind == "missing":
        return _is_missing(program, feature.column)
    fill = 0.0 if feature.kind == "boolean" and feature.fill is None else feature.fill
    return f"_number(row, {column})" if fill is None else f"_number(row, {column}, {fill!r})"


def _read_category(program: StateProgram, feature: Feature, column: str) -> str:
    """Return the 0 or 1 of a category, or of all others."""
    if feature.kind == "category":
        return f"_is(row, {column}, {feature.category!a})"
    categories = program.categories(feature.column)
    # a missing value is none of the others if it has a feature of its own
    others = (None, *categories) if program.has_missing_feature(feature.column) else categories
    return f"_is_other(row, {column}, {others!a})"


def _is_missing(program: StateProgram, column: str) -> str:
    """Return the test whether a column is missing; one of numbers is, too, where it holds the text "nan"."""
    is_binary = all(feature.is_binary for feature in program.features if feature.column == column)
    return f"{'_is_missing' if is_binary else '_is_nan'}(row, {column!a})"
