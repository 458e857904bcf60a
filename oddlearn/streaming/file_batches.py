"""A Parquet or CSV file, a folder of them or a pyarrow dataset, read in batches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.streaming.csv_dataset import open_csv_dataset, other_columns_text, parse_text_dates
from oddlearn.streaming.row_source import PART_ROWS
from oddlearn.table.column_table import Column, ColumnTable, RawColumn
from oddlearn.table.parquet_reader import arrow_column
from oddlearn.table.read_table import ReadOptions, nearest_name
from oddlearn.table.samples import LabelledSamples

PARQUET_ENDINGS = (".parquet", ".pq", ".parq")
CSV_ENDINGS = (".csv", ".tsv", ".tab", ".txt")

# beside other CSV files these are notes, such as README.txt
NOTE_ENDING = ".txt"

# what pyarrow says of a value that it cannot convert
CONVERSION = re.compile(
    r"CSV column #(?P<column>\d+):( Row #(?P<row>\d+):)? CSV conversion error to (?P<kind>\w+): "
    r"invalid value (?P<value>'.*')"
)

# batches that are read ahead: more would be held in memory
READ_AHEAD = 2


def is_file_table(X: object) -> bool:
    """Return True for a path or a pyarrow dataset."""
    return isinstance(X, (str, PathLike)) or _is_dataset(X)


def _is_dataset(X: object) -> bool:
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "get_fragments")


@dataclass(frozen=True, eq=False)
class FileBatches:
    """Columns of files, in batches of rows; always in the order of the files' names."""

    source: str  # for messages
    dataset: Any
    target: str | None
    weights: str | None
    names: tuple[str, ...]  # columns of X
    dates: tuple[str, ...] = ()  # columns of text that are dates
    skips_unlabelled: bool = False  # True to leave out rows without a label
    selects: Callable[[LabelledSamples, int], np.ndarray] | None = None  # rows taken, by batch and first row
    report: Callable[[int], None] | None = None  # is told the rows of each batch

    def read(self, columns: Sequence[str] | None = None) -> Iterator[LabelledSamples]:
        """Yield batches with these columns of X, all of them if none are named, labels and weights."""
        wanted = list(self.names if columns is None else columns)
        beside = [name for name in (self.target, self.weights) if name is not None]
        first = 0
        for batch in self._scan(list(dict.fromkeys([*wanted, *beside]))):
            samples = self._samples(batch, wanted)
            taken = None if self.selects is None else self.selects(samples, first)
            first += samples.n_rows
            if self.report is not None:
                self.report(samples.n_rows)
            if self.skips_unlabelled and self.target is not None:
                has_label = np.array([label is not None for label in samples.y.tolist()]) & ~_is_nan(
                    samples.y
                )
                taken = has_label if taken is None else taken & has_label
            if taken is not None and not taken.all():
                samples = samples.rows(np.flatnonzero(taken))
            if samples.n_rows:
                yield samples

    def without(self, dropped: Sequence[str]) -> FileBatches:
        """Return the batches without some columns of X, which must be in the files."""
        names = tuple(str(name) for name in self.dataset.schema.names)
        for name in dropped:
            if name not in names:
                raise InvalidInputError(f"{self.source} has no column {name!r}: {nearest_name(name, names)}")
        left = tuple(name for name in self.names if name not in dropped)
        if not left:
            raise InvalidInputError(f"{self.source} has no column left to learn from: drop fewer columns.")
        return replace(self, names=left)

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield batches of pyarrow with some columns, all of the dataset if none are named."""
        yield from self._scan(None if columns is None else list(columns))

    def to_columns(self, batch: Any, names: Sequence[str]) -> ColumnTable:  # noqa: ANN401
        """Return columns of a batch as an estimator takes them."""
        return ColumnTable(tuple(self._raw_column(batch, name) for name in names))

    def _scan(self, columns: list[str] | None) -> Iterator[Any]:
        import pyarrow

        for fragment in self.dataset.get_fragments():
            name = getattr(fragment, "path", self.source)
            try:
                batches = fragment.to_batches(
                    schema=self.dataset.schema,
                    columns=columns,
                    batch_size=PART_ROWS,
                    batch_readahead=READ_AHEAD,
                    fragment_readahead=1,
                )
                yield from (batch for batch in batches if batch.num_rows)
            except (pyarrow.ArrowException, OSError) as problem:
                names = self.dataset.schema.names
                raise InvalidInputError(_conversion_text(name, problem, names)) from None

    def _samples(self, batch: Any, names: Sequence[str]) -> LabelledSamples:  # noqa: ANN401
        table = self.to_columns(batch, names)
        labels = np.zeros(batch.num_rows) if self.target is None else self._labels(batch, self.target)
        weight = None
        if self.weights is not None:
            column = self._column(batch, self.weights)
            if column.kind != "number" or column.missing.any():
                what = "missing values" if column.kind == "number" else column.kind
                raise InvalidInputError(
                    f"The weights {self.weights!r} of {self.source} hold {what}: give numbers."
                )
            weight = column.values.astype(np.float64)
        return LabelledSamples(table, labels, weight)

    def _labels(self, batch: Any, name: str) -> np.ndarray:  # noqa: ANN401
        column = self._column(batch, name)
        if column.kind in ("date", "duration"):
            column = column.as_text()
        return column.to_raw().values

    def _column(self, batch: Any, name: str) -> Column:  # noqa: ANN401
        import pyarrow

        return arrow_column(name, pyarrow.chunked_array([batch.column(name)]))

    def _raw_column(self, batch: Any, name: str) -> RawColumn:  # noqa: ANN401
        import pyarrow

        values = batch.column(name)
        column = self._column(batch, name)
        if name in self.dates:
            column = parse_text_dates(column, self.source)
        is_category = pyarrow.types.is_dictionary(values.type)
        return replace(column.to_raw(), is_category=is_category)


def _is_nan(labels: np.ndarray) -> np.ndarray:
    return labels != labels if labels.dtype.kind == "f" else np.zeros(labels.shape, dtype=bool)


def open_batches(
    given: Any,  # noqa: ANN401
    target: object,
    weights: object = None,
    dropped: Sequence[str] = (),
    reading: ReadOptions | None = None,
) -> FileBatches:
    """Open files or a dataset whose column ``target`` holds the labels; None to read features alone."""
    for role, name in (("y", target), ("sample_weight", weights)):
        if name is not None and not isinstance(name, str):
            raise InvalidInputError(
                f"X is a file or dataset and {role} is a {type(name).__name__}: give the name of its column."
            )
    source = fspath(given) if isinstance(given, (str, PathLike)) else "the dataset"
    dataset, dates, left_out = _open_dataset(given, source, reading, target)  # type: ignore[arg-type]
    dataset = _check_fragments(dataset, source)
    names = tuple(str(name) for name in dataset.schema.names)
    for name in (target, weights):
        if name is not None and name not in names:
            raise InvalidInputError(f"{source} has no column {name!r}: {nearest_name(str(name), names)}")
    features = tuple(name for name in names if name not in {target, weights, *left_out})
    return FileBatches(source, dataset, target, weights, features, dates).without(dropped)  # type: ignore


def _open_dataset(
    given: Any,  # noqa: ANN401
    source: str,
    reading: ReadOptions | None,
    target: str | None,
) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """Return a dataset, its columns of dates in text, and those that only count the rows."""
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError:
        raise UnsupportedError(
            'Files are read in batches by pyarrow, which is not installed: pip install "oddlearn[tables]".'
        ) from None
    if _is_dataset(given):
        return given, (), ()
    files = _list_files(Path(source))
    try:
        if files[0].suffix.lower() in PARQUET_ENDINGS or _is_parquet(files[0]):
            options = {"format": "parquet", **partition_options(Path(source))}
            return pyarrow.dataset.dataset([str(file) for file in files], **options), (), ()
        return open_csv_dataset(files, reading, target, partition_options(Path(source)))
    except (pyarrow.ArrowException, OSError) as problem:
        raise InvalidInputError(_reading_text(source, problem)) from None


def _list_files(path: Path) -> list[Path]:
    """Return the data files of a folder, or a file alone, sorted."""
    if not path.exists():
        raise InvalidInputError(f"There is no file or folder {path}.")
    if path.is_file():
        return [path]
    found = [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file() and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
    ]
    kinds = {
        ending: [file for file in found if file.suffix.lower() in endings]
        for ending, endings in (("Parquet", PARQUET_ENDINGS), ("CSV", CSV_ENDINGS))
    }
    tables = [file for file in kinds["CSV"] if file.suffix.lower() != NOTE_ENDING]
    kinds["CSV"] = tables or ([] if kinds["Parquet"] else kinds["CSV"])
    both = [files for files in kinds.values() if files]
    if len(both) != 1:
        what = "both Parquet and CSV files: give a folder with one kind" if both else "no Parquet or CSV file"
        raise InvalidInputError(f"The folder {path} has {what}.")
    return both[0]


def partition_options(path: Path) -> dict[str, Any]:
    """Return how pyarrow reads columns from the names of subfolders such as ``year=2020``."""
    import pyarrow.dataset

    if not path.is_dir():
        return {}
    return {"partitioning": pyarrow.dataset.partitioning(flavor="hive"), "partition_base_dir": str(path)}


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"


def _check_fragments(dataset: Any, source: str) -> Any:  # noqa: ANN401
    """Return the dataset if all its files have the columns of the first; pyarrow would fill others up."""
    import pyarrow

    schemas = []
    for fragment in dataset.get_fragments():
        name = getattr(fragment, "path", source)
        try:
            schemas.append((name, fragment.physical_schema))
        except (pyarrow.ArrowException, OSError) as problem:
            raise InvalidInputError(_conversion_text(name, problem, dataset.schema.names)) from None
        if list(schemas[-1][1].names) != list(schemas[0][1].names):
            own, first = (list(schemas[place][1].names) for place in (-1, 0))
            raise InvalidInputError(other_columns_text(name, own, schemas[0][0], first))
    if getattr(getattr(dataset, "format", None), "default_extname", "") == "csv" or not schemas:
        return dataset
    fields = [_joint_field(name, schemas) for name in schemas[0][1].names]
    fields += [own for own in dataset.schema if own.name not in schemas[0][1].names]  # of folders' names
    return dataset.replace_schema(pyarrow.schema(fields))


def _joint_field(column: str, schemas: Sequence[tuple[str, Any]]) -> Any:  # noqa: ANN401
    """Return the field of a column that has one type in all files; where all is missing it has none."""
    import pyarrow

    typed = [(name, schema.field(column)) for name, schema in schemas]
    with_type = [(name, own) for name, own in typed if not pyarrow.types.is_null(own.type)]
    for name, own in with_type:
        if own.type != with_type[0][1].type:
            raise InvalidInputError(
                f"The column {column} is {own.type} in {name} and {with_type[0][1].type} in "
                f"{with_type[0][0]}: give files with the same types."
            )
    return (with_type or typed)[0][1]


def _conversion_text(name: str, problem: Exception, names: Sequence[str]) -> str:
    """Return what is said of a CSV value that is not of its column's kind, or of another problem."""
    found = CONVERSION.search(str(problem))
    if found is None or int(found["column"]) >= len(names):
        return _reading_text(name, problem)
    line = f", line {found['row']}" if found["row"] else ""
    kind = {"bool": "booleans"}.get(found["kind"], "numbers")
    return (
        f"{name}{line}: the column {names[int(found['column'])]} holds {found['value']}, and {kind} in the "
        f"first rows of the table: give {kind} in all of them, and NA for a missing value."
    )


def _reading_text(name: str, problem: Exception) -> str:
    reason = str(problem).splitlines()[0].rstrip(".")
    if isinstance(problem, FileNotFoundError):
        return f"{name} is not there any more: give the files again, and fit anew."
    return f"{name} cannot be read: {reason}."
