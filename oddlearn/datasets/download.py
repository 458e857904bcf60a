"""Files of data sets from the authors' public repository, fetched by pooch, which is imported here only."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from oddlearn.datasets.catalogue import Entry
from oddlearn.datasets.files import VARIABLE
from oddlearn.errors import DatasetError

# a commit, not a branch, so that the files stay what the checksums of the catalogue were taken of
COMMIT = "e27fbb3392e17c757e4236b81a7fdcc0a2a7303c"
ADDRESS = f"https://raw.githubusercontent.com/vidalt/Decision-Diagrams/{COMMIT}/datasets/processed"


def fetched(entry: Entry, address: str = ADDRESS, cache: Path | None = None) -> Path:
    """Return the directory of the cache that holds the file of a data set, downloaded if it is not there yet.

    Parameters
    ----------
    entry : Entry
    address : str
        What the name of the file is appended to.
    cache : Path or None
        Directory for the files; None for one of the user's account.
    """
    pooch = _pooch(entry)
    directory = Path(pooch.os_cache("oddlearn")) / "uci54" if cache is None else cache
    url, file = f"{address}/{entry.name}.csv", f"{entry.name}.csv"
    try:
        pooch.retrieve(url, known_hash=f"sha256:{entry.sha256}", fname=file, path=directory)
    except OSError as problem:
        what = f"could not be downloaded to {directory} ({type(problem).__name__})"
        raise DatasetError(_failed(entry, url, what)) from problem
    except ValueError:
        raise DatasetError(_failed(entry, url, "does not have the checksum of the catalogue")) from None
    return directory


def _pooch(entry: Entry) -> ModuleType:
    try:
        import pooch
    except ImportError:
        raise DatasetError(
            f"To download {entry.name!r} the package pooch is needed, which is not installed: pip install "
            f'"oddlearn[experiments]", or set {VARIABLE} to a directory that holds {entry.name}.csv.'
        ) from None
    module: ModuleType = pooch
    return module


def _failed(entry: Entry, url: str, what: str) -> str:
    return f"{url} {what}: try again later, or set {VARIABLE} to a directory that holds {entry.name}.csv."
