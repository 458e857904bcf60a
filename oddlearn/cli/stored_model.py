"""Model files as commands take them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oddlearn
from oddlearn.cli.column_roles import Roles, origin_of
from oddlearn.cli.training_rows import feature_table, missing_told
from oddlearn.errors import InvalidInputError, ModelFileError
from oddlearn.table.column_table import FileTable

if TYPE_CHECKING:
    from oddlearn.estimators.base import DiagramClassifier


@dataclass(frozen=True, eq=False)
class StoredModel:
    """A model read from a file, and how it was made if ``oddlearn fit`` made it."""

    model: DiagramClassifier
    roles: Roles | None

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Columns whose categories or labels are text, even where a file has nothing but numbers in them."""
        values = {} if self.roles is None else {self.roles.target: tuple(self.model.classes_.tolist())}
        if self.model.encoding_ is not None:
            values |= {column.name: column.categories for column in self.model.encoding_.columns}
        return tuple(
            name for name, known in values.items() if known and all(isinstance(value, str) for value in known)
        )

    def features(self, table: FileTable) -> Any:  # noqa: ANN401
        """Return the columns of a table that the model looks at, complete and in its order."""
        names = getattr(self.model, "feature_names_in_", None)
        if names is None:
            wanted = self._nameless(table)
        else:
            found = tuple(table.column(str(name), "the model needs it") for name in names)
            wanted = FileTable(table.source, found)
        lacking = int(wanted.incomplete_rows().sum())
        if lacking:
            raise InvalidInputError(f"{missing_told(wanted, lacking)}, or leave these rows out.")
        return feature_table(wanted)

    def _nameless(self, table: FileTable) -> FileTable:
        rest = table.without(() if self.roles is None else (self.roles.target,))
        count = self.model.n_features_in_
        if len(rest.columns) != count:
            raise InvalidInputError(
                f"The model was trained on {count} columns without names, {table.source} has "
                f"{len(rest.columns)}: give the same columns in their order."
            )
        return rest


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the file of a model."""
    parser.add_argument("model", help="file written by 'oddlearn fit', or by a model's save method")


def read_model(path: str) -> StoredModel:
    """Return the model in a file; anything else is refused in a sentence that names the file."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        return StoredModel(oddlearn.from_json(content), origin_of(content))
    except FileNotFoundError:
        raise InvalidInputError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise InvalidInputError(f"{path} is a directory: give a model file.") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"{path} is not text, so not a model of oddlearn.") from None
    except ModelFileError as problem:
        raise ModelFileError(f"{path} cannot be used as a model of oddlearn. {problem}") from None
