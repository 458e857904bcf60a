"""Diagrams that run elsewhere: as C, SQL, Python source, ONNX, or a scikit-learn tree."""

from oddlearn.export.code.c_source import export_c
from oddlearn.export.code.onnx_graph import export_onnx
from oddlearn.export.code.python_source import export_python
from oddlearn.export.code.sklearn_tree import export_sklearn
from oddlearn.export.code.sql_source import export_sql

__all__ = ["export_c", "export_onnx", "export_python", "export_sklearn", "export_sql"]
