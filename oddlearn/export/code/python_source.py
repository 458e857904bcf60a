"""A diagram as a Python module of its own, without imports."""

from __future__ import annotations

from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.splits import Split
from oddlearn.export.code.program import Program, build_program, split_terms

HEAD = '''\
"""A decision diagram written by oddlearn: plain Python, nothing to install.

predict(row) returns the label of one row, predict_proba(row) the probability of each of LABELS. A row is a
mapping from the names in COLUMNS to values (those that are looked at will do), or a sequence with one value
per column, in their order. Numbers may be given as text, as a file has them; missing values are refused.
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
    return _present(row[column] if is_mapping else row[COLUMNS.index(column)], column)


def _present(value, column):
    if value is None or value != value or value == "":
        raise ValueError(f"The value of {column!r} is missing: fill it in first.")
    return value


def _number(row, column):
    # the text "nan" is missing too
    return _present(float(_value(row, column)), column)


def _is(row, column, category):
    return 1.0 if _value(row, column) == category else 0.0


'''


def export_python(model: object, notes: Notes | None = None) -> str:
    """Return the model as the source of a Python module, which agrees with ``predict``.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Names and labels of a DecisionDiagram; a classifier has its own.

    Returns
    -------
    str
        A module with ``predict(row)`` and ``predict_proba(row)``. A row is a dict of the table's columns, or
        a sequence; categories are given as they stand in the table.
    """
    program = build_program(model, notes)
    return HEAD + _tables(program) + FUNCTIONS + _end(program)


def _tables(program: Program) -> str:
    shares = [tuple(row) for row in program.probabilities.tolist()]
    tables = {
        "COLUMNS": [ascii(column) for column in program.columns],
        "LABELS": [ascii(label) for label in program.labels],
        "END_CLASS": [str(code) for code in program.end_class],
        "PROBABILITIES": [repr(row) for row in shares],
    }
    return "".join(_table(name, items) for name, items in tables.items())


def _table(name: str, items: list[str]) -> str:
    body = "".join(f"    {item},\n" for item in items)
    return f"\n{name} = (\n{body})\n"


def _end(program: Program) -> str:
    """Return the function that finds the end of a row: the nodes in order, each tested once at most."""
    lines = ["def _end(row):", "    state = 0"]
    for node, split in enumerate(program.diagram.splits):
        negative, positive = program.children[node]
        test = f"{_key(program, split)} >= {split.threshold!r}"
        lines += [f"    if state == {node}:", f"        state = {positive} if {test} else {negative}"]
    return "\n".join([*lines, f"    return state - {program.n_nodes}", ""])


def _key(program: Program, split: Split) -> str:
    """Return the sum that is compared: Python adds term by term from the first, as predict does."""
    parts = [
        _read(program, place) if weight == 1.0 else f"{weight!r} * {_read(program, place)}"
        for place, weight in split_terms(split)
    ]
    if len(parts) < 2:
        return "".join(parts) or "0.0"
    return "(\n            " + "\n            + ".join(parts) + "\n        )"


def _read(program: Program, place: int) -> str:
    feature = program.features[place]
    if feature.category is None:
        return f"_number(row, {feature.column!a})"
    return f"_is(row, {feature.column!a}, {feature.category!a})"
