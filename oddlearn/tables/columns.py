"""From the texts of a column to numbers, booleans or text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.tables.table import Column

# what stands for a missing value, after leading and trailing blanks are cut off
MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "na", "<NA>", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null"]
)

TRUTH = {"true": True, "false": False}

# with decimal comma, and perhaps dots between groups of three digits
DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?([eE][+-]?\d+)?")


def typed_column(name: str, texts: Sequence[str], *, decimal: str, keep_text: bool = False) -> Column:
    """Return the texts as whole numbers, numbers or booleans if all that are not missing are, else as text.

    Parameters
    ----------
    name : str
    texts : sequence of str
        Without blanks at their ends.
    decimal : "." or ","
    keep_text : bool
        True leaves them as they are.
    """
    missing = np.zeros(len(texts), dtype=bool)
    present = list(texts)
    if not MISSING.isdisjoint(texts):
        missing = np.array([text in MISSING for text in texts])
        present = [text for text in texts if text not in MISSING]
    values = None if keep_text else _converted(present, decimal)
    if values is None:
        values = np.array(present, dtype=object)
    spread = np.zeros(len(texts), dtype=values.dtype)
    spread[~missing] = values
    if spread.dtype.kind == "f":
        missing |= np.isnan(spread)
    return Column(name, spread, missing)


def has_decimal_commas(texts: Sequence[str]) -> bool:
    """Return whether all texts that are not missing are numbers, and some of them have a decimal comma."""
    if "," not in "".join(texts):
        return False
    return all(text in MISSING or DECIMAL_COMMA.fullmatch(text) for text in texts)


def _converted(texts: list[str], decimal: str) -> NDArray[Any] | None:
    if "_" in "".join(texts):
        return None  # Python would read 1_2 as the number 12
    # a column of numbers with decimal points stays one: its points are not those of thousands
    if decimal == "," and all(map(DECIMAL_COMMA.fullmatch, texts)):
        texts = [text.replace(".", "").replace(",", ".") for text in texts]
    for reader, kind in ((int, np.int64), (float, np.float64), (TRUTH.__getitem__, np.bool_)):
        given = map(str.lower, texts) if kind is np.bool_ else texts
        try:
            return np.fromiter(map(reader, given), dtype=kind, count=len(texts))
        except (ValueError, OverflowError, KeyError):
            continue
    return None
