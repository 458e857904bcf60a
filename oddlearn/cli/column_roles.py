"""Training metadata of a model file: the roles of the columns, the held-out rows, the CSV dialect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from oddlearn.diagram.json_checks import checksum
from oddlearn.errors import ModelFileError
from oddlearn.table.csv_dialect import UNKNOWN_DIALECT, CsvDialect

# name of the metadata in a model file
FIELD = "training_metadata"

FIELD_TYPES: dict[str, tuple[type, ...]] = {
    "target": (str,),
    "weights": (str, type(None)),
    "dropped": (list,),
    "sensitive": (list,),
    "skip_missing": (bool,),
    "test_size": (int, float),
    "seed": (int,),
    "dialect": (Mapping,),
}

DIALECT_TYPES: dict[str, tuple[type, ...]] = {
    "delimiter": (str, type(None)),
    "decimal": (str, type(None)),
    "decimal_commas": (list,),
}


@dataclass(frozen=True)
class ColumnRoles:
    """Roles of the columns of a training file, and its split into training and test rows.

    Attributes
    ----------
    target : str
        Column of the labels.
    weights : str or None
        Column of the sample weights.
    dropped, sensitive : tuple of str
        Unused columns, and columns of sensitive features; neither are features of the model.
    skip_missing : bool
        True to leave out rows with missing values.
    test_size : float
        Share of the rows that is held out.
    seed : int
    dialect : CsvDialect
        Dialect of the training file.
    """

    target: str
    weights: str | None = None
    dropped: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    skip_missing: bool = False
    test_size: float = 0.25
    seed: int = 0
    dialect: CsvDialect = UNKNOWN_DIALECT


def add_training_metadata(model: str, roles: ColumnRoles) -> str:
    """Return the text of a model file with its training metadata, under a new checksum."""
    document = json.loads(model)
    content = {name: value for name, value in document.items() if name != "checksum"}
    content[FIELD] = asdict(roles)
    return json.dumps({**content, "checksum": checksum(content)}, indent=1, allow_nan=False)


def read_training_metadata(model: str) -> ColumnRoles | None:
    """Return the training metadata of a valid model file; None for a model saved from Python."""
    stored = json.loads(model).get(FIELD)
    if stored is None:
        return None
    is_valid = _has_types(stored, FIELD_TYPES) and _has_types(stored["dialect"], DIALECT_TYPES)
    if not is_valid or not 0 <= stored["test_size"] < 1 or not 0 <= stored["seed"] < 2**32:
        raise ModelFileError("The model file is damaged: its training metadata cannot be read.")
    return _build_roles(stored)


def _has_types(stored: object, types: Mapping[str, tuple[type, ...]]) -> bool:
    return isinstance(stored, Mapping) and all(
        name in stored and isinstance(stored[name], allowed) for name, allowed in types.items()
    )


def _build_dialect(stored: Mapping[str, Any]) -> CsvDialect:
    return CsvDialect(stored["delimiter"], stored["decimal"], tuple(map(str, stored["decimal_commas"])))


def _build_roles(stored: Mapping[str, Any]) -> ColumnRoles:
    return ColumnRoles(
        target=stored["target"],
        weights=stored["weights"],
        dropped=tuple(map(str, stored["dropped"])),
        sensitive=tuple(map(str, stored["sensitive"])),
        skip_missing=stored["skip_missing"],
        test_size=stored["test_size"],
        seed=stored["seed"],
        dialect=_build_dialect(stored["dialect"]),
    )
