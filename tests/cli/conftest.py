"""A table in a file, and a model that was trained on it."""

import pytest

from oddlearn.cli.main import main
from tests.cli.commands import QUICK, as_text, people


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(as_text(people()))
    return path


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Return a folder with people.csv, model.json and report.html; tests only read it."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "people.csv").write_text(as_text(people()))
    data = str(folder / "people.csv")
    assert main(["fit", data, "--target", "approved", "--output", str(folder), *QUICK]) == 0
    return folder
