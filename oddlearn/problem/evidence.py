"""Evidence of a certificate: what each solver contributed, and its numbers rounded to the safe side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal

DIGITS = 10  # significant digits of objectives and bounds in the text
SKIPPED = "skipped"  # status of a solver that was not run


@dataclass(frozen=True)
class Evidence:
    """The result of one solver: a lower bound and the reason for it."""

    solver: str
    bound: float  # no diagram of the problem has a lower objective
    text: str  # reason for the bound, or for the lack of a better one
    seconds: float  # time spent
    version: str = ""  # name and version of the external solver, if there is one
    options: str = ""  # options of the external solver
    nodes: int = 0  # nodes of its search tree
    size: str = ""  # size of the largest model it solved
    status: str = ""  # such as "optimal" or "time"; SKIPPED if it was not run

    def describe(self) -> str:
        """Return the line on this solver: its bound, the reason, and how it ended."""
        if self.status == SKIPPED:
            return f"- {self.solver}: skipped, {self.text}"
        name = f"{self.solver} ({self.version})" if self.version else self.solver
        details = [
            self.text,
            f"status: {self.status}" if self.status else "",
            f"{self.nodes:,} nodes searched" if self.nodes else "",
            self.size,
            self.options,
            f"{self.seconds:.2f} s",
        ]
        parts = "; ".join(part for part in details if part)
        return f"- {name}: at least {round_down(self.bound, DIGITS)} ({parts})"


def round_down(value: float, digits: int) -> str:
    """Return a number with so many significant digits, never rounded up."""
    if not math.isfinite(value):
        return str(value)
    context = Context(prec=digits, rounding=ROUND_FLOOR)
    return f"{float(context.create_decimal(Decimal(repr(value)))):.{digits}g}"


def floor_decimals(value: float, decimals: int) -> str:
    """Return a number with so many decimals, never rounded up but for noise of floating point."""
    text = str(Decimal(f"{value:.12f}").quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_FLOOR))
    return text.removeprefix("-") if float(text) == 0 else text
