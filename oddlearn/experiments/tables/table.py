"""A finished table: words and numbers as text, and how it is written."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Literal

MISSING = "-"

# where columns are many
SHORT = {"multivariate": "multi", "univariate": "uni"}

# an empty cell begins with the empty text, which every text holds
DIGITS_OR_SIGN = "0123456789+-"


@dataclass(frozen=True)
class Table:
    """A table of the study.

    Attributes
    ----------
    name : str
        Short, for files.
    title : str
    header : tuple of str
    rows : tuple of tuple of str
        Empty when no trial it needs has run: the notes then say so.
    notes : tuple of str
        Sentences below the table.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """Return the title, the table and its notes as Markdown."""
        parts = [f"### {self.title}"]
        if self.rows:
            rule = tuple("---:" if is_number else "---" for is_number in self._are_numbers())
            parts.append("\n".join(_line(cells) for cells in (self.header, rule, *self.rows)))
        return "\n\n".join([*parts, *self.notes]) + "\n"

    def csv(self) -> str:
        """Return header and rows as CSV, without title and notes."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.header, *self.rows])
        return text.getvalue()

    @property
    def width(self) -> int:
        """Characters of a line on a terminal: a space at both ends and between columns."""
        return sum(self._widths()) + len(self.header) + 1

    def _widths(self) -> list[int]:
        """Return the width of each column: cells stay whole, its name may take a line for every word."""
        columns = zip(self.header, *self.rows, strict=True)
        return [max(map(len, (*column[0].split(), *column[1:]))) for column in columns]

    def rich(self) -> Any:  # noqa: ANN401
        """Return a ``rich.table.Table`` for a terminal; the notes are to be printed below it."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        # the widest table fits into 80 columns when nothing but a space parts its own
        table = RichTable(title=Text(self.title), title_justify="left", box=SIMPLE_HEAD, padding=0)
        for name, is_number, width in zip(self.header, self._are_numbers(), self._widths(), strict=True):
            justify: Literal["left", "right"] = "right" if is_number else "left"
            table.add_column(Text(name), justify=justify, width=width)
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        return table

    def _are_numbers(self) -> list[bool]:
        """Return for every column whether it is set to the right: its cells begin as numbers do.

        The first names the row, and is never one: skeletons begin as numbers do.
        """
        others = [[row[place] for row in self.rows] for place in range(1, len(self.header))]
        return [False, *(all(cell[:1] in DIGITS_OR_SIGN for cell in column) for column in others)]


def share_text(part: int, whole: int) -> str:
    """Return a share in percent, or a dash of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else MISSING


def number_text(value: float | None, digits: int = 3) -> str:
    """Return a number with that many decimals, or a dash for none."""
    return MISSING if value is None else f"{value:.{digits}f}"


def count_text(part: int, whole: int, expected: int) -> str:
    """Return a count, and out of how many runs if these are not all that were expected."""
    if whole == 0:
        return MISSING
    return f"{part}" if whole == expected else f"{part}/{whole}"


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
