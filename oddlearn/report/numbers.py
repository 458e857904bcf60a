"""Numbers for people."""

from __future__ import annotations

import math

from oddlearn.export.flows import share_text as plain_share


def amount(value: float) -> str:
    """Return a count with separators, a weight with a few digits, nothing for what is not known."""
    if math.isnan(value):
        return ""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def share_text(part: float, whole: float) -> str:
    """Return a share in whole per cents, nothing for what is not known."""
    return "" if math.isnan(part) or not whole > 0 else plain_share(part / whole)


def percentage(part: float, whole: float) -> str:
    """Return a share with one decimal, such as ``97.3 %``; a dash where there is nothing to share."""
    if not whole > 0:
        return "–"
    shown = f"{100 * part / whole:.1f}"
    return "> 99.9 %" if shown == "100.0" and part < whole else f"{shown} %"
