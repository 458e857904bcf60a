"""Every form a model can be written in."""

from __future__ import annotations

from typing import Any

# form -> what it is, and the usual ending of its file
FORMS = {
    "c": ("C99 source, no allocation", ".c"),
    "dot": ("picture, for Graphviz", ".dot"),
    "html": ("page to explore in a browser", ".html"),
    "onnx": ("ONNX graph", ".onnx"),
    "python": ("Python module without imports", ".py"),
    "rules": ("if-then rules", ".txt"),
    "sql": ("one CASE expression", ".sql"),
    "svg": ("picture", ".svg"),
    "text": ("indented text", ".txt"),
}


def view(form: str, model: Any) -> str | bytes:  # noqa: ANN401
    """Return a model in one of the forms."""
    from oddlearn.export.code import EXPORTERS
    from oddlearn.report import html_page

    if form in EXPORTERS:
        return EXPORTERS[form](model)
    return html_page(model) if form == "html" else view_text(form, model)


def view_text(form: str, model: Any) -> str:  # noqa: ANN401
    """Return a model in a form for people: dot, rules, svg or text."""
    from oddlearn import export

    return str(getattr(export, f"export_{form}")(model)).rstrip("\n")
