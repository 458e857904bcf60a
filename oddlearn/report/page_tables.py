"""Tables of the page and its certificate as HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

import numpy as np

from oddlearn.constraints.group_rates import RateKind, rate_of_predictions
from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.view.arc_flows import ArcFlows
from oddlearn.view.conditions import class_name
from oddlearn.view.inputs import ModelView
from oddlearn.view.metrics import (
    class_shares,
    measure_constant,
    measure_predictions,
    metric_names,
    metric_texts,
)
from oddlearn.view.node_labels import NodeLabel
from oddlearn.view.number_text import count_text, percentage_text, share_text
from oddlearn.view.palette import colour_class
from oddlearn.view.predictions import Predictions

# of a group, in the order of the table
RATES: tuple[RateKind, ...] = ("error rate", "selection rate", "false negative rate", "false positive rate")


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], kind: str) -> str:
    """Return an HTML table; the cells are HTML, and the first of each row is its header."""
    columns = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(f"<tr>{_row_cells(row)}</tr>" for row in rows)
    lines = f"<caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead><tbody>{body}</tbody>"
    # a table too wide for a phone scrolls, also by keyboard
    frame = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
    return f'{frame}<table class="{kind}">{lines}</table></div>'


def _row_cells(row: Sequence[str]) -> str:
    return f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:])


def swatch(code: int, name: str) -> str:
    """Return a class with its colour beside it."""
    return f'<span class="class"><span class="swatch {colour_class(code)}"></span>{escape(name)}</span>'


def metrics_table(
    view: ModelView, samples: Sequence[tuple[str, Predictions]], training: Predictions | None
) -> str:
    """Return the metrics on each set of samples, beside those of the constant of the training samples.

    Without labelled training samples there is no constant.
    """
    names = [class_name(view.metadata, code) for code in range(view.diagram.n_classes)]
    weighted = {bool(one.weight_suffix) for _, one in samples}
    size = "weight" if weighted == {True} else "samples, or their weight" if True in weighted else "samples"
    head, columns = [""], [[size, f"{size} correct", *metric_names(names)]]
    for name, one in samples:
        head.append(escape(name + one.weight_suffix))
        sizes = [count_text(one.total), count_text(one.correct)]
        columns.append([*sizes, *metric_texts(measure_predictions(view, one))])
        if training is not None:
            shares = class_shares(len(names), training)
            head.append(escape(f"always {names[int(shares.argmax())]}"))
            columns.append(["", "", *metric_texts(measure_constant(shares, one))])
    rows = [[escape(row[0]), *row[1:]] for row in zip(*columns, strict=True)]
    return html_table("Metrics", head, rows, "numbers")


def confusion_table(name: str, samples: Predictions, metadata: ModelMetadata) -> str:
    """Return the confusion matrix, with the share of each class that is predicted correctly."""
    n_classes = len(metadata.class_labels)
    counts = samples.confusion(n_classes)
    names = [swatch(code, class_name(metadata, code)) for code in range(n_classes)]
    rows = [
        [names[code], *_confusion_cells(counts[code], code), percentage_text(row[code], row.sum())]
        for code, row in enumerate(counts)
    ]
    head = ["True class", *(f"predicted {label}" for label in names), "Recall"]
    caption = f"Confusion matrix of the {name}{samples.weight_suffix}"
    return html_table(caption, head, rows, "numbers confusion")


def _confusion_cells(row: Sequence[float], code: int) -> list[str]:
    marks = ["right" if place == code else "wrong" if count else "none" for place, count in enumerate(row)]
    return [f'<span class="{mark}">{count_text(float(n))}</span>' for mark, n in zip(marks, row, strict=True)]


def node_table(view: ModelView, labels: Sequence[NodeLabel], flows: ArcFlows) -> str:
    """Return the exact condition of each node, and where its arcs lead."""
    diagram, rows = view.diagram, []
    for node, label in enumerate(labels):
        weight = flows.node_weight(node)
        numbers = [count_text(weight), share_text(weight, flows.total)] if flows.total > 0 else ["", ""]
        targets = [_target_html(view, int(ends[node])) for ends in (diagram.positive, diagram.negative)]
        pieces = " ".join(f"<span>{escape(piece)}</span>" for piece in label.pieces)
        rows.append([str(node), f'<span class="rule">{pieces}</span>', *targets, *numbers])
    head = ["Node", "Exact condition", "Yes", "No", escape(flows.unit.capitalize()), "Share"]
    return html_table("Nodes from the top", head, rows, "nodes")


def _target_html(view: ModelView, target: int) -> str:
    if target < view.diagram.n_nodes:
        return f"node {target}"
    code = target - view.diagram.n_nodes
    return swatch(code, class_name(view.metadata, code))


def group_rates(
    codes: IntArray, predicted: IntArray, groups: Sequence[str], class_code: int, weights: FloatArray
) -> dict[str, list[float]]:
    """Return weight and rates of each group, in the order of their names; a rate of nobody is nan."""
    names, found = np.array(groups, dtype=object), {}
    for group in sorted(set(groups)):
        member = names == group
        samples = (codes[member], predicted[member], weights[member], class_code)
        rates = [rate_of_predictions(kind, *samples) for kind in RATES]
        found[group] = [float(weights[member].sum()), *rates]
    return found


def group_table(
    column: str, label: str, groups: Mapping[str, Sequence[float]], weight_suffix: str = ""
) -> str:
    """Return the rates of each group for a class, and their largest differences."""
    rows = [
        [escape(group), count_text(size), *map(percentage_text, rates)]
        for group, (size, *rates) in groups.items()
    ]
    _, *by_kind = zip(*groups.values(), strict=True)
    spans = [percentage_text(_span(rates)) for rates in by_kind]
    rows.append(["Largest difference", "", *spans])
    head = ["Group", "Weight" if weight_suffix else "Samples", *(kind.capitalize() for kind in RATES)]
    caption = f"Rates of “{label}” by {column}{weight_suffix}"
    return html_table(caption, head, rows, "numbers fairness")


def _span(rates: Sequence[float]) -> float:
    defined = [rate for rate in rates if not math.isnan(rate)]
    return max(defined) - min(defined) if defined else math.nan


def certificate_html(certificate: Any) -> str:  # noqa: ANN401
    """Return in two sentences what is proved, each constraint, and the rest folded away."""
    short = certificate.explain().splitlines()
    rest = certificate.explain(details=True).splitlines()[len(short) :]
    details = f"<details><summary>How it was proved</summary>{_lines_html(rest)}</details>" if rest else ""
    return f"{_badge(certificate)}{_lines_html(short)}{details}"


def _lines_html(lines: Sequence[str]) -> str:
    """Return lines as paragraphs, and those that begin with a dash as lists."""
    parts = []
    for is_item, run in groupby(lines, key=lambda line: line.startswith("- ")):
        if is_item:
            items = "".join(f"<li>{escape(line[2:])}</li>" for line in run)
            parts.append(f'<ul class="evidence">{items}</ul>')
        else:
            parts += [f"<p>{escape(line)}</p>" for line in run]
    return "".join(parts)


def _badge(certificate: Any) -> str:  # noqa: ANN401
    if not certificate.is_feasible:
        return '<p class="badge bad">A constraint is violated</p>'
    if not certificate.is_optimal:
        return '<p class="badge open">Not proved optimal</p>'
    if certificate.only_class is not None:
        return '<p class="badge open">Proved optimal, but it predicts one class only</p>'
    if certificate.unpredicted_classes:
        missing = escape(certificate.unpredicted_text)
        return f'<p class="badge open">Proved optimal, but never predicts {missing}</p>'
    if certificate.missed_text:
        return f'<p class="badge open">Proved optimal, but it {escape(certificate.missed_text)}</p>'
    return '<p class="badge good">Proved optimal</p>'
