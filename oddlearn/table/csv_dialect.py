"""How a file was read: kept, so that the next one like it is read alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CsvDialect:
    """How a file was read before; one with the same delimiter is read alike.

    Attributes
    ----------
    delimiter : str or None
        One character between fields.
    decimal : "." or "," or None
        What was asked for; None let each column tell.
    decimal_commas : tuple of str
        Columns that were found to have decimal commas.
    """

    delimiter: str | None = None
    decimal: str | None = None
    decimal_commas: tuple[str, ...] = ()

    def decimal_of(self, name: str, delimiter: str) -> str | None:
        """Return the decimal sign of a column of a file with this delimiter, None if the dialect has none."""
        if delimiter != self.delimiter:
            return None
        return self.decimal or ("," if name in self.decimal_commas else None)


UNKNOWN_DIALECT = CsvDialect()
