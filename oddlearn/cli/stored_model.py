"""Model files with their training metadata."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oddlearn
from oddlearn.cli.column_roles import ColumnRoles, read_training_metadata
from oddlearn.cli.training_rows import build_feature_table, missing_values_text
from oddlearn.errors import InvalidInputError, ModelFileError
from oddlearn.table.column_table import FileTable

if TYPE_CHECKING:
    from oddlearn.estimators.base import DiagramClassifier


@dataclass(frozen=True, eq=False)
class CliModel:
    """A model read from a file, with its training metadata if it was made by ``oddlearn fit``."""

    model: DiagramClassifier
    roles: ColumnRoles | None

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

    def select_features(self, table: FileTable) -> Any:  # noqa: ANN401
        """Return the features of the model from a table, without missing values, in the order of training."""
        names = getattr(self.model, "feature_names_in_", None)
        if names is None:
            wanted = self._unnamed_features(table)
        else:
            found = tuple(table.column(str(name), "the model needs it") for name in names)
            wanted = FileTable(table.source, found)
        lacking = int(wanted.incomplete_rows().sum())
        if lacking:
            raise InvalidInputError(f"{missing_values_text(wanted, lacking)}, or leave these rows out.")
        return build_feature_table(wanted)

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


def read_model(path: str) -> CliModel:
    """Read a model file; errors name the file."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        return CliModel(oddlearn.from_json(content), read_training_metadata(content))
    except FileNotFoundError:
        raise InvalidInputError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise InvalidInputError(f"{path} is a directory: give a model file.") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"{path} is not text, so not a model of oddlearn.") from None
    except ModelFileError as problem:
        raise ModelFileError(f"{path} cannot be used as a model of oddlearn. {problem}") from None
