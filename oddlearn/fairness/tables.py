"""Rows of dicts as text and as data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows with the same keys as a table of plain text."""
    head = [name.replace("_", " ") for name in rows[0]]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    table = [head, *cells]
    return "\n".join("  ".join(map(str.rjust, line, widths)).rstrip() for line in table)


def pandas_frame(rows: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401
    """Return rows as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("A data frame needs pandas, which is not installed: pip install pandas.") from None
    return pandas.DataFrame(list(rows))


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "-"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
