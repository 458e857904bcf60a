"""What happened to each sample on its way through a diagram."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from oddlearn.diagram.diagram import DecisionDiagram


@dataclass(frozen=True)
class Walk:
    """Passage of samples through every node, worked out node by node in plain numpy.

    Attributes
    ----------
    reached, sides : (n, n_nodes) bool
        Whether the sample passes the node, and whether it would take its positive side.
    final_arc : (n,) int
        Arc ``2 * node + side`` that leads the sample to its terminal; 0 in the constant diagram.
    """

    reached: BoolArray
    sides: BoolArray
    final_arc: IntArray


def walk(diagram: DecisionDiagram, X: NDArray[np.floating]) -> Walk:
    """Send the rows of X down node after node; slower than ``route`` and independent of its kernel."""
    n_nodes = diagram.n_nodes
    reached = np.zeros((X.shape[0], n_nodes), dtype=bool)
    sides = np.zeros_like(reached)
    final_arc = np.zeros(X.shape[0], dtype=np.intp)
    reached[:, :1] = True
    for node, split in enumerate(diagram.splits):
        sides[:, node] = split.side(X)
        for side, target in enumerate((diagram.negative[node], diagram.positive[node])):
            moved = reached[:, node] & (sides[:, node] == bool(side))
            if target < n_nodes:
                reached[:, target] |= moved
            else:
                final_arc[moved] = 2 * node + side
    return Walk(reached, sides, final_arc)


def weights_on_arcs(
    diagram: DecisionDiagram, X: NDArray[np.floating], class_weight: NDArray[np.floating]
) -> FloatArray:
    """Return the weight of each class that takes each arc ``2 * node + side``, shape (n_arcs, n_classes).

    Parameters
    ----------
    diagram : DecisionDiagram
    X : (n, n_features) float
    class_weight : (n, n_classes) float
        Weight of each row in each class.
    """
    if diagram.n_nodes == 0:
        return np.asarray(class_weight.sum(axis=0, keepdims=True), dtype=np.float64)
    steps = walk(diagram, X)
    taken = [steps.reached & ~steps.sides, steps.reached & steps.sides]
    weights = [side.T.astype(np.float64) @ class_weight for side in taken]
    return np.stack(weights, axis=1).reshape(diagram.n_arcs, -1)


@dataclass(frozen=True, eq=False)
class Trace:
    """The route of samples through a diagram.

    Attributes
    ----------
    diagram : DecisionDiagram
    X : (n, n_features) float
        The samples.
    final_arc : (n,) int
        Arc ``2 * node + side`` that leads each sample to its terminal; 0 in the constant diagram.
    predicted : (n,) int
        Class code of each sample.
    """

    diagram: DecisionDiagram
    X: NDArray[np.floating]
    final_arc: IntArray
    predicted: IntArray

    @cached_property
    def reached(self) -> Any:  # noqa: ANN401
        """Nodes each sample passes, CSR bool of shape (n, n_nodes)."""
        return csr_array(self._walk.reached)

    @cached_property
    def sides(self) -> Any:  # noqa: ANN401
        """Nodes each sample leaves on the positive side, CSR bool of shape (n, n_nodes)."""
        return csr_array(self._walk.reached & self._walk.sides)

    @cached_property
    def _walk(self) -> Walk:
        return walk(self.diagram, self.X)
