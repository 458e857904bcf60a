"""Loading a data set by name: from a directory, from scikit-learn, or downloaded; every file is verified."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from types import ModuleType
from typing import Literal

from oddlearn.datasets.catalogue import DatasetEntry, find_entry
from oddlearn.datasets.dataset import BUNDLED, MONKS, Dataset, correct_target, load_bundled, parse_csv
from oddlearn.errors import DatasetError, InvalidInputError

Target = Literal["published", "corrected"]

# environment variable with the data directory, read if none is given
DATA_VARIABLE = "ODDLEARN_DATA"

# a commit, not a branch, so that the files keep the checksums of the catalogue
COMMIT = "e27fbb3392e17c757e4236b81a7fdcc0a2a7303c"
BASE_URL = f"https://raw.githubusercontent.com/vidalt/Decision-Diagrams/{COMMIT}/datasets/processed"


def load(name: str, directory: str | os.PathLike[str] | None = None, target: Target = "published") -> Dataset:
    """Return a data set of the catalogue as the paper's authors published it.

    The file is read from ``directory`` or, if None, from the directory in the environment variable
    ``ODDLEARN_DATA``; there, ``data/uci54`` is used if it exists, else the directory itself. If neither is
    given, iris, wine and breast-cancer-diagnostic come from scikit-learn (the same table as the file), and
    all others are downloaded once from the authors' repository at a fixed commit, by the package pooch. The
    checksum of every file is verified.

    Parameters
    ----------
    name : str
        Name in the catalogue, such as "iris".
    directory : str, path or None
        Directory of the CSV files.
    target : {"published", "corrected"}
        "corrected", for monks1, monks2 and monks3 only, has the true class as the target. The published files
        have it as the feature ``0``, and the sixth attribute as the target.

    Examples
    --------
    >>> from oddlearn.datasets import load
    >>> load("wine").X.shape
    (178, 13)
    """
    entry = find_entry(name)
    _check_target(name, target)
    published = _load_published(entry, directory)
    return correct_target(published) if target == "corrected" else published


def _check_target(name: str, target: str) -> None:
    if target not in ("published", "corrected"):
        raise InvalidInputError(f"target is {target!r}: give 'published' or 'corrected'.")
    if target == "corrected" and name not in MONKS:
        raise InvalidInputError(
            f"target is 'corrected', and the classes of {name!r} need no correction: only {', '.join(MONKS)} "
            "have such a target; give target='published'."
        )


def _load_published(entry: DatasetEntry, directory: str | os.PathLike[str] | None) -> Dataset:
    folder = find_data_directory(directory)
    if folder is None and entry.name in BUNDLED:
        return load_bundled(entry.name)
    if folder is None:
        folder = download(entry)
    return parse_csv(entry.name, read_verified(entry, folder))


def find_data_directory(directory: str | os.PathLike[str] | None) -> Path | None:
    """Return the given directory, else that of the environment variable, else None.

    If the directory contains ``data/uci54``, that one is returned.
    """
    chosen = directory if directory is not None else os.environ.get(DATA_VARIABLE) or None
    if chosen is None:
        return None
    if not isinstance(chosen, (str, os.PathLike)):
        raise InvalidInputError(f"directory is {chosen!r}: give a path, as text or as a Path.")
    folder = Path(chosen).expanduser()
    inner = folder / "data" / "uci54"
    return inner if inner.is_dir() else folder


def read_verified(entry: DatasetEntry, directory: Path) -> bytes:
    """Return the content of a data set's file.

    Raises DatasetError if there is no such file, if it cannot be read, or if its checksum is not that of the
    catalogue.
    """
    path = directory / f"{entry.name}.csv"
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        what = f"has no file {path.name}" if directory.is_dir() else "is not a directory"
        raise DatasetError(
            f"The data directory {directory} {what}: give one that holds the CSV files of the catalogue, as "
            f"directory or in the environment variable {DATA_VARIABLE}, or give neither to download them."
        ) from None
    except OSError as problem:
        raise DatasetError(f"{path} cannot be read ({problem.strerror}): make it readable.") from None
    _verify_checksum(entry, content, path)
    return content


def _verify_checksum(entry: DatasetEntry, content: bytes, path: Path) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != entry.sha256:
        raise DatasetError(
            f"{path} is not the file that the paper's authors published (its SHA-256 begins with "
            f"{found[:12]}, and {entry.sha256[:12]} is expected): replace it by the original."
        )


def download(entry: DatasetEntry, base_url: str = BASE_URL, cache: Path | None = None) -> Path:
    """Download the file of a data set unless the cache has it; return the cache directory.

    ``base_url``: the name of the file is appended to it.
    ``cache``: directory for the files; None for the user's cache directory.
    """
    pooch = _import_pooch(entry)
    folder = Path(pooch.os_cache("oddlearn")) / "uci54" if cache is None else cache
    file = f"{entry.name}.csv"
    url = f"{base_url}/{file}"
    try:
        pooch.retrieve(url, known_hash=f"sha256:{entry.sha256}", fname=file, path=folder)
    except OSError as problem:
        what = f"could not be downloaded to {folder} ({type(problem).__name__})"
        raise DatasetError(_download_error(entry, url, what)) from problem
    except ValueError:
        what = "does not have the checksum of the catalogue"
        raise DatasetError(_download_error(entry, url, what)) from None
    return folder


def _import_pooch(entry: DatasetEntry) -> ModuleType:
    try:
        import pooch
    except ImportError:
        raise DatasetError(
            f"Downloading {entry.name!r} needs the package pooch, which is not installed: pip install "
            f'"oddlearn[study]", or set {DATA_VARIABLE} to a directory that holds {entry.name}.csv.'
        ) from None
    module: ModuleType = pooch
    return module


def _download_error(entry: DatasetEntry, url: str, what: str) -> str:
    remedy = f"set {DATA_VARIABLE} to a directory that holds {entry.name}.csv"
    return f"{url} {what}: try again later, or {remedy}."
