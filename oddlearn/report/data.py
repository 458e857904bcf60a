"""What the page's script reads: the diagram, the form and some rows, as JSON that can stand inside HTML."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.conditions import COMPARISON, class_name
from oddlearn.report.fields import Field
from oddlearn.report.flows import Flows
from oddlearn.report.palette import COLOURS
from oddlearn.report.questions import Question
from oddlearn.report.samples import MOST_CHARACTERS, Samples, chosen_rows

# inside a script element these could end it, or the line
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def safe_json(content: object) -> str:
    """Return JSON that holds no character by which a script element could end."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for letter, escape in UNSAFE.items():
        text = text.replace(letter, escape)
    return text


def diagram_content(
    diagram: DecisionDiagram, notes: Notes, questions: Sequence[Question], flows: Flows, asked: Sequence[int]
) -> dict[str, object]:
    """Return the nodes and the ends of final arcs; features are places in ``asked``."""
    probabilities = notes.probabilities(diagram.arc_class)
    ends = {
        int(arc): {
            "class": int(diagram.arc_class[arc]),
            "probabilities": probabilities[arc].tolist(),
            "flow": _known(flows.arcs[arc]),
        }
        for arc in np.flatnonzero(diagram.arc_class >= 0)
    }
    return {
        "classes": [class_name(notes, code) for code in range(diagram.n_classes)],
        "colours": len(COLOURS),
        "unit": flows.unit,
        "total": flows.total,
        "hasClasses": flows.has_classes,
        "nodes": [
            _node(diagram, node, question, flows, asked) for node, question in enumerate(questions)
        ],
        "ends": ends,
    }


def _node(
    diagram: DecisionDiagram, node: int, question: Question, flows: Flows, asked: Sequence[int]
) -> dict[str, object]:
    """Return a node; the terms stay in the order of the features, in which ``predict`` adds them."""
    split = diagram.splits[node]
    weights = split.dense_weights(diagram.n_features)
    features = [int(feature) for feature in np.flatnonzero(weights)]
    return {
        "features": [asked.index(feature) for feature in features],
        "weights": [float(weights[feature]) for feature in features],
        "threshold": split.threshold,
        "sign": -1 if question.is_flipped else 1,
        "targets": [int(diagram.negative[node]), int(diagram.positive[node])],
        "sides": question.sides,
        "exact": question.exact,
        "comparison": COMPARISON[question.is_flipped],
        "terms": [(term.name, term.shown, term.exact) for term in question.terms],
        "flow": _known(flows.nodes[node]),
    }


def form_content(fields: Sequence[Field], asked: Sequence[int]) -> list[dict[str, object]]:
    """Return the fields; features are places in ``asked``."""
    return [
        {
            "features": [asked.index(feature) for feature in field.features],
            "choices": [choice.values for choice in field.choices],
            "start": field.start,
        }
        for field in fields
    ]


def row_content(samples: Samples | None, asked: Sequence[int]) -> list[list[object]]:
    """Return name, true class, predicted class and asked features of the rows that go into the page."""
    rows: list[list[object]] = []
    room = MOST_CHARACTERS
    for row in chosen_rows(len(samples.X)) if samples is not None else []:
        assert samples is not None
        truth = None if samples.codes is None else int(samples.codes[row])
        content = [samples.names[row], truth, int(samples.predicted[row]), samples.X[row, asked].tolist()]
        room -= len(json.dumps(content))
        if room < 0:
            break
        rows.append(content)
    return rows


def _known(flow: FloatArray) -> list[float] | None:
    return None if np.isnan(flow).any() else flow.tolist()
