"""Which of the formulation's forms is built."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """The switches of the formulation.

    Attributes
    ----------
    faithful : bool
        True for the model as the paper prints it: the whole skeleton, every weight of a hyperplane and its
        threshold within -1 and 1. False for the prepared model: the weights' absolute sum is at most 1,
        indicators carry tight slack, constant features are dropped, the number of nodes may be fixed and
        the objective bounded from below.
    order_arcs : bool
        Break the symmetry of sides: a node's negative target comes before its positive target.
    order_nodes : bool
        Break the symmetry of slots: within a layer, in-degrees do not increase.
    flows : bool
        True for a flow on every arc (z of the paper); False projects these flows onto sides and arcs.
    """

    faithful: bool = False
    order_arcs: bool = True
    order_nodes: bool = True
    flows: bool = True
