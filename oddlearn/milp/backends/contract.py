"""What every solver back end takes and gives."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from oddlearn.diagram.arrays import FloatArray
from oddlearn.milp.model import LinearModel

# how a solver ended: "optimal" (its gap is closed), "cutoff" (nothing is better than the cutoff),
# "infeasible", "time", "memory", "interrupted"
Ending = Literal["optimal", "cutoff", "infeasible", "time", "memory", "interrupted"]

IndicatorKind = Literal["big-m", "native"]


@dataclass(frozen=True)
class SolveOptions:
    """What a solver is told.

    Attributes
    ----------
    seconds : float
        Its own time limit; the process it runs in is ended from outside in any case.
    cutoff : float
        Only points with an objective below are of interest; inf for none.
    start : (n_columns,) float or None
        A feasible point to begin with; one that is not below the cutoff is left out.
    indicators : "big-m" or "native"
    threads, seed : int
        The seed is one of 0 to 2**31 - 1.
    tolerance : float
        What a point may violate rows and whole numbers by.
    """

    seconds: float
    cutoff: float
    start: FloatArray | None
    indicators: IndicatorKind
    threads: int = 1
    seed: int = 0
    tolerance: float = 1e-6


@dataclass(frozen=True)
class News:
    """A better point, a larger bound, or both, while a solver runs."""

    bound: float
    objective: float
    values: FloatArray | None


@dataclass(frozen=True)
class Solution:
    """What a solver hands back.

    Attributes
    ----------
    values : (n_columns,) float or None
        The best point it found below the cutoff.
    bound : float
        No point has a lower objective, up to the solver's tolerances. Never above the cutoff: what lies
        there was not looked at. Inf when infeasible (no cutoff given), -inf when nothing is known.
    ending : Ending
    nodes : int
        Of its search tree.
    """

    values: FloatArray | None
    bound: float
    ending: Ending
    nodes: int


class Backend(Protocol):
    """A solver; its module imports the solver's package only inside its methods."""

    def objection(self, indicators: IndicatorKind) -> str | None:
        """Return, in a sentence, why it cannot work here (not installed, licence, options), or None."""
        ...

    def version(self) -> str:
        """Return the name and version of the solver."""
        ...

    def solve(self, model: LinearModel, options: SolveOptions, send: Callable[[News], None]) -> Solution:
        """Solve the model; ``send`` is told of every better point and larger bound as they come.

        Raises
        ------
        UnsupportedError
            When the solver refuses the model, as one too large for its licence.
        RuntimeError
            When the solver fails.
        """
        ...


def missing(package: str, extra: str) -> str | None:
    """Return a sentence on how to install a package, None when it is there."""
    if importlib.util.find_spec(package) is not None:
        return None
    return f"The solver '{extra}' is not installed: pip install oddlearn[{extra}]"
