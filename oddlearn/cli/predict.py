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

from oddlearn.cli.console import check_overwrite, format_json, print_note, rows_text
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.shared_options import add_json_option, add_read_options, build_read_options, read_with_notes
from oddlearn.cli.stored_model import CliModel, add_model_argument, read_model
from oddlearn.cli.training_rows import plain_values
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import FileTable
from oddlearn.table.files import write_whole
from oddlearn.view.number_text import percentage_text

SUMMARY = "classify the rows of a table"

DESCRIPTION = """\
Classify each row of a table (CSV, TSV or Parquet) and print the predictions as CSV, in the order of the rows.
The table needs the columns the model was trained on, in any order; others are ignored. If it has the target
column too, the accuracy is reported."""

EXAMPLES = """\
  oddlearn predict model.json new.csv
  oddlearn predict model.json new.csv --proba --output answers.csv
  oddlearn predict model.json new.csv --with-data > with_answers.csv
"""

PREDICTION = "prediction"


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "predict", "MODEL DATA", SUMMARY, DESCRIPTION, EXAMPLES)
    add_model_argument(parser)
    parser.add_argument("data", help="file with a line of column names, or - for standard input")
    parser.add_argument("--proba", action="store_true", help="add the probability of each class")
    parser.add_argument(
        "--with-data", action="store_true", help="repeat the columns of the table before the predictions"
    )
    parser.add_argument("--output", metavar="FILE", help="file to write instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    add_read_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Classify the rows and write the predictions."""
    if args.output is not None:
        check_overwrite([Path(args.output)], args.force)
    stored = read_model(args.model)
    table = read_with_notes(args.data, build_read_options(args, stored.roles), stored.text_columns)
    features = stored.select_features(table)
    predictions = _predict(stored.model, features, args.proba)
    _print_accuracy(stored, table, predictions[PREDICTION])
    _write_predictions(args, {**(_table_columns(table) if args.with_data else {}), **predictions})
    return 0


def _predict(model: Any, features: Any, with_probabilities: bool) -> dict[str, NDArray[Any]]:  # noqa: ANN401
    predictions = {PREDICTION: model.predict(features)}
    if with_probabilities:
        for label, column in zip(model.classes_, model.predict_proba(features).T, strict=True):
            predictions[f"probability_{label}"] = column
    return predictions


def _table_columns(table: FileTable) -> dict[str, NDArray[Any]]:
    if PREDICTION in table.names:
        raise InvalidInputError(
            f"{table.source} has a column {PREDICTION!r} already: rename it, or leave --with-data out."
        )
    return {
        column.name: np.where(column.missing, "", column.values.astype(object)) for column in table.columns
    }


def _print_accuracy(stored: CliModel, table: FileTable, predictions: NDArray[Any]) -> None:
    """Print the accuracy if the table has a label in every row."""
    if stored.roles is None or stored.roles.target not in table.names:
        return
    labels = table.column(stored.roles.target)
    if not labels.missing.any():
        true = plain_values(labels)
        if true.dtype.kind not in "iufb" or predictions.dtype.kind not in "iufb":  # 1.0 is 1, but not as text
            true, predictions = true.astype(str), predictions.astype(str)
        is_correct = true == predictions
        print_note(f"Accuracy: {percentage_text(float(is_correct.mean()))} on {rows_text(table.n_rows)}")


def _write_predictions(args: argparse.Namespace, columns: dict[str, NDArray[Any]]) -> None:
    if args.json:
        content = format_json({name: values.tolist() for name, values in columns.items()}) + "\n"
    else:
        content = _format_csv(columns)
    if args.output is None:
        sys.stdout.write(content)
    else:
        write_whole(Path(args.output), content)


def _format_csv(columns: dict[str, NDArray[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    return stream.getvalue()
