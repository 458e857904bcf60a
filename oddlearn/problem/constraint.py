"""What a constraint is to the rest of the library: something that writes rows."""

from __future__ import annotations

from typing import Protocol

from oddlearn.problem.data import TrainingData
from oddlearn.problem.observables import Layout
from oddlearn.problem.rows import LinearRows


class Constraint(Protocol):
    """A user's demand on a diagram, declared as linear rows on the observables."""

    def rows(self, data: TrainingData, layout: Layout) -> LinearRows:
        """Return the rows over ``layout.size`` observables."""
        ...
