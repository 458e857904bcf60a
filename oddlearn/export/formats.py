"""The formats a model can be written in; a new exporter is one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oddlearn.export.code import export_c, export_onnx, export_python, export_sql
from oddlearn.export.dot import export_dot
from oddlearn.export.rules import export_rules
from oddlearn.export.svg import export_svg
from oddlearn.export.text import export_text


@dataclass(frozen=True)
class Format:
    """A format of a model."""

    # returns the content of a file, text or bytes, from a model and, for a bare diagram, its metadata
    function: Callable[..., str | bytes]
    suffix: str  # usual suffix of its files
    description: str  # a few words for a list of formats
    is_code: bool = False  # True for what another program runs, False for what people read


def _onnx_bytes(*arguments: Any) -> bytes:  # noqa: ANN401
    content: bytes = export_onnx(*arguments).SerializeToString()
    return content


def _rules_text(*arguments: Any) -> str:  # noqa: ANN401
    return str(export_rules(*arguments))


FORMATS: dict[str, Format] = {
    "c": Format(export_c, ".c", "C99 source, no allocation", is_code=True),
    "dot": Format(export_dot, ".dot", "picture, for Graphviz"),
    "onnx": Format(_onnx_bytes, ".onnx", "ONNX graph", is_code=True),
    "python": Format(export_python, ".py", "Python module without imports", is_code=True),
    "rules": Format(_rules_text, ".txt", "if-then rules"),
    "sql": Format(export_sql, ".sql", "one CASE expression", is_code=True),
    "svg": Format(export_svg, ".svg", "picture"),
    "text": Format(export_text, ".txt", "indented text"),
}
