"""Model files of the command line: a fitted model and the roles of the columns it was trained on."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from oddlearn.cli.metric_tables import TrainingMetrics, training_metrics_from_dict
from oddlearn.diagram.json_checks import checksum, read_record
from oddlearn.errors import InvalidInputError, ModelFileError
from oddlearn.model.predictor import DiagramPredictor, read_predictor
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.csv_reader import UNKNOWN_DIALECT, CsvDialect
from oddlearn.table.encoding import needed_columns
from oddlearn.table.read_table import FileTable

if TYPE_CHECKING:
    from oddlearn.estimators.base import DiagramClassifier

Model = TypeVar("Model", bound=DiagramPredictor)

# names of the metadata and of the metrics in a model file
FIELD = "training_metadata"
METRICS_FIELD = "training_metrics"


@dataclass(frozen=True)
class ColumnRoles:
    """Roles of the columns of a training file, and its split into training and test rows."""

    target: str  # column of the labels
    weights: str | None = None  # column of the sample weights
    dropped: tuple[str, ...] = ()  # unused columns
    sensitive: tuple[str, ...] = ()  # columns of sensitive features, which are no features of the model
    skip_missing: bool = False  # True to leave out rows with missing values
    test_size: float = 0.25  # share of the rows that is held out
    seed: int = 0
    dialect: CsvDialect = UNKNOWN_DIALECT  # dialect of the training file


@dataclass(frozen=True, eq=False)
class CliModel(Generic[Model]):
    """A model read from a file, with training metadata and metrics if it was made by ``oddlearn fit``."""

    model: Model
    roles: ColumnRoles | None
    metrics: TrainingMetrics | None = None

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Columns whose categories or labels are text, even if a file has only numbers in them."""
        values = {} if self.roles is None else {self.roles.target: tuple(self.model.classes_.tolist())}
        if self.model.encoding_ is not None:
            values |= {column.name: column.categories for column in self.model.encoding_.columns}
        return tuple(
            name
            for name, categories in values.items()
            if categories and all(isinstance(value, str) for value in categories)
        )

    def select_features(self, table: FileTable) -> ColumnTable:
        """Return the features of the model from a table, in the order of training.

        A column that the diagram does not ask about may be absent; it is then all missing.
        """
        names = getattr(self.model, "feature_names_in_", None)
        if names is None:
            return self._unnamed_features(table).to_column_table()
        needed = {str(names[place]) for place in needed_columns(self.model)}
        present = [str(name) for name in names if name in needed or name in table.names]
        found = tuple(table.column(name, "the model needs it") for name in present)
        return FileTable(table.source, found).to_column_table().with_columns(list(map(str, names)))

    def _unnamed_features(self, table: FileTable) -> FileTable:
        rest = table.without(() if self.roles is None else (self.roles.target,))
        count = self.model.n_features_in_
        if len(rest.columns) != count:
            raise InvalidInputError(
                f"The model was trained on {count} columns without names, {table.source} has "
                f"{len(rest.columns)}: give the same columns in their order."
            )
        return rest


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """Add the model file as an argument."""
    parser.add_argument("model", help="file written by 'oddlearn fit', or by a model's save method")


def read_model(path: str) -> CliModel[DiagramPredictor]:
    """Read what a model file needs to predict and to be shown; errors name the file."""
    return _read_file(path, read_predictor)


def read_estimator(path: str) -> CliModel[DiagramClassifier]:
    """Read a model file with the parameters of its estimator; errors name the file."""
    from oddlearn.estimators import from_json  # scikit-learn, which predictions do not need

    return _read_file(path, from_json)


def _read_file(path: str, parse: Callable[[str], Model]) -> CliModel[Model]:
    try:
        content = Path(path).read_text(encoding="utf-8")
        model = parse(content)
        return CliModel(model, read_training_metadata(content), _read_metrics(content, model))
    except FileNotFoundError:
        raise InvalidInputError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise InvalidInputError(f"{path} is a directory: give a model file.") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"{path} is not text, so not a model of oddlearn.") from None
    except ModelFileError as problem:
        raise ModelFileError(f"{path} cannot be used as a model of oddlearn. {problem}") from None


def _read_metrics(content: str, model: DiagramPredictor) -> TrainingMetrics | None:
    stored = json.loads(content).get(METRICS_FIELD)
    return None if stored is None else training_metrics_from_dict(stored, tuple(model.classes_.tolist()))


def add_training_metadata(model: str, roles: ColumnRoles, metrics: TrainingMetrics) -> str:
    """Return the text of a model file with its training metadata and metrics, under a new checksum."""
    document = json.loads(model)
    content = {name: value for name, value in document.items() if name != "checksum"}
    content |= {FIELD: asdict(roles), METRICS_FIELD: metrics.to_dict()}
    return json.dumps({**content, "checksum": checksum(content)}, indent=1, allow_nan=False)


def read_training_metadata(model: str) -> ColumnRoles | None:
    """Return the training metadata of a valid model file; None for a model saved from Python."""
    stored = json.loads(model).get(FIELD)
    if stored is None:
        return None
    roles = read_record(ColumnRoles, stored, FIELD)
    if not 0 <= roles.test_size < 1 or roles.seed >= 2**32:
        raise ModelFileError(f"The model file is damaged: {FIELD}.test_size or {FIELD}.seed is out of range.")
    return roles
