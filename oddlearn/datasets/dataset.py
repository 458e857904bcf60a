"""A data set in memory: from the text of its file, from scikit-learn, or with a corrected target."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers

BUNDLED = ("breast-cancer-diagnostic", "iris", "wine")  # data sets that scikit-learn carries

# their published files have the class as feature 0 and the sixth attribute as the target; tests compare both
# with the rules that generated the data
MONKS = ("monks1", "monks2", "monks3")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set of the catalogue, in the units of its file.

    Attributes
    ----------
    name : str
    X : ndarray of float64, shape (n, d)
    codes : ndarray of int, shape (n,)
        Class of each sample as a number 0, 1, ...: ``classes[codes]`` are the labels of the file.
    classes : ndarray of int
        The labels, sorted.
    feature_names : tuple of str
        As in the file: column numbers, followed by an underscore and the category for one-hot columns.
    """

    name: str
    X: FloatArray
    codes: IntArray
    classes: IntArray
    feature_names: tuple[str, ...]


def build_dataset(name: str, X: ArrayLike, labels: ArrayLike, feature_names: tuple[str, ...]) -> Dataset:
    """Return a data set with features, shape (n, d), and integer labels, shape (n,)."""
    classes, codes = np.unique(np.asarray(labels).astype(np.intp), return_inverse=True)
    return Dataset(
        name, read_only_floats(X), read_only_integers(codes), read_only_integers(classes), feature_names
    )


def parse_csv(name: str, content: bytes) -> Dataset:
    """Return the data set of a verified file: a header line, then numbers, the label in the last column."""
    text = content.decode("ascii")
    header = text.partition("\n")[0].split(",")
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)
    return build_dataset(name, table[:, :-1], table[:, -1], tuple(header[:-1]))


def load_bundled(name: str) -> Dataset:
    """Return a data set from scikit-learn with the same rows, order and labels as the authors' file.

    Two things are changed for that. The file of breast-cancer-diagnostic calls malignant 1 and benign 0,
    scikit-learn the other way round. The file of iris is UCI's, where three numbers of its 35th and 38th
    rows differ from Fisher's article, which scikit-learn follows.
    """
    from sklearn import datasets

    loaders = {
        "breast-cancer-diagnostic": datasets.load_breast_cancer,
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
    }
    X, labels = loaders[name](return_X_y=True)
    X = np.array(X)
    if name == "breast-cancer-diagnostic":
        labels = 1 - labels
    if name == "iris":
        X[34, 3] = 0.1
        X[37, 1:3] = 3.1, 1.5
    return build_dataset(name, X, labels, tuple(str(feature) for feature in range(X.shape[1])))


def correct_target(dataset: Dataset) -> Dataset:
    """Return a monks data set with feature ``0`` as the class, and the sixth attribute in its place."""
    X = np.array(dataset.X)
    X[:, 0] = dataset.classes[dataset.codes]
    return build_dataset(dataset.name, X, dataset.X[:, 0], ("a6", *dataset.feature_names[1:]))
