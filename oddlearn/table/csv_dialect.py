"""Delimiter and decimal sign of a CSV file, stored so that later files are read in the same way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CsvDialect:
    """Delimiter and decimal sign of a file; files with the same delimiter are read in the same way.

    Attributes
    ----------
    delimiter : str or None
        One character between fields.
    decimal : "." or "," or None
        Given by the user; None if it was found for each column.
    decimal_commas : tuple of str
        Columns that were found to have decimal commas.
    """

    delimiter: str | None = None
    decimal: str | None = None
    decimal_commas: tuple[str, ...] = ()

    def decimal_of(self, name: str, delimiter: str) -> str | None:
        """Return the decimal sign of a column of a file with this delimiter, None if it is not known."""
        if delimiter != self.delimiter:
            return None
        return self.decimal or ("," if name in self.decimal_commas else None)


UNKNOWN_DIALECT = CsvDialect()
