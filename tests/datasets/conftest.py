"""Where the tests find files of data sets: the authors', or iris written anew."""

import os
from pathlib import Path

import pytest

from oddlearn.datasets.dataset import load_bundled


def file_text(dataset):
    """Return a data set as the text of its file: every number in its shortest form, the label last."""
    lines = [",".join([*dataset.feature_names, "y"])]
    for row, label in zip(dataset.X.tolist(), dataset.classes[dataset.codes].tolist(), strict=True):
        lines.append(",".join([*map(repr, row), repr(label)]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def text_of():
    return file_text


@pytest.fixture
def iris_directory(tmp_path):
    """Return a directory with the authors' file of iris."""
    directory = tmp_path / "files"
    directory.mkdir()
    (directory / "iris.csv").write_bytes(file_text(load_bundled("iris")).encode())
    return directory


@pytest.fixture(scope="session")
def published():
    """Return the directory of the authors' files."""
    given = os.environ.get("ODDLEARN_DATA")
    top = Path(given) if given else Path(__file__).resolve().parents[3] / "shared"
    for directory in (top / "data" / "uci54", top):
        if (directory / "iris.csv").is_file():
            return directory
    pytest.skip(f"The authors' files are not in {top}: set ODDLEARN_DATA to their directory.")


@pytest.fixture(autouse=True)
def no_data_directory(monkeypatch):
    """Take away the environment variable, so that a test says itself where the files are."""
    monkeypatch.delenv("ODDLEARN_DATA", raising=False)
