"""Files are written completely or not at all."""

import os

import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.table.files import read_content, write_whole


def test_folders_are_made_and_files_replaced(tmp_path):
    place = tmp_path / "a" / "b" / "file.txt"
    write_whole(place, "one")
    write_whole(place, b"two")
    assert place.read_bytes() == b"two"
    assert os.listdir(place.parent) == ["file.txt"]
    write_whole(place, "half \ud83d")  # half a surrogate pair
    assert place.read_text() == "half ?"


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    place = tmp_path / "file.txt"
    write_whole(place, "old")

    def refuse(*_):
        raise OSError("full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="full"):
        write_whole(place, "new")
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_permissions_are_those_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "file.txt", "text")
        assert (tmp_path / "file.txt").stat().st_mode & 0o777 == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


def test_files_that_cannot_be_read_are_named(tmp_path):
    write_whole(tmp_path / "empty", "")
    write_whole(tmp_path / "full", "x")
    assert read_content(str(tmp_path / "full")) == (b"x", str(tmp_path / "full"))
    for name, words in (("empty", "is empty"), ("none", "no file"), (".", "is a directory")):
        with pytest.raises(InvalidInputError, match=words):
            read_content(str(tmp_path / name))
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_content(str(tmp_path / "full" / "below"))
