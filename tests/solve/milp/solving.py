"""Tiny models solved by scipy, which needs none of our back ends; and random diagrams to put into models."""

import math
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.solve.milp.context import FormulationOptions
from oddlearn.solve.milp.linear_model import linearise_indicators

VARIANTS = [
    FormulationOptions(name, *switches)
    for name in ("tight", "paper")
    for switches in product([False, True], repeat=3)
]


def point_violation(model, x):
    """Return the largest distance of a point to a row, a bound, an integer or a triggered row."""
    row, triggered = np.asarray(model.matrix @ x), x[model.indicators.trigger] > 0.5
    parts = [
        model.lower - row,
        row - model.upper,
        model.column_lower - x,
        x - model.column_upper,
        np.abs(x - np.round(x))[model.integer],
        (np.asarray(model.indicators.matrix @ x) - model.indicators.upper)[triggered],
    ]
    return max(0.0, *(float(part.max(initial=0.0)) for part in parts))


def solved(model):
    """Return the optimal point and value, or (None, inf) when the model is infeasible."""
    plain = linearise_indicators(model)
    result = milp(
        plain.cost,
        integrality=plain.integer.astype(int),
        bounds=Bounds(plain.column_lower, plain.column_upper),
        constraints=LinearConstraint(plain.matrix, plain.lower, plain.upper),
        options={"mip_rel_gap": 0.0},
    )
    assert result.status in (0, 2), result.message
    return (None, math.inf) if result.x is None else (result.x, result.fun + model.offset)


def random_diagram(problem, seed):
    """Return a random diagram of the problem whose splits keep the margin in the middle of wide gaps."""
    random = np.random.default_rng(seed)
    n_classes, n_features = problem.data.n_classes, problem.data.n_features
    n_slots, heads, slots = _random_heads(problem, random)
    if not slots:
        return DecisionDiagram.constant(int(random.integers(n_classes)), n_classes, n_features)
    ids = {slot: place for place, slot in enumerate(slots)}
    ids |= {n_slots + code: len(slots) + code for code in range(n_classes)}
    arcs = np.array([[ids[head] for head in heads[slot]] for slot in slots])
    splits = tuple(_random_split(problem, random) for _ in slots)
    layer = problem.skeleton.layer_of[slots]
    return DecisionDiagram(splits, arcs[:, 0], arcs[:, 1], layer, n_classes, n_features)


def _random_heads(problem, random):
    """Follow random arcs from the root; in trees a slot is entered once."""
    skeleton, n_classes = problem.skeleton, problem.data.n_classes
    heads, slots, taken = {}, [0] if random.random() < 0.9 else [], set()
    for slot in slots:
        layer = skeleton.layer_of[slot]
        below = range(skeleton.first[layer + 1], skeleton.first[min(layer + 2, skeleton.depth)])
        free = [head for head in below if not (skeleton.tree_only and head in taken)]
        ends = np.array(free * 3 + list(range(skeleton.n_nodes, skeleton.n_nodes + n_classes)))
        first = random.choice(ends)
        heads[slot] = [int(first), int(random.choice(ends[ends != first]))]
        taken |= set(heads[slot])
        slots.extend(head for head in heads[slot] if head < skeleton.n_nodes and head not in slots)
    return skeleton.n_nodes, heads, sorted(slots)


def _random_split(problem, random):
    """Return a split in the middle of one of the gaps between rows, or beyond all of them."""
    X = problem.data.X
    if problem.split == "univariate":
        split = UnivariateSplit(int(random.integers(X.shape[1])), 0.0)
    else:
        weights = random.uniform(-1, 1, X.shape[1])
        split = MultivariateSplit(weights / np.abs(weights).sum(), 0.0)
    key = np.unique(split.key(X))
    wide = np.flatnonzero(np.diff(key) >= problem.margin)
    places = list((key[wide] + key[wide + 1]) / 2)
    if not places or random.random() < 0.1:
        places = [key[0] - 0.1, key[-1] + 0.1]
    return split.with_threshold(float(random.choice(places)))
