"""The catalogue of the 54 data sets: size, source, licence and checksum of each file."""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from oddlearn.errors import InvalidInputError


@dataclass(frozen=True)
class DatasetEntry:
    """A data set of the catalogue, without its content."""

    name: str  # name of its file, without ``.csv``
    n: int  # samples
    d: int  # features
    classes: int  # number of classes
    paper_name: str  # name in the paper's tables, sometimes shorter
    is_selected: bool  # True for the 18 data sets that the paper compares in detail
    source: str  # page of the original at the UCI Machine Learning Repository
    licence: str  # licence of the authors' processed file and of the original
    sha256: str  # checksum of the file


def find_entry(name: str) -> DatasetEntry:
    """Return the catalogue entry of a data set.

    ``name``: its name in the catalogue, such as "iris".
    """
    if not isinstance(name, str):
        raise InvalidInputError(f"The name of a data set is text such as 'iris', and {name!r} was given.")
    found = _BY_NAME.get(name)
    if found is None:
        raise InvalidInputError(
            f"There is no data set {name!r}{_suggestion_text(name)}: oddlearn.datasets.CATALOGUE lists all "
            f"{len(CATALOGUE)} of them."
        )
    return found


def _suggestion_text(name: str) -> str:
    """Return the close names as a question in brackets; an empty text if none is close."""
    by_paper = [entry.name for entry in CATALOGUE if entry.paper_name == name]
    close = by_paper or difflib.get_close_matches(name.lower(), _BY_NAME)
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""


def _read_catalogue() -> tuple[DatasetEntry, ...]:
    text = resources.files("oddlearn.datasets").joinpath("catalogue.csv").read_text(encoding="utf-8")
    return tuple(_parse_row(row) for row in csv.DictReader(text.splitlines()))


def _parse_row(row: dict[str, Any]) -> DatasetEntry:
    sizes = {name: int(row[name]) for name in ("n", "d", "classes")}
    return DatasetEntry(**{**row, **sizes, "is_selected": row["is_selected"] == "1"})


CATALOGUE = _read_catalogue()

_BY_NAME = {entry.name: entry for entry in CATALOGUE}
