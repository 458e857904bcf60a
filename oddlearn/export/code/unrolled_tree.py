"""A diagram unrolled into a tree: every node once for each path to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.export.code.program import Program


@dataclass(frozen=True, eq=False)
class UnrolledTree:
    """The nodes and leaves of a tree, breadth first.

    Attributes
    ----------
    state : (n_copies,) int
        State that each is a copy of: a node, or the number of nodes plus an end.
    negative, positive : (n_copies,) int
        Place of the copies a node leads to, -1 for leaves.
    weight : (n_copies,) float
        Training weight; the copies of an end divide it evenly.
    shares : (n_copies, n_classes) float
        Class probabilities: of the end for a leaf, the mean of all leaves below for a node.
    """

    state: IntArray
    negative: IntArray
    positive: IntArray
    weight: FloatArray
    shares: FloatArray

    @property
    def is_leaf(self) -> BoolArray:
        """True for leaves, shape (n_copies,)."""
        return np.asarray(self.negative < 0)


def count_copies(program: Program) -> int:
    """Return the number of nodes and leaves of the unrolled diagram: one for each path to each state."""
    paths = [1, *[0] * (program.n_nodes + len(program.end_class) - 1)]
    for node, pair in enumerate(program.children):
        for state in pair:
            paths[state] += paths[node]
    return sum(paths)


def unroll_program(program: Program, end_shares: FloatArray) -> UnrolledTree:
    """Return the tree; ``end_shares`` (n_ends, n_classes) are the class probabilities of the ends."""
    states, below = _copies(program)
    weight = _leaf_weights(program, states)
    shares = np.zeros((states.size, program.diagram.n_classes))
    for place in reversed(range(states.size)):
        pair = below[place]
        if pair[0] < 0:
            shares[place] = end_shares[states[place] - program.n_nodes]
            continue
        weight[place] = weight[pair].sum()
        # leaves that no training sample reached count evenly
        known = weight[pair] if weight[place] > 0 else None
        shares[place] = np.average(shares[pair], axis=0, weights=known)
    return UnrolledTree(states, below[:, 0], below[:, 1], weight, shares)


def _copies(program: Program) -> tuple[IntArray, IntArray]:
    """Return the state of every copy, and the places (n_copies, 2) of the copies below it."""
    states, below = [0], []
    for state in states:
        is_node = state < program.n_nodes
        below.append((len(states), len(states) + 1) if is_node else (-1, -1))
        states.extend(program.children[state] if is_node else ())
    return np.array(states, dtype=np.intp), np.array(below, dtype=np.intp)


def _leaf_weights(program: Program, state: IntArray) -> FloatArray:
    """Return the training weight of each leaf, 0 for nodes."""
    total = np.zeros(program.n_nodes + len(program.end_class))
    total[program.n_nodes :] = program.metadata.arc_weights[list(program.diagram.final_arcs)].sum(axis=1)
    copies = np.bincount(state, minlength=total.size)
    return np.asarray((total / copies)[state])
