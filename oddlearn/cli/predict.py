"""``oddlearn predict``: classify the rows of a table."""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.cli.console import check_overwrite, format_json, print_note
from oddlearn.cli.metric_tables import MeasuredRows, measure_rows, metrics_table
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.shared_options import add_json_option, add_read_options, build_read_options, read_with_notes
from oddlearn.cli.stored_model import CliModel, add_model_argument, read_model
from oddlearn.cli.streamed_tables import RowCounter, is_streamed, open_streamed
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.files import write_whole
from oddlearn.table.read_table import FileTable
from oddlearn.table.samples import LabelledSamples
from oddlearn.view.number_text import percentage_text, plural

DESCRIPTION = """\
Classify each row of a table (CSV, TSV or Parquet) and print the predictions as CSV, in the order of the rows.
The table needs the columns the diagram asks about, in any order; others are ignored. Values may be missing.
If it has the target column too, accuracy and other metrics are reported."""

EXAMPLES = """\
  oddlearn predict model.json new.csv
  oddlearn predict model.json new.csv --proba --output answers.csv
  oddlearn predict model.json new.csv --with-data > with_answers.csv
  oddlearn predict model.json folder/ --output out.parquet
"""

PREDICTION = "prediction"

METRICS = "metrics"  # beside the columns in JSON

# suffixes of tables that other programs read, and of compressed files
OTHER_FORMATS = (".xlsx", ".xls", ".ods", ".feather", ".arrow", ".gz", ".bz2", ".xz", ".zst", ".zip")


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "predict", "MODEL DATA", summary, DESCRIPTION, EXAMPLES)
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
        check_overwrite([Path(args.output)], args.force, (args.model, args.data))
        _check_suffix(Path(args.output))
    stored = read_model(args.model)
    if is_streamed(args.data) or str(args.output).endswith(".parquet"):
        return _predict_files(args, stored)
    table = read_with_notes(args.data, build_read_options(args, stored.roles), stored.text_columns)
    features = stored.select_features(table)
    predictions = _predict(stored.model, features, args.proba)
    measured = _measure(stored, table, features)
    if measured is not None:
        _print_metrics(stored, measured)
    columns = {**(_table_columns(table) if args.with_data else {}), **predictions}
    labels = stored.model.classes_.tolist()
    _write_predictions(args, columns, None if measured is None else measured.to_dict(labels))
    return 0


def _check_suffix(output: Path) -> None:
    """Refuse names that promise another format than CSV, Parquet or JSON."""
    if output.suffix.lower() in OTHER_FORMATS:
        raise InvalidInputError(
            f"{output}: predictions are not written as {output.suffix}, only as .csv, .tsv or .parquet, or, "
            "with --json, as JSON."
        )


def _predict_files(args: argparse.Namespace, stored: CliModel[Any]) -> int:
    """Classify the rows of a folder or a large file in batches, into a file."""
    from oddlearn.model.batch_predictions import write_predictions

    if args.output is None or args.with_data or args.json:
        raise InvalidInputError(
            f"{args.data} is read in batches: give --output with a .parquet or .csv file, and neither "
            "--with-data nor --json."
        )
    counter = RowCounter()
    batches = open_streamed(args, stored.roles, None)
    output = Path(args.output)
    count = write_predictions(
        stored.model, batches, output, proba=args.proba, overwrite=args.force, report=counter
    )
    counter.close()
    print_note(f"{plural(count, 'prediction')} written to {output}.")
    return 0


def _predict(model: Any, features: Any, with_probabilities: bool) -> dict[str, NDArray[Any]]:  # noqa: ANN401
    predictions = {PREDICTION: model.predict(features)}
    if with_probabilities:
        for label, column in zip(model.classes_, model.predict_proba(features).T, strict=True):
            predictions[f"probability_{label}"] = column
    return predictions


def _table_columns(table: FileTable) -> dict[str, NDArray[Any]]:
    for name in (PREDICTION, METRICS):
        if name in table.names:
            raise InvalidInputError(
                f"{table.source} has a column {name!r} already: rename it, or leave --with-data out."
            )
    plain = {
        column.name: column if column.kind in ("number", "boolean") else column.as_text()
        for column in table.columns
    }
    return {
        name: np.where(column.missing, "", column.values.astype(object)) for name, column in plain.items()
    }


def _measure(stored: CliModel[Any], table: FileTable, features: ColumnTable) -> MeasuredRows | None:
    """Return the metrics on the rows that have a label, each row counted once."""
    if stored.roles is None or stored.metrics is None or stored.roles.target not in table.names:
        return None
    labels = table.column(stored.roles.target)
    places = np.flatnonzero(~labels.missing)
    if not places.size:
        return None
    true, classes = labels.rows(places).plain_values, stored.model.classes_
    if true.dtype.kind not in "iufb" or classes.dtype.kind not in "iufb":  # 1.0 is 1, but not as text
        by_text = {str(label): label for label in classes.tolist()}
        true = np.array([by_text.get(str(label), label) for label in true.tolist()], dtype=object)
    shares = np.array(stored.metrics.class_shares)
    return measure_rows(stored.model, LabelledSamples(features.rows(places), true), shares)


def _print_metrics(stored: CliModel[Any], measured: MeasuredRows) -> None:
    accuracy = percentage_text(measured.model.accuracy)
    print_note(f"Accuracy: {accuracy} on {plural(measured.n_rows, 'row')}")
    labels = stored.model.classes_.tolist()
    assert stored.metrics is not None
    always = f"always {labels[int(np.argmax(stored.metrics.class_shares))]!s}"
    print_note(f"\n{metrics_table([('model', measured)], labels, always)}")


def _write_predictions(
    args: argparse.Namespace, columns: dict[str, NDArray[Any]], metrics: dict[str, Any] | None
) -> None:
    if args.json:
        further = {} if metrics is None else {METRICS: metrics}
        for name, values in columns.items():
            if any(isinstance(value, float) and math.isinf(value) for value in values.tolist()):
                raise InvalidInputError(
                    f"The column {name!r} holds infinity, which JSON lacks: leave --json out."
                )
        lists = {name: values.tolist() for name, values in columns.items()}
        content = format_json({**lists, **further}) + "\n"
    else:
        content = _format_csv(columns, "\t" if str(args.output).lower().endswith((".tsv", ".tab")) else ",")
    if args.output is None:
        sys.stdout.write(content)
    else:
        write_whole(Path(args.output), content)


def _format_csv(columns: dict[str, NDArray[Any]], delimiter: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n", delimiter=delimiter)
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    return stream.getvalue()
