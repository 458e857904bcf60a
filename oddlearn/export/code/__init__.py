"""Diagrams that run elsewhere: as C, SQL, Python source, ONNX, or a scikit-learn tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from oddlearn.diagram.notes import Notes
from oddlearn.export.code.c import export_c
from oddlearn.export.code.onnx import export_onnx
from oddlearn.export.code.python import export_python
from oddlearn.export.code.sklearn_tree import export_sklearn
from oddlearn.export.code.sql import export_sql

__all__ = ["EXPORTERS", "export_c", "export_onnx", "export_python", "export_sklearn", "export_sql"]


def _onnx_bytes(model: object, notes: Notes | None = None) -> bytes:
    content: bytes = export_onnx(model, notes).SerializeToString()
    return content


# name of a target -> the content of its file, from a model (and, for a bare diagram, its notes)
EXPORTERS: Mapping[str, Callable[..., str | bytes]] = {
    "c": export_c,
    "onnx": _onnx_bytes,
    "python": export_python,
    "sql": export_sql,
}
