"""What the page says, part by part; the template says where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from oddlearn.export.conditions import class_name
from oddlearn.report.data import diagram_content, form_content, row_content, safe_json
from oddlearn.report.drawing import draw
from oddlearn.report.fairness import group_rates
from oddlearn.report.fields import Field, asked_features, fields_of
from oddlearn.report.flows import Flows, flows_of
from oddlearn.report.numbers import amount, percentage
from oddlearn.report.questions import Question, questions_of, used_features
from oddlearn.report.samples import Samples
from oddlearn.report.subject import Subject
from oddlearn.report.tables import (
    accuracy_table,
    certificate_text,
    confusion_table,
    fairness_table,
    node_table,
    swatch,
)

# more classes make a confusion matrix that needs the whole width
MOST_BESIDE = 6

RATES = (
    "Given: the share of a group that is given the class. Missed: of those whose class it is, the share "
    "given another. By mistake: of all others, the share given it."
)


@dataclass(frozen=True)
class Given:
    """What the user gave beside the model: a title, rows to show, rows to test on, groups of those shown.

    ``compared`` are the codes of the classes whose rates the groups are compared by.
    """

    title: str
    shown: Samples | None
    test: Samples | None
    groups: Mapping[str, Sequence[str]]
    compared: tuple[int, ...]


def parts_of(subject: Subject, given: Given) -> dict[str, str]:
    """Return the HTML of each place of the template."""
    diagram, notes = subject.diagram, subject.notes
    rows = None if given.shown is None else given.shown.X
    flows = flows_of(diagram, notes, given.shown)
    questions = questions_of(diagram, notes, rows)
    asked = asked_features(used_features(diagram), notes)
    fields = fields_of(asked, notes, subject.categories, rows)
    embedded = row_content(given.shown, asked)
    data = {
        **diagram_content(diagram, notes, questions, flows, asked),
        "fields": form_content(fields, asked),
        "rows": embedded,
    }
    return {
        "title": escape(given.title),
        "summary": _summary(subject, given, flows),
        "legend": _legend(subject),
        "hint": _hint(flows, questions),
        "diagram": draw(diagram, notes, questions, flows),
        "fields": _form(fields),
        "embedded": _embedded(given.shown, len(embedded)),
        "sections": "\n".join(_sections(subject, given, flows, questions)),
        "data": safe_json(data),
    }


def _summary(subject: Subject, given: Given, flows: Flows) -> str:
    diagram = subject.diagram
    n_nodes, depth = diagram.n_nodes, diagram.depth
    if n_nodes == 0:
        label = escape(class_name(subject.notes, diagram.constant_class or 0))
        told = f"A model without questions: it gives every sample the class {label}."
    else:
        shared = int((diagram.in_degree > 1).sum())
        meet = f"; branches meet again at {shared} of them" if shared else ""
        size = f"{_count(n_nodes, 'question')} in {_count(depth, 'layer')}"
        told = f"{size}, {diagram.n_classes} classes{meet}."
    for name, samples in _labelled(given, flows):
        share = percentage(samples.right, samples.total)
        told += f" {share} of {amount(len(samples.X))} {name} right{samples.said}."
    return told if given.shown is not None else told + _remembered(subject, flows.unit)


def _remembered(subject: Subject, unit: str) -> str:
    """Return how good the model was in training, from its notes."""
    weights, final = subject.notes.arc_weights, np.flatnonzero(subject.diagram.arc_class >= 0)
    total = float(weights[final].sum())
    if total == 0:
        return ""
    right = float(weights[final, subject.diagram.arc_class[final]].sum())
    return f" {percentage(right, total)} of {amount(total)} {unit} right."


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _labelled(given: Given, flows: Flows) -> list[tuple[str, Samples]]:
    """Return the rows whose classes are known, with what they are."""
    both = ((flows.rows, given.shown), ("test samples", given.test))
    return [(name, samples) for name, samples in both if samples is not None and samples.codes is not None]


def _legend(subject: Subject) -> str:
    names = [class_name(subject.notes, code) for code in range(subject.diagram.n_classes)]
    return "".join(f"<li>{swatch(code, name)}</li>" for code, name in enumerate(names))


def _hint(flows: Flows, questions: Sequence[Question]) -> str:
    if not questions:
        return ""
    total = f"the {amount(flows.total)} {flows.unit}" if flows.total > 0 else "samples"
    told = "Start at the top, answer, follow yes or no. "
    told += f"Ribbons are as wide as the part of {total} they carry"
    told += "; colours are their true classes." if flows.has_classes else "."
    if any(question.is_rounded for question in questions):
        told += " Numbers in the boxes are rounded; the details and the last table have them exactly."
    return told


def _form(fields: Sequence[Field]) -> str:
    """Return one labelled field per column; the script fills in a typical sample."""
    parts = []
    for place, field in enumerate(fields):
        label = f'<label for="field-{place}">{escape(field.label)}</label>'
        if field.choices:
            options = "".join(
                f'<option value="{number}">{escape(choice.label)}</option>'
                for number, choice in enumerate(field.choices)
            )
            entry = f'<select id="field-{place}">{options}</select>'
        else:
            entry = f'<input id="field-{place}" type="number" step="any" required autocomplete="off">'
        parts.append(f'<div class="field">{label}{entry}</div>')
    return "\n".join(parts)


def _embedded(samples: Samples | None, n_embedded: int) -> str:
    """Say which rows the reader can pick."""
    if samples is None:
        return "No samples were given to this page: type one."
    n_rows = len(samples.X)
    if n_embedded == n_rows:
        return f"All {amount(n_rows)} samples can be picked."
    part = f"{amount(n_embedded)} of the {amount(n_rows)} samples"
    return f"{part}, spread evenly, are in this file to be picked."


def _sections(subject: Subject, given: Given, flows: Flows, questions: Sequence[Question]) -> list[str]:
    labelled = _labelled(given, flows)
    sections = []
    if labelled:
        matrices = [confusion_table(name, samples, subject.notes) for name, samples in labelled]
        named = [(name.capitalize(), samples) for name, samples in labelled]
        kind = "wide" if subject.diagram.n_classes > MOST_BESIDE else ""
        sections.append(_section("How good it is", accuracy_table(named) + "".join(matrices), kind))
    if given.groups:
        sections.append(_section("How groups are treated", _fairness(subject, given)))
    if subject.requirements and not getattr(subject.certificate, "requirements", ()):
        # else the certificate lists them, with what is reached
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in subject.requirements)
        sections.append(_section("What was required", f"<ul>{items}</ul>"))
    if subject.certificate is not None:
        sections.append(_section("What is proved", certificate_text(subject.certificate)))
    if questions:
        table = node_table(subject.diagram, subject.notes, questions, flows)
        sections.append(_section("Every question in full", table, "wide"))
    return sections


def _section(title: str, content: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f"<section{attribute}><h2>{escape(title)}</h2>{content}</section>"


def _fairness(subject: Subject, given: Given) -> str:
    """Return a table per sensitive feature and class that is compared."""
    samples = given.shown
    assert samples is not None and samples.codes is not None
    return f'<p class="hint">{RATES}</p>' + "".join(
        fairness_table(
            column,
            class_name(subject.notes, code),
            group_rates(samples.codes, samples.predicted, list(groups), code, samples.weights),
            samples.said,
        )
        for column, groups in given.groups.items()
        for code in given.compared
    )
