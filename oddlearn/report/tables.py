"""The parts of the page that are text and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.conditions import class_name
from oddlearn.report.fairness import GroupRates
from oddlearn.report.flows import Flows
from oddlearn.report.numbers import amount, percentage, share_text
from oddlearn.report.palette import colour_class
from oddlearn.report.questions import Question
from oddlearn.report.samples import Samples


def table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]], kind: str) -> str:
    """Return an HTML table; the cells are HTML, and the first of each row is its header."""
    columns = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    lines = f"<caption>{escape(name)}</caption><thead><tr>{columns}</tr></thead><tbody>{body}</tbody>"
    # what is too wide for a phone scrolls, also by keyboard
    frame = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">'
    return f'{frame}<table class="{kind}">{lines}</table></div>'


def _cells(row: Sequence[str]) -> str:
    return f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:])


def swatch(code: int, name: str) -> str:
    """Return a class with its colour beside it."""
    return f'<span class="swatch {colour_class(code)}"></span>{escape(name)}'


def accuracy_table(given: Sequence[tuple[str, Samples]]) -> str:
    """Return how many samples of each kind are right."""
    rows = [
        [escape(name + one.said), amount(one.total), amount(one.right), percentage(one.right, one.total)]
        for name, one in given
    ]
    number = "Weight" if any(one.said for _, one in given) else "Number"
    return table("Accuracy", ["Samples", number, "Right", "Share"], rows, "numbers")


def confusion_table(name: str, samples: Samples, notes: Notes) -> str:
    """Return how many samples of each true class were given each class, and how many of them are right."""
    n_classes = len(notes.class_labels)
    counts = samples.confusion(n_classes)
    names = [swatch(code, class_name(notes, code)) for code in range(n_classes)]
    rows = [
        [names[code], *_confusion_cells(counts[code], code), percentage(row[code], row.sum())]
        for code, row in enumerate(counts)
    ]
    head = ["True class", *(f"given {label}" for label in names), "Right"]
    return table(f"Confusion matrix of the {name}{samples.said}", head, rows, "numbers confusion")


def _confusion_cells(row: Sequence[float], code: int) -> list[str]:
    marks = ["right" if place == code else "wrong" if count else "none" for place, count in enumerate(row)]
    return [f'<span class="{mark}">{amount(float(n))}</span>' for mark, n in zip(marks, row, strict=True)]


def node_table(
    diagram: DecisionDiagram, notes: Notes, questions: Sequence[Question], flows: Flows
) -> str:
    """Return every question in full, with where its answers lead."""
    rows = []
    for node, question in enumerate(questions):
        total = float(flows.nodes[node].sum())
        numbers = [amount(total), share_text(total, flows.total)]
        leads = [_target(diagram, notes, int(ends[node])) for ends in (diagram.positive, diagram.negative)]
        pieces = " ".join(f"<span>{escape(piece)}</span>" for piece in question.pieces)
        rows.append([str(node), f'<span class="rule">{pieces}</span>', *leads, *numbers])
    head = ["Node", "Question, exactly", "Yes", "No", escape(flows.unit.capitalize()), "Share"]
    return table("Nodes from the top", head, rows, "nodes")


def _target(diagram: DecisionDiagram, notes: Notes, target: int) -> str:
    if target < diagram.n_nodes:
        return f"node {target}"
    code = target - diagram.n_nodes
    return swatch(code, class_name(notes, code))


def fairness_table(column: str, label: str, rates: Sequence[GroupRates], said: str = "") -> str:
    """Return what happens to each group, and how far they are apart at most; ``said`` tells of weights."""
    fields = ("error", "selected", "missed", "mistaken")
    rows = [
        [escape(rate.group), amount(rate.size), *(_rate(getattr(rate, field)) for field in fields)]
        for rate in rates
    ]
    apart = [_rate(_span([getattr(rate, field) for rate in rates])) for field in fields]
    rows.append(["Largest difference", "", *apart])
    name = f"“{escape(label)}”"
    number = "Weight" if said else "Samples"
    head = ["Group", number, "Wrong", f"Given {name}", f"{name} missed", f"{name} by mistake"]
    return table(f"Groups by {column}{said}", head, rows, "numbers fairness")


def _span(rates: Sequence[float]) -> float:
    known = [rate for rate in rates if not math.isnan(rate)]
    return max(known) - min(known) if known else math.nan


def _rate(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


def certificate_text(certificate: Any) -> str:  # noqa: ANN401
    """Return the certificate's own words as paragraphs and a list of evidence."""
    lines = certificate.explain().splitlines()
    evidence = [line[2:] for line in lines if line.startswith("- ")]
    others = [line for line in lines if not line.startswith("- ")]
    items = "".join(f"<li>{escape(line)}</li>" for line in evidence)
    told = f'<ul class="evidence">{items}</ul>' if items else ""
    first, *rest = [f"<p>{escape(line)}</p>" for line in others]
    return f"{_badge(certificate)}{first}{told}{''.join(rest)}"


def _badge(certificate: Any) -> str:  # noqa: ANN401
    if not certificate.is_feasible:
        return '<p class="badge bad">A requirement is not met</p>'
    if certificate.is_optimal:
        return '<p class="badge good">Proved optimal</p>'
    return '<p class="badge open">Not proved optimal</p>'
