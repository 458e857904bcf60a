"""Results in a CSV file that grows row by row, so that a benchmark can be ended and taken up again."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path


class Store:
    """Rows of text under named columns; without a path they are kept in memory only."""

    def __init__(self, path: Path | None, columns: Sequence[str], key: Sequence[str]) -> None:
        self.path, self.columns, self.key = path, list(columns), list(key)
        self.rows: list[dict[str, str]] = []
        if path is not None and path.exists():
            with path.open(newline="") as lines:
                self.rows = list(csv.DictReader(lines))

    def find(self, *key: object) -> dict[str, str] | None:
        """Return the row of a key, None if it is still to be done."""
        wanted = [str(part) for part in key]
        return next((row for row in self.rows if [row[name] for name in self.key] == wanted), None)

    def add(self, **values: object) -> dict[str, str]:
        """Append a row, to the file too."""
        row = {name: str(values[name]) for name in self.columns}
        self.rows.append(row)
        if self.path is not None:
            is_new = not self.path.exists()
            with self.path.open("a", newline="") as lines:
                writer = csv.DictWriter(lines, self.columns)
                if is_new:
                    writer.writeheader()
                writer.writerow(row)
        return row
