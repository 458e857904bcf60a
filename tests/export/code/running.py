"""Exports compiled, selected, executed: the programs that the tests compare with ``predict``."""

import ctypes
import shutil
import sqlite3
import subprocess
import warnings

import numpy as np
import pytest

from oddlearn.errors import UnknownCategoryWarning
from oddlearn.export.code import export_python

COMPILER = shutil.which("cc")
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1")


def compiled(source, folder, flags=STRICT):
    """Return a loaded library of a C file; skips the test where there is no compiler."""
    if COMPILER is None:
        pytest.skip("there is no C compiler called cc")
    file, library = folder / "diagram.c", folder / "diagram.so"
    file.write_text(source, encoding="ascii")
    subprocess.run([COMPILER, *flags, "-fPIC", "-shared", file, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def answers(library, X, n_classes, prefix="oddlearn"):
    """Return classes and probabilities of the rows; both functions must give the same class."""
    pointer = ctypes.POINTER(ctypes.c_double)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    shares = np.full((len(X), n_classes), -1.0)
    predict, predict_proba = (getattr(library, f"{prefix}_{name}") for name in ("predict", "predict_proba"))
    codes = [predict(row.ctypes.data_as(pointer)) for row in rows]
    again = [
        predict_proba(row.ctypes.data_as(pointer), share.ctypes.data_as(pointer))
        for row, share in zip(rows, shares, strict=True)
    ]
    assert codes == again
    return np.array(codes), shares


def predicted(model, X):
    """Return the labels that the model predicts, without warnings of unknown categories."""
    return model.classes_[model.diagram_.predict(encoded(model, X))].tolist()


def encoded(model, X):
    """Return the rows as the diagram reads them, without warnings of unknown categories."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownCategoryWarning)
        return model.encode(X)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def selected(expression, columns, rows):
    """Return the expression's value for each row of a table that a database holds."""
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE t ({', '.join(quoted(name) for name in columns)})")
    places = ", ".join("?" * len(columns))
    database.executemany(f"INSERT INTO t VALUES ({places})", rows)
    return [value for (value,) in database.execute(f"SELECT {expression} FROM t ORDER BY rowid")]


def loaded(diagram, metadata):
    """Return the names of the exported Python module."""
    names = {}
    exec(compile(export_python(diagram, metadata), "diagram.py", "exec"), names)
    return names


def session(content):
    """Return a running ONNX model; skips the test where there is no runtime."""
    runtime = pytest.importorskip("onnxruntime")
    return runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
