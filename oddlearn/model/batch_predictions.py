"""Predictions of tables that are not in memory: files in batches, Dask collections lazily."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.errors import InvalidInputError
from oddlearn.streaming.dask_batches import is_dask
from oddlearn.streaming.file_batches import FileBatches, is_file_table, open_batches
from oddlearn.table.column_table import ColumnTable, is_frame
from oddlearn.table.files import file_permissions

PREDICTION = "prediction"


def is_in_parts(X: object) -> bool:
    """Return True for files and Dask collections."""
    return is_dask(X) or is_file_table(X) or isinstance(X, FileBatches)


def predict_parts(model: Any, X: Any, method: str) -> Any:  # noqa: ANN401
    """Return the labels or probabilities of files as an array, of a Dask collection as a lazy one."""
    if is_dask(X):
        return _predict_dask(model, X, method)
    found = [getattr(model, method)(table) for table in feature_batches(model, open_batches(X, None))]
    return np.concatenate(found) if found else _no_rows(model, method)


def feature_batches(model: Any, batches: FileBatches) -> Iterator[ColumnTable]:  # noqa: ANN401
    """Yield the columns of files that a model was trained on, those that are there."""
    names = feature_columns(model, batches)
    for batch in batches.tables(names):
        yield batches.to_columns(batch, names)


def feature_columns(model: Any, batches: FileBatches) -> list[str]:  # noqa: ANN401
    """Return the columns of files that a model takes, in its order."""
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is None:
        return list(batches.names)
    return [str(name) for name in wanted if name in batches.names]


def write_predictions(
    model: Any,  # noqa: ANN401
    source: Any,  # noqa: ANN401
    output: Path,
    *,
    proba: bool = False,
    overwrite: bool = False,
    report: Callable[[int], None] = lambda n_rows: None,
) -> int:
    """Write the labels of files, batch by batch, to a file that is whole or not there; return the rows."""
    if output.exists() and not overwrite:
        raise InvalidInputError(f"{output} is there already: name another file, or give overwrite=True.")
    batches = source if isinstance(source, FileBatches) else open_batches(source, None)
    suffix = output.suffix.lower()
    if suffix not in OPEN_WRITER:
        raise InvalidInputError(f"{output} is no .parquet or .csv file: give a name that ends so.")
    if Path(batches.source).is_dir() and Path(batches.source).resolve() in output.resolve().parents:
        raise InvalidInputError(
            f"{output} would be in the folder that is read, as one more file of data: name another place."
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    os.close(handle)
    try:
        count = _write_tables(Path(name), suffix, _prediction_tables(model, batches, proba, report))
        os.chmod(name, file_permissions())
        os.replace(name, output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count


def _prediction_tables(
    model: Any,  # noqa: ANN401
    batches: FileBatches,
    proba: bool,
    report: Callable[[int], None],
) -> Iterator[Any]:
    """Yield tables of pyarrow with the predictions of each batch; one without rows if there are none."""
    import pyarrow

    n_batches = 0
    for features in feature_batches(model, batches):
        labels = model.predict(features)
        values = {PREDICTION: pyarrow.array(labels.tolist())}
        if proba:
            columns = model.predict_proba(features).T
            values |= {
                f"probability_{label}": pyarrow.array(column)
                for label, column in zip(model.classes_, columns, strict=True)
            }
        n_batches += 1
        report(labels.size)
        yield pyarrow.table(values)
    if not n_batches:
        raise InvalidInputError(f"{batches.source} has no rows: give at least one.")


def _parquet_writer(path: Path, schema: Any) -> Any:  # noqa: ANN401
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(path, schema)


def _csv_writer(path: Path, schema: Any) -> Any:  # noqa: ANN401
    import pyarrow.csv

    options = pyarrow.csv.WriteOptions(quoting_style="needed", quoting_header="needed")
    return pyarrow.csv.CSVWriter(path, schema, write_options=options)


OPEN_WRITER = {".parquet": _parquet_writer, ".csv": _csv_writer}


def _write_tables(path: Path, suffix: str, tables: Iterator[Any]) -> int:
    """Write tables of pyarrow to a file and return the number of rows."""
    first = next(tables)
    count = 0
    with OPEN_WRITER[suffix](path, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)
            count += table.num_rows
    return count


def _predict_dask(model: Any, X: Any, method: str) -> Any:  # noqa: ANN401
    """Return the predictions of a Dask array or frame, lazily."""
    if is_frame(X):
        import pandas

        none = _no_rows(model, method)
        is_label = method == "predict"
        columns = list(model.classes_)
        meta = pandas.Series(none, name=PREDICTION) if is_label else pandas.DataFrame(none, columns=columns)
        return X.map_partitions(_predict_frame, model, method, meta=meta)
    rows = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    none = _no_rows(model, method)
    if method == "predict":
        return rows.map_blocks(_predict_block, model, method, dtype=none.dtype, drop_axis=1)
    chunks = (rows.chunks[0], (model.classes_.size,))
    return rows.map_blocks(_predict_block, model, method, dtype=np.float64, chunks=chunks)


def _predict_frame(frame: Any, model: Any, method: str) -> Any:  # noqa: ANN401
    import pandas

    values = _predict_block(frame, model, method)
    if method == "predict":
        return pandas.Series(values, index=frame.index, name=PREDICTION)
    return pandas.DataFrame(values, index=frame.index, columns=list(model.classes_))


def _predict_block(rows: Any, model: Any, method: str) -> NDArray[Any]:  # noqa: ANN401
    if not len(rows):
        return _no_rows(model, method)
    return np.asarray(getattr(model, method)(rows))


def _no_rows(model: Any, method: str) -> NDArray[Any]:  # noqa: ANN401
    return model.classes_[:0] if method == "predict" else np.empty((0, model.classes_.size))
