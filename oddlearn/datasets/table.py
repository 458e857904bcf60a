"""A data set in memory, and how it is read from the text of its file."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers


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
        As in the file: numbers, with the category after an underscore where a column says "is of it".
    """

    name: str
    X: FloatArray
    codes: IntArray
    classes: IntArray
    feature_names: tuple[str, ...]


def collect(name: str, X: ArrayLike, labels: ArrayLike, feature_names: tuple[str, ...]) -> Dataset:
    """Return a data set of features, shape (n, d), and integer labels, shape (n,)."""
    classes, codes = np.unique(np.asarray(labels).astype(np.intp), return_inverse=True)
    return Dataset(
        name, read_only_floats(X), read_only_integers(codes), read_only_integers(classes), feature_names
    )


def parse(name: str, content: bytes) -> Dataset:
    """Return the data set of a file whose checksum was right: a header, numbers, the class last."""
    text = content.decode("ascii")
    header = text.partition("\n")[0].split(",")
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)
    return collect(name, table[:, :-1], table[:, -1], tuple(header[:-1]))
