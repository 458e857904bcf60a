"""Names and values as SQL writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from oddlearn.diagram.labels import Label
from oddlearn.errors import UnsupportedError
from oddlearn.export.code.program import plain_text


@dataclass(frozen=True)
class Dialect:
    """How a family of databases quotes.

    Attributes
    ----------
    quote : str
        Character around names; doubled within them.
    escapes : Mapping
        What replaces a character within text.
    double : str
        How a value becomes a double, so that sums are rounded as ``predict`` rounds them.
    """

    quote: str
    escapes: Mapping[str, str]
    double: str

    def name(self, column: str) -> str:
        """Return a column's name, quoted."""
        doubled = plain_text(column, "SQL").replace(self.quote, 2 * self.quote)
        return f"{self.quote}{doubled}{self.quote}"

    def value(self, value: Label) -> str:
        """Return a literal."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            letters = (self.escapes.get(letter, letter) for letter in plain_text(value, "SQL"))
            return f"'{''.join(letters)}'"
        if not math.isfinite(value):
            raise UnsupportedError(f"SQL has no portable way to write {value}: rename the label.")
        return repr(value)


DIALECTS: Mapping[str, Dialect] = {
    "standard": Dialect('"', {"'": "''"}, "CAST({} AS DOUBLE PRECISION)"),
    # a number with an exponent is a double there, where a cast has a name of its own in each database
    "mysql": Dialect("`", {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r"}, "({} + 0e0)"),
}
