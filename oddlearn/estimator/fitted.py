"""Numbers of a fitted model, read from its diagram and its certificate."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.events import history


class FittedNumbers:
    """What a fitted classifier says of its diagram and of how good it is."""

    diagram_: DecisionDiagram
    certificate_: Certificate

    @property
    def objective_(self) -> float:
        """Cost per weight plus the price of the nodes, on the training data."""
        return self.certificate_.objective

    @property
    def lower_bound_(self) -> float:
        """No diagram of the skeleton has a lower objective than this."""
        return self.certificate_.lower_bound

    @property
    def gap_(self) -> float:
        """Largest share of the objective that could still be saved."""
        return self.certificate_.gap

    @property
    def is_optimal_(self) -> bool:
        """True when the diagram is proved to be optimal, in the words of ``certificate_.explain()``."""
        return self.certificate_.is_optimal

    @property
    def history_(self) -> NDArray[Any]:
        """What was known over time: records of seconds, objective, lower_bound and n_nodes."""
        return history(self.certificate_.events)

    @property
    def n_nodes_(self) -> int:
        """Number of internal nodes."""
        return self.diagram_.n_nodes

    @property
    def depth_(self) -> int:
        """Number of layers in use."""
        return self.diagram_.depth
