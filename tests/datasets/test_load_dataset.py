"""Files are found by one rule, checked, and never written to."""

import hashlib
import os
import shutil

import numpy as np
import pytest

from oddlearn.datasets import find_entry, load
from oddlearn.datasets.dataset import BUNDLED, load_bundled
from oddlearn.errors import DatasetError, InvalidInputError


def same(first, second):
    return (
        np.array_equal(first.X, second.X)
        and np.array_equal(first.codes, second.codes)
        and np.array_equal(first.classes, second.classes)
        and first.feature_names == second.feature_names
    )


@pytest.mark.parametrize("name", BUNDLED)
def test_scikit_learn_gives_the_authors_file_to_the_byte(name, text_of):
    assert hashlib.sha256(text_of(load(name)).encode()).hexdigest() == find_entry(name).sha256


def test_a_file_is_read_from_the_directory_given(iris_directory):
    assert same(load("iris", iris_directory), load_bundled("iris"))
    assert same(load("iris", str(iris_directory)), load_bundled("iris"))


def test_a_file_is_read_from_the_directory_of_the_environment(iris_directory, monkeypatch):
    monkeypatch.setenv("ODDLEARN_DATA", str(iris_directory))
    assert same(load("iris"), load_bundled("iris"))
    with pytest.raises(DatasetError, match=r"has no file wine.csv"):
        load("wine")


def test_the_argument_goes_before_the_environment(iris_directory, monkeypatch, tmp_path):
    monkeypatch.setenv("ODDLEARN_DATA", str(tmp_path / "nowhere"))
    assert same(load("iris", iris_directory), load_bundled("iris"))


def test_an_empty_environment_variable_counts_as_none(monkeypatch):
    monkeypatch.setenv("ODDLEARN_DATA", "")
    assert load("iris").X.shape == (150, 4)


def test_a_directory_with_data_uci54_stands_for_that_one(iris_directory, tmp_path):
    shutil.copytree(iris_directory, tmp_path / "data" / "uci54")
    (tmp_path / "iris.csv").write_text("0,y\n1,1\n")
    assert same(load("iris", tmp_path), load_bundled("iris"))


def test_a_data_set_cannot_be_changed():
    dataset = load("iris")
    for array in (dataset.X, dataset.codes, dataset.classes):
        assert not array.flags.writeable
    assert dataset.X.dtype == np.float64


def test_labels_with_a_gap_become_codes_without_one(published):
    dataset = load("statlog-landsat-satellite", published)
    assert dataset.classes.tolist() == [0, 1, 2, 3, 4, 6]
    last = np.loadtxt(published / "statlog-landsat-satellite.csv", delimiter=",", skiprows=1)[:, -1]
    assert np.array_equal(dataset.classes[dataset.codes], last)


def test_a_changed_file_is_refused_and_left_alone(iris_directory):
    path = iris_directory / "iris.csv"
    changed = path.read_bytes().replace(b"5.1,3.5", b"5.1,3.6", 1)
    path.write_bytes(changed)
    found = hashlib.sha256(changed).hexdigest()[:12]
    sentence = f"iris.csv is not .*{found}, and 29d3b8040083 is expected.: replace"
    with pytest.raises(DatasetError, match=sentence):
        load("iris", iris_directory)
    assert path.read_bytes() == changed


@pytest.mark.parametrize("content", [b"", b"\xff\x00\xfe", b"0,1,2,3,y\r\n5.1,3.5,1.4,0.2,0\r\n"])
def test_a_file_of_anything_is_refused_by_its_checksum(iris_directory, content):
    (iris_directory / "iris.csv").write_bytes(content)
    with pytest.raises(DatasetError, match="is not the file that the paper's authors published"):
        load("iris", iris_directory)


def test_a_directory_without_the_file_is_named(tmp_path):
    with pytest.raises(DatasetError, match=f"{tmp_path} has no file monks1.csv: give one .*ODDLEARN_DATA"):
        load("monks1", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["nowhere", "files/iris.csv"])
def test_a_directory_that_is_none_is_named(tmp_path, iris_directory, place):
    with pytest.raises(DatasetError, match=f"{place} is not a directory: give one that holds"):
        load("iris", tmp_path / place)


def test_a_file_that_is_a_directory_is_named(tmp_path):
    (tmp_path / "iris.csv").mkdir()
    with pytest.raises(DatasetError, match=r"iris.csv cannot be read \(Is a directory\)"):
        load("iris", tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="Root may read every file.")
def test_a_file_that_may_not_be_read_is_named(iris_directory):
    (iris_directory / "iris.csv").chmod(0)
    with pytest.raises(DatasetError, match=r"iris.csv cannot be read \(Permission denied\)"):
        load("iris", iris_directory)


def test_a_directory_is_a_path():
    with pytest.raises(InvalidInputError, match="directory is 5: give a path"):
        load("iris", 5)


def test_an_unknown_target_is_refused():
    with pytest.raises(InvalidInputError, match="target is 'true': give 'published' or 'corrected'"):
        load("monks1", target="true")


def test_an_unknown_name_is_refused_before_any_file_is_looked_for(tmp_path):
    with pytest.raises(InvalidInputError, match="no data set 'irises'"):
        load("irises", tmp_path / "nowhere")
