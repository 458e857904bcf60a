"""``oddlearn predict``: classify the rows of a table."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.cli.console import check_free, json_text, note, percent, rows_told
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.shared_options import add_json, add_reading, read_noted, reading_of
from oddlearn.cli.stored_model import StoredModel, add_model, read_model
from oddlearn.cli.training_rows import plain_values
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import FileTable
from oddlearn.table.files import write_whole

SUMMARY = "classify the rows of a table"

DESCRIPTION = """\
Classify each row of a table (CSV, TSV or Parquet) and print the answers as CSV, in the order of the rows.
The table needs the columns the model was trained on, in any order; others are passed over. If it has the
target column too, the accuracy is told."""

EXAMPLES = """\
  oddlearn predict model.json new.csv
  oddlearn predict model.json new.csv --proba --output answers.csv
  oddlearn predict model.json new.csv --with-data > with_answers.csv
"""

ANSWER = "prediction"


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "predict", "MODEL DATA", SUMMARY, DESCRIPTION, EXAMPLES)
    add_model(parser)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    parser.add_argument("--proba", action="store_true", help="add the probability of each class")
    parser.add_argument(
        "--with-data", action="store_true", help="repeat the columns of the table before the answers"
    )
    parser.add_argument("--output", metavar="FILE", help="write here instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there already")
    add_reading(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """Classify and write."""
    if asked.output is not None:
        check_free([Path(asked.output)], asked.force)
    stored = read_model(asked.model)
    table = read_noted(asked.data, reading_of(asked, stored.roles), stored.text_columns)
    features = stored.features(table)
    answers = _answers(stored.model, features, asked.proba)
    _tell_accuracy(stored, table, answers[ANSWER])
    _write(asked, {**(_given(table) if asked.with_data else {}), **answers})
    return 0


def _answers(model: Any, features: Any, with_probabilities: bool) -> dict[str, NDArray[Any]]:  # noqa: ANN401
    answers = {ANSWER: model.predict(features)}
    if with_probabilities:
        for label, column in zip(model.classes_, model.predict_proba(features).T, strict=True):
            answers[f"probability_{label}"] = column
    return answers


def _given(table: FileTable) -> dict[str, NDArray[Any]]:
    if ANSWER in table.names:
        raise InvalidInputError(
            f"{table.source} has a column {ANSWER!r} already: rename it, or leave --with-data out."
        )
    return {
        column.name: np.where(column.missing, "", column.values.astype(object)) for column in table.columns
    }


def _tell_accuracy(stored: StoredModel, table: FileTable, answers: NDArray[Any]) -> None:
    """Compare with the labels if the table has them all."""
    if stored.roles is None or stored.roles.target not in table.names:
        return
    labels = table.column(stored.roles.target)
    if not labels.missing.any():
        known = plain_values(labels)
        if known.dtype.kind not in "iufb" or answers.dtype.kind not in "iufb":  # 1.0 is 1, but not as text
            known, answers = known.astype(str), answers.astype(str)
        is_right = known == answers
        note(f"Accuracy: {percent(float(is_right.mean()))} on {rows_told(table.n_rows)}")


def _write(asked: argparse.Namespace, columns: dict[str, NDArray[Any]]) -> None:
    if asked.json:
        content = json_text({name: values.tolist() for name, values in columns.items()}) + "\n"
    else:
        content = _as_csv(columns)
    if asked.output is None:
        sys.stdout.write(content)
    else:
        write_whole(Path(asked.output), content)


def _as_csv(columns: dict[str, NDArray[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    return stream.getvalue()
