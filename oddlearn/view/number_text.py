"""Numbers as text for readers: exact numbers, counts, shares and percentages."""

from __future__ import annotations

import math

# numbers of this size are written without an exponent
MIN_PLAIN, MAX_PLAIN = 1e-5, 1e15


def number_text(value: float) -> str:
    """Return a number exactly, in the fewest digits that read back as the same double."""
    size = abs(value)
    if size and not MIN_PLAIN <= size < MAX_PLAIN:
        return repr(float(value))
    from numpy import format_float_positional  # messages of the command line need no numpy

    # adding 0.0 takes the sign off a negative zero
    return str(format_float_positional(value + 0.0, trim="-"))


def count_text(value: float) -> str:
    """Return a count with separators, or a weight that is no integer with four digits."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def share_text(part: float, total: float = 1.0) -> str:
    """Return a share as an integer percentage, never 0 for something or 100 for less than everything.

    The text is empty when ``total`` is 0.
    """
    if not total > 0:
        return ""
    percent = 100 * part / total
    if math.isclose(percent, 100, rel_tol=1e-9):  # a sum of weights is rounded
        return "100 %"
    if 0 < percent < 1 or 99 < percent < 100:
        return f"{'<1' if percent < 1 else '>99'} %"
    return f"{percent:.0f} %"


def percentage_text(part: float, total: float = 1.0) -> str:
    """Return a share with one decimal, such as ``97.3 %``; a dash when it is not defined."""
    if math.isnan(part) or not total > 0:
        return "–"
    text = f"{100 * part / total:.1f}"
    return "> 99.9 %" if text == "100.0" and part < total else f"{text} %"


def one_line(text: str) -> str:
    """Return text without line breaks and repeated spaces."""
    return " ".join(text.split())


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, such as ``1 node`` or ``3,000 rows``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
