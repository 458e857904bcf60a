"""Downloads are checked before they are kept; every way to fail is one sentence that says what to do."""

import functools
import http.server
import sys
import threading
from dataclasses import replace

import pytest

from oddlearn.datasets import find_entry, load
from oddlearn.datasets.dataset import load_bundled
from oddlearn.datasets.load_dataset import download
from oddlearn.errors import DatasetError

pooch = pytest.importorskip("pooch")

# what a user can do without the network
REMEDY = "set ODDLEARN_DATA to a directory that holds iris.csv"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def server(iris_directory, monkeypatch):
    """Serve the file of iris on this machine."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    handler = functools.partial(Quiet, directory=str(iris_directory))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_file_is_downloaded_once(server, tmp_path, iris_directory):
    cache = tmp_path / "cache"
    assert download(find_entry("iris"), server, cache) == cache
    (iris_directory / "iris.csv").unlink()
    download(find_entry("iris"), server, cache)
    assert load("iris", cache).X.tolist() == load_bundled("iris").X.tolist()


def test_a_download_with_a_wrong_checksum_is_not_kept(server, tmp_path):
    other = replace(find_entry("iris"), sha256="0" * 64)
    with pytest.raises(DatasetError, match=f"iris.csv does not have the checksum .*{REMEDY}"):
        download(other, server, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_file_of_the_cache_is_downloaded_again(server, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "iris.csv").write_text("damaged")
    download(find_entry("iris"), server, tmp_path / "cache")
    assert load("iris", tmp_path / "cache").X.shape == (150, 4)


def test_a_file_that_the_server_does_not_have_is_named(server, tmp_path):
    with pytest.raises(DatasetError, match=r"wine.csv could not be downloaded to .*cache \(HTTPError\): try"):
        download(find_entry("wine"), server, tmp_path / "cache")
    assert not (tmp_path / "cache" / "wine.csv").exists()


def test_a_server_out_of_reach_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(DatasetError, match=f"127.0.0.1:1/iris.csv could not be downloaded .*{REMEDY}"):
        download(find_entry("iris"), "http://127.0.0.1:1", tmp_path / "cache")


def test_a_cache_that_cannot_be_written_is_named(server, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DatasetError, match=f"could not be downloaded to {tmp_path}/file/cache"):
        download(find_entry("iris"), server, tmp_path / "file" / "cache")
    assert (tmp_path / "file").read_text() == "in the way"


def test_without_pooch_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DatasetError, match=r"pip install \"oddlearn\[study\]\", or set ODDLEARN_DATA"):
        load("monks1")


def test_without_pooch_the_data_sets_of_scikit_learn_are_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert [load(name).X.shape for name in ("iris", "wine", "breast-cancer-diagnostic")] == [
        (150, 4),
        (178, 13),
        (569, 30),
    ]


def test_load_asks_the_fixed_commit_for_the_file_with_its_checksum(monkeypatch, tmp_path):
    asked = []

    def refuse(url, known_hash, fname, path):
        asked.append((url, known_hash, fname))
        raise ConnectionError

    monkeypatch.setattr(pooch, "retrieve", refuse)
    with pytest.raises(DatasetError, match=r"monks1.csv could not be downloaded"):
        load("monks1")
    [(url, known_hash, file)] = asked
    assert url == (
        "https://raw.githubusercontent.com/vidalt/Decision-Diagrams/e27fbb3392e17c757e4236b81a7fdcc0a2a7303c"
        "/datasets/processed/monks1.csv"
    )
    assert (known_hash, file) == (f"sha256:{find_entry('monks1').sha256}", "monks1.csv")
