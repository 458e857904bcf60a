"""The data of the page: the diagram and some rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.view.arc_flows import ArcFlows
from oddlearn.view.conditions import COMPARISON, class_name
from oddlearn.view.inputs import ModelView
from oddlearn.view.node_labels import NodeLabel
from oddlearn.view.palette import CLASS_COLOURS
from oddlearn.view.predictions import Predictions

# characters that could end a script element, or a line in it
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}

# rows written into the page, and characters of their text
MAX_ROWS = 200
MAX_CHARACTERS = 1_000_000

MAX_NAME_LENGTH = 40  # characters of a row's name


def safe_json(content: object) -> str:
    """Return JSON without any character by which a script element could end."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for character, escaped in UNSAFE.items():
        text = text.replace(character, escaped)
    return text


def diagram_data(
    view: ModelView,
    labels: Sequence[NodeLabel],
    flows: ArcFlows,
    form: Sequence[int],
    intervals: Mapping[int, str],
) -> dict[str, object]:
    """Return the nodes and the ends of final arcs; features are places in ``form``."""
    diagram, metadata = view.diagram, view.metadata
    probabilities = metadata.probabilities(diagram)
    ends = {
        arc: {
            "class": int(diagram.arc_class[arc]),
            "probabilities": probabilities[arc].tolist(),
            "flow": flows.arcs[arc].tolist(),
            "interval": intervals.get(arc, ""),
        }
        for arc in diagram.final_arcs
    }
    return {
        "classes": [class_name(metadata, code) for code in range(diagram.n_classes)],
        "colours": len(CLASS_COLOURS),
        "unit": flows.unit,
        "total": flows.total,
        "hasClasses": flows.has_classes,
        "nodes": [_node_data(view, node, label, flows, form) for node, label in enumerate(labels)],
        "ends": ends,
    }


def _node_data(
    view: ModelView, node: int, label: NodeLabel, flows: ArcFlows, form: Sequence[int]
) -> dict[str, object]:
    """Return a node; its terms stay in the order of the features, in which ``predict`` adds them."""
    diagram = view.diagram
    split = diagram.splits[node]
    weights = split.dense_weights(diagram.n_features)
    features = [int(feature) for feature in np.flatnonzero(weights)]
    return {
        "features": [form.index(feature) for feature in features],
        "weights": [float(weights[feature]) for feature in features],
        # null: the question is whether the value is missing
        "threshold": split.threshold if math.isfinite(split.threshold) else None,
        "missing": int(split.missing_positive) if isinstance(split, UnivariateSplit) else None,
        "sign": -1 if label.is_flipped else 1,
        "targets": [int(diagram.negative[node]), int(diagram.positive[node])],
        "sides": label.sides,
        "exact": label.exact,
        "comparison": COMPARISON[label.is_flipped],
        "terms": [(term.name, term.displayed, term.exact) for term in label.terms],
        "flow": flows.nodes[node].tolist(),
    }


def row_data(samples: Predictions | None, names: Sequence[str], form: Sequence[int]) -> list[list[object]]:
    """Return name, true class, predicted class and features of the rows that are written into the page."""
    rows: list[list[object]] = []
    if samples is None:
        return rows
    space = MAX_CHARACTERS
    wrong = None if samples.codes is None else np.flatnonzero(samples.codes != samples.predicted)
    for row in select_rows(len(samples.X), wrong):
        truth = None if samples.codes is None else int(samples.codes[row])
        values = [None if math.isnan(value) else value for value in samples.X[row, form].tolist()]
        content = [names[row], truth, int(samples.predicted[row]), values]
        space -= len(json.dumps(content))
        if space < 0:
            break
        rows.append(content)
    return rows


def select_rows(n_rows: int, wrong: IntArray | None = None) -> IntArray:
    """Return the rows that are written into the page: all, or some spread evenly over the table.

    A quarter of them are rows predicted wrong, if there are so many.
    """
    if n_rows <= MAX_ROWS:
        return np.arange(n_rows)
    n_wrong = 0 if wrong is None else min(len(wrong), MAX_ROWS // 4)
    some = np.linspace(0, n_rows - 1, MAX_ROWS - n_wrong).round().astype(np.intp)
    if wrong is None or not n_wrong:
        return np.unique(some)
    errors = wrong[np.linspace(0, len(wrong) - 1, n_wrong).round().astype(np.intp)]
    return np.unique(np.concatenate([some, errors]))


def row_names(X: Any, n_rows: int) -> tuple[str, ...]:  # noqa: ANN401
    """Return the shortened index of a frame, or row numbers counted from 0."""
    index = getattr(X, "index", None)
    if index is None or callable(index):  # a list has a method of this name
        return tuple(str(place) for place in range(n_rows))
    return tuple(_shorten_name(str(name)) for name in index)


def _shorten_name(name: str) -> str:
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"
