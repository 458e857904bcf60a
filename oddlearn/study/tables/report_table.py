"""A table of texts, written as Markdown, as CSV or to a terminal; numbers as texts."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Literal

MISSING = "-"

SHORT_SPLITS = {"multivariate": "multi", "univariate": "uni"}  # for tables with many columns

# the first character of a number; the empty text of an empty cell is in it too
DIGITS_OR_SIGN = "0123456789+-"


@dataclass(frozen=True)
class Table:
    """A table of the study."""

    name: str  # name of its file, without suffix
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()  # empty if none of its trials has run: a note then says so
    notes: tuple[str, ...] = ("No trial of the grid has run yet.",)  # sentences below the table

    def markdown(self) -> str:
        """Return the title, the table and its notes as Markdown."""
        parts = [f"### {self.title}"]
        if self.rows:
            rule = tuple("---:" if is_number else "---" for is_number in self._find_numeric_columns())
            parts.append("\n".join(_markdown_line(cells) for cells in (self.header, rule, *self.rows)))
        return "\n\n".join([*parts, *self.notes]) + "\n"

    def csv(self) -> str:
        """Return header and rows as CSV, without title and notes."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.header, *self.rows])
        return text.getvalue()

    @property
    def width(self) -> int:
        """Width of a line on a terminal, with a space at both ends and between columns."""
        return sum(self._column_widths()) + len(self.header) + 1

    def _column_widths(self) -> list[int]:
        """Return the width of each column: cells are not wrapped, the header may be wrapped at spaces."""
        columns = zip(self.header, *self.rows, strict=True)
        return [max(map(len, (*column[0].split(), *column[1:]))) for column in columns]

    def rich(self) -> Any:  # noqa: ANN401
        """Return a ``rich.table.Table`` for a terminal, without the notes."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        # with one space between columns the widest table fits into 80 characters
        table = RichTable(title=Text(self.title), title_justify="left", box=SIMPLE_HEAD, padding=0)
        columns = zip(self.header, self._find_numeric_columns(), self._column_widths(), strict=True)
        for name, is_number, width in columns:
            justify: Literal["left", "right"] = "right" if is_number else "left"
            table.add_column(Text(name), justify=justify, width=width)
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        return table

    def _find_numeric_columns(self) -> list[bool]:
        """Return True for each column of numbers, which is aligned to the right.

        The first column names the row: it is never one, although skeletons begin with a digit.
        """
        others = [[row[place] for row in self.rows] for place in range(1, len(self.header))]
        return [False, *(all(cell[:1] in DIGITS_OR_SIGN for cell in column) for column in others)]


def share_text(part: int, total: int) -> str:
    """Return a share in percent; a dash if the total is 0."""
    return f"{100 * part / total:.1f} %" if total else MISSING


def number_text(value: float | None, digits: int = 3) -> str:
    """Return a number with the given decimals; a dash for None."""
    return MISSING if value is None else f"{value:.{digits}f}"


def count_text(part: int, total: int, expected: int) -> str:
    """Return a count; followed by the total if that is not the expected one; a dash if the total is 0."""
    if total == 0:
        return MISSING
    return f"{part}" if total == expected else f"{part}/{total}"


def _markdown_line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
