"""A data set by its name, from wherever its file can be had."""

from __future__ import annotations

import os
from typing import Literal

from oddlearn.datasets.bundled import BUNDLED, bundled
from oddlearn.datasets.catalogue import Entry, entry
from oddlearn.datasets.download import fetched
from oddlearn.datasets.files import data_directory, read_checked
from oddlearn.datasets.monks import corrected, require_monks
from oddlearn.datasets.table import Dataset, parse
from oddlearn.errors import InvalidInputError

Target = Literal["published", "corrected"]


def load(
    name: str, directory: str | os.PathLike[str] | None = None, target: Target = "published"
) -> Dataset:
    """Return a data set of the catalogue as the paper's authors published it.

    The file is looked for in ``directory``, else in the directory that the environment variable
    ``ODDLEARN_DATA`` names, and there only: in ``data/uci54`` below it if there is such a directory, else in
    the directory itself. With neither, iris, wine and breast-cancer-diagnostic come from scikit-learn (the
    very same table as the file), and all others from the authors' repository at a fixed commit, once, through
    the package pooch. The checksum of every file is verified.

    Parameters
    ----------
    name : str
        Name in the catalogue, such as "iris".
    directory : str, path or None
        Where the CSV files are.
    target : {"published", "corrected"}
        "corrected", for monks1, monks2 and monks3 only, has the true class as the target. The published files
        have it as the feature ``0``, and the sixth attribute as the target.

    Examples
    --------
    >>> from oddlearn.datasets import load
    >>> load("wine").X.shape
    (178, 13)
    """
    known = entry(name)
    if target not in ("published", "corrected"):
        raise InvalidInputError(f"target is {target!r}: give 'published' or 'corrected'.")
    if target == "corrected":
        require_monks(name)
    published = _published(known, directory)
    return corrected(published) if target == "corrected" else published


def _published(known: Entry, directory: str | os.PathLike[str] | None) -> Dataset:
    place = data_directory(directory)
    if place is None and known.name in BUNDLED:
        return bundled(known.name)
    if place is None:
        place = fetched(known)
    return parse(known.name, read_checked(known, place))
