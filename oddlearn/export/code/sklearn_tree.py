"""A diagram as a fitted scikit-learn tree: unrolled, with thresholds in float32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import route_reference
from oddlearn.errors import UnsupportedError
from oddlearn.export.code.program import StateProgram, build_program, split_terms
from oddlearn.view.conditions import condition_text

MAX_COPIES = 100_000  # a tree of more nodes and leaves is refused
UNDEFINED = -2  # what scikit-learn writes into the feature and the threshold of a leaf


def export_sklearn(
    model: object, metadata: ModelMetadata | None = None, *, X: ArrayLike | None = None, unroll: bool = False
) -> Any:  # noqa: ANN401
    """Return the model as a fitted ``sklearn.tree.DecisionTreeClassifier``.

    scikit-learn's trees round every number to float32. On rows that float32 holds exactly the tree agrees
    with ``predict``, rows on a threshold included; give other rows as X to have it made sure for them.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
        With univariate splits.
    metadata : ModelMetadata, optional
        Names and labels of a DecisionDiagram; a classifier has its own.
    X : (n, n_features) array-like, optional
        Rows on which the tree must agree with ``predict``, such as the training rows. Thresholds are moved
        to that end by as little as float32 needs, or the export is refused.
    unroll : bool
        Copy nodes that branches share, once for each path to them; without it, only trees are exported.

    Returns
    -------
    DecisionTreeClassifier
        It takes the numbers the diagram looks at, ``model.encode(X)``: a 0 or 1 per category. Its
        probabilities are those of ``predict_proba``; but where a leaf predicts another class than the most
        frequent one, as costs can make it, that class has probability 1, since scikit-learn predicts the
        most probable class. Sample counts are training weights, divided evenly among copies of a leaf.
        Missing values are NaN; a node that asks whether a value is missing has an infinite threshold.
    """
    program = build_program(model, metadata)
    _check_is_tree(program, unroll)
    thresholds = float32_thresholds(program, program.view.rows(X))
    return _classifier(program, unroll_program(program, _end_shares(program)), thresholds)


def _check_is_tree(program: StateProgram, unroll: bool) -> None:
    elsewhere = "export it to C, SQL, Python or ONNX"
    if not program.is_univariate:
        raise UnsupportedError(
            "A scikit-learn tree looks at one feature per node, and this diagram has multivariate splits: "
            f"{elsewhere}."
        )
    if not program.diagram.is_tree and not unroll:
        raise UnsupportedError(
            "In a scikit-learn tree branches never meet, and this diagram has shared nodes: give unroll=True "
            f"to copy them, or {elsewhere}."
        )
    if count_copies(program) > MAX_COPIES:
        raise UnsupportedError(
            f"Unrolled, this diagram has {count_copies(program)} nodes and leaves, more than {MAX_COPIES}: "
            f"{elsewhere}, where shared nodes stay shared."
        )


def _end_shares(program: StateProgram) -> FloatArray:
    """Return the probabilities of the ends, each with its class as the most probable one."""
    shares, code = program.probabilities, np.array(program.end_class)
    agrees = shares.argmax(axis=1) == code
    return np.where(agrees[:, None], shares, np.eye(program.diagram.n_classes)[code])


def _classifier(program: StateProgram, tree: UnrolledTree, thresholds: FloatArray) -> Any:  # noqa: ANN401
    """Return a classifier fitted to a stand-in of the right sizes, with its tree exchanged."""
    from sklearn.tree import DecisionTreeClassifier

    n_classes = program.diagram.n_classes
    classifier = DecisionTreeClassifier()
    classifier.fit(np.zeros((n_classes, program.diagram.n_features)), np.arange(n_classes))
    build, sizes, state = classifier.tree_.__reduce__()
    nodes = np.zeros(tree.state.size, dtype=state["nodes"].dtype)
    for name, values in _columns(program, tree, thresholds).items():
        nodes[name] = values
    # the way a tree comes back from a pickle, which is the only one to make it from arrays
    classifier.tree_ = build(*sizes)
    classifier.tree_.__setstate__(
        {
            **state,
            "max_depth": program.diagram.depth,
            "node_count": nodes.size,
            "nodes": nodes,
            "values": np.ascontiguousarray(tree.shares[:, None, :]),
        }
    )
    classifier.classes_ = _labels(program)
    if program.metadata.feature_names is not None:
        classifier.feature_names_in_ = np.array(program.metadata.feature_names, dtype=object)
    return classifier


def _columns(program: StateProgram, tree: UnrolledTree, thresholds: FloatArray) -> dict[str, NDArray[Any]]:
    """Return what scikit-learn stores of each node; the negative side is its left one."""
    # leaves look up a place past all nodes
    node = np.where(tree.is_leaf, program.n_nodes, tree.state)
    pairs = zip(program.missing_children, program.children, strict=True)
    missing_negative = np.array([missing == negative for missing, (negative, _) in pairs], dtype=bool)
    features = np.array([*(split_terms(split)[0][0] for split in program.diagram.splits), UNDEFINED])
    return {
        "left_child": tree.negative,
        "right_child": tree.positive,
        "feature": features[node],
        "threshold": np.append(thresholds, UNDEFINED)[node],
        "missing_go_to_left": np.append(missing_negative, False)[node],
        "impurity": 1.0 - (tree.shares**2).sum(axis=1),
        "n_node_samples": np.round(tree.weight),
        "weighted_n_node_samples": tree.weight,
    }


def _labels(program: StateProgram) -> NDArray[Any]:
    kinds = {type(label) for label in program.labels}
    return np.array(program.labels, dtype=None if len(kinds) == 1 else object)


@dataclass(frozen=True, eq=False)
class UnrolledTree:
    """The nodes and leaves of a tree, breadth first."""

    state: IntArray  # (n_copies,): state that each is a copy of: a node, or the number of nodes plus an end
    negative: IntArray  # (n_copies,): place of the copies a node leads to, -1 for leaves
    positive: IntArray  # (n_copies,)
    weight: FloatArray  # (n_copies,): training weight; the copies of an end divide it evenly
    shares: FloatArray  # (n_copies, n_classes): probabilities of an end; of a node, the mean of its leaves

    @property
    def is_leaf(self) -> BoolArray:
        """True for leaves, shape (n_copies,)."""
        return np.asarray(self.negative < 0)


def count_copies(program: StateProgram) -> int:
    """Return the number of nodes and leaves of the unrolled diagram: one for each path to each state."""
    paths = [1, *[0] * (program.n_nodes + len(program.end_class) - 1)]
    for node, pair in enumerate(program.children):
        for state in pair:
            paths[state] += paths[node]
    return sum(paths)


def unroll_program(program: StateProgram, end_shares: FloatArray) -> UnrolledTree:
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
        weights = weight[pair] if weight[place] > 0 else None
        shares[place] = np.average(shares[pair], axis=0, weights=weights)
    return UnrolledTree(states, below[:, 0], below[:, 1], weight, shares)


def _copies(program: StateProgram) -> tuple[IntArray, IntArray]:
    """Return the state of every copy, and the places (n_copies, 2) of the copies below it."""
    states, below = [0], []
    for state in states:
        is_node = state < program.n_nodes
        below.append((len(states), len(states) + 1) if is_node else (-1, -1))
        states.extend(program.children[state] if is_node else ())
    return np.array(states, dtype=np.intp), np.array(below, dtype=np.intp)


def _leaf_weights(program: StateProgram, state: IntArray) -> FloatArray:
    """Return the training weight of each leaf, 0 for nodes."""
    total = np.zeros(program.n_nodes + len(program.end_class))
    total[program.n_nodes :] = program.metadata.arc_weights[list(program.diagram.final_arcs)].sum(axis=1)
    copies = np.bincount(state, minlength=total.size)
    return np.asarray((total / copies)[state])


def float32_thresholds(program: StateProgram, rows: NDArray[np.floating] | None) -> FloatArray:
    """Return a threshold per node such that ``float32(x) <= threshold`` on the negative side and only there.

    True for every x that float32 holds exactly; with rows, for all of them too, or UnsupportedError.

    ``program``: of a diagram with univariate splits.
    ``rows`` (n, n_features) float or None.
    """
    diagram = program.diagram
    thresholds = np.array([_float32_below(split.threshold) for split in diagram.splits])
    if rows is None or diagram.n_nodes == 0:
        return thresholds
    passed = route_reference(diagram, rows)
    for node, split in enumerate(diagram.splits):
        here = passed.reached[:, node] & ~np.isnan(split.key(rows))
        rounded, side = _to_float32(split.key(rows[here])), passed.sides[here, node]
        if ((rounded.astype(np.float64) > thresholds[node]) != side).any():
            thresholds[node] = _separating_threshold(program, node, rounded, side)
    return thresholds


def _float32_below(threshold: float) -> float:
    """Return the largest float32 below a threshold; an infinite one has all numbers on one side as it is."""
    if np.isinf(threshold):
        return threshold
    nearest = _to_float32(np.array([threshold]))[0]
    # compared as doubles: numpy would round the threshold too
    return float(nearest if float(nearest) < threshold else np.nextafter(nearest, np.float32(-np.inf)))


def _to_float32(values: FloatArray) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and on the right side
        return values.astype(np.float32)


def _separating_threshold(
    program: StateProgram, node: int, rounded: NDArray[np.float32], side: BoolArray
) -> float:
    """Return a threshold that has every rounded value on its side, or raise UnsupportedError."""
    low, high = float(rounded[~side].max(initial=-np.inf)), float(rounded[side].min(initial=np.inf))
    if low < high:
        return low
    condition = condition_text(program.diagram.splits[node], program.metadata)
    raise UnsupportedError(
        f"scikit-learn's trees round every number to float32, where rows on both sides of node {node} "
        f"({condition}) fall together at {low:g}: export to C, SQL, Python or ONNX, or train on "
        "numbers rounded to float32."
    )
