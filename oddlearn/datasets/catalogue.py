"""What is known of each data set without its file: size, origin, licence and checksum."""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from importlib import resources

from oddlearn.errors import InvalidInputError


@dataclass(frozen=True)
class Entry:
    """A data set of the catalogue.

    Attributes
    ----------
    name : str
        Name of its file, without ``.csv``.
    n, d, classes : int
        Number of samples, of features, and of classes.
    paper_name : str
        The name in the paper's tables, which is sometimes shorter.
    is_selected : bool
        Whether it is one of the 18 that the paper looks at more closely.
    source : str
        Page of the original at the UCI Machine Learning Repository.
    licence : str
        Of the authors' processed file, and of the original.
    sha256 : str
        Checksum of the bytes of the file.
    """

    name: str
    n: int
    d: int
    classes: int
    paper_name: str
    is_selected: bool
    source: str
    licence: str
    sha256: str


def entry(name: str) -> Entry:
    """Return the catalogue's entry of a data set.

    Parameters
    ----------
    name : str
        Its name in the catalogue, such as "iris".
    """
    if not isinstance(name, str):
        raise InvalidInputError(f"The name of a data set is text such as 'iris', and {name!r} was given.")
    found = _BY_NAME.get(name)
    if found is None:
        raise InvalidInputError(
            f"There is no data set {name!r}{_likely(name)}: oddlearn.datasets.CATALOGUE lists all "
            f"{len(CATALOGUE)} of them."
        )
    return found


def _likely(name: str) -> str:
    """Return the question after the names that were perhaps meant, in brackets; nothing if none is close."""
    by_paper = [known.name for known in CATALOGUE if known.paper_name == name]
    close = by_paper or difflib.get_close_matches(name.lower(), _BY_NAME)
    return f" (is {' or '.join(map(repr, close))} meant?)" if close else ""


def _read() -> tuple[Entry, ...]:
    text = resources.files("oddlearn.datasets").joinpath("catalogue.csv").read_text(encoding="utf-8")
    return tuple(_entry_of(row) for row in csv.DictReader(text.splitlines()))


def _entry_of(row: dict[str, str]) -> Entry:
    return Entry(
        name=row["name"],
        n=int(row["n"]),
        d=int(row["d"]),
        classes=int(row["classes"]),
        paper_name=row["paper_name"],
        is_selected=row["is_selected"] == "1",
        source=row["source"],
        licence=row["licence"],
        sha256=row["sha256"],
    )


CATALOGUE = _read()

_BY_NAME = {known.name: known for known in CATALOGUE}
