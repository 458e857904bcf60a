"""The sections of the page; the template says where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from oddlearn.export.svg import scene_to_html
from oddlearn.report.page_data import diagram_data, row_data, safe_json
from oddlearn.report.page_insights import (
    importance_html,
    interval_texts,
    node_histograms,
    plane_data,
    rules_html,
)
from oddlearn.report.page_tables import (
    certificate_html,
    confusion_table,
    group_rates,
    group_table,
    metrics_table,
    node_table,
    swatch,
)
from oddlearn.report.sample_form import build_form, form_data, form_features, form_html
from oddlearn.view.arc_flows import ArcFlows, sample_flows, training_flows
from oddlearn.view.conditions import class_name
from oddlearn.view.inputs import ModelView
from oddlearn.view.node_labels import NodeLabel, label_nodes
from oddlearn.view.number_text import count_text, percentage_text, plural
from oddlearn.view.pictures import page_scene
from oddlearn.view.predictions import Predictions
from oddlearn.view.split_plane import build_planes

MAX_CLASSES_BESIDE = 6  # with more classes a confusion matrix needs the whole width

METRICS_HINT = (
    "Beside the model: a constant that predicts the most frequent class of the training samples and has "
    "their class shares as probabilities. ROC AUC: 0.5 for a constant, 1 at best. Brier score: the mean "
    "squared error of the probabilities, 0 at best. Class weights, if there were any, count in training and "
    "in the probabilities, not here."
)

RATES_HINT = (
    "Selection rate: the share of a group that is predicted as the class. False negative rate: of those of "
    "the class, the share predicted as another. False positive rate: of all others, the share predicted as "
    "the class."
)


@dataclass(frozen=True)
class PageInputs:
    """User input beside the model."""

    title: str
    samples: Predictions | None  # rows to show
    test: Predictions | None  # rows to test on
    row_names: Sequence[str]  # names of the rows to show
    groups: Mapping[str, Sequence[str]]  # groups of the rows to show, by sensitive feature
    compared: tuple[int, ...]  # codes of the classes whose rates are compared between groups
    test_names: Sequence[str] = ()  # names of the rows to test on
    test_groups: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the same of the rows to test on


def page_sections(view: ModelView, inputs: PageInputs) -> dict[str, str]:
    """Return the HTML of each placeholder of the template."""
    diagram, metadata, samples = view.diagram, view.metadata, inputs.samples
    rows = None if samples is None else samples.X
    flows = training_flows(diagram, metadata) if samples is None else sample_flows(diagram, metadata, samples)
    labels = label_nodes(diagram, metadata, rows)
    form = form_features(diagram.used_features, metadata)
    fields = build_form(form, metadata, view.categories, rows)
    embedded = row_data(samples, inputs.row_names, form)
    tested = row_data(inputs.test, inputs.test_names, form)
    content = diagram_data(view, labels, flows, form, interval_texts(view))
    content["histograms"] = node_histograms(view, labels, samples)
    content["planes"] = plane_data(build_planes(view, samples))
    data = {**content, "fields": form_data(fields, form), "rows": embedded, "testRows": tested}
    return {
        "title": escape(inputs.title),
        "summary": _summary(view, inputs, flows),
        "legend": _legend(view),
        "rows_name": flows.rows.replace("samples", "rows"),
        "hint": escape(" ".join([_hint(flows, labels), *view.notes])),
        "diagram": scene_to_html(page_scene(view, labels, flows), diagram.n_nodes, flows.has_classes),
        "fields": form_html(fields),
        "embedded": _embedded_text(samples, len(embedded) + len(tested), inputs.test),
        "sections": "\n".join(_sections(view, inputs, flows, labels)),
        "data": safe_json(data),
    }


def _summary(view: ModelView, inputs: PageInputs, flows: ArcFlows) -> str:
    diagram = view.diagram
    if diagram.n_nodes == 0:
        label = escape(class_name(view.metadata, diagram.constant_class or 0))
        text = f"A constant model: it predicts {label} for every sample."
    else:
        n_shared = int((diagram.in_degree > 1).sum())
        shared = f"; branches meet again at {n_shared} of them" if n_shared else ""
        size = f"{plural(diagram.n_nodes, 'node')} in {plural(diagram.depth, 'layer')}"
        text = f"{size}, {diagram.n_classes} classes{shared}."
    for name, one in _labelled_samples(inputs, flows):
        share = percentage_text(one.correct, one.total)
        text += f" Accuracy on {count_text(len(one.X))} {name}{one.weight_suffix}: {share}."
    return text if inputs.samples is not None else text + _training_accuracy(view, flows)


def _training_accuracy(view: ModelView, flows: ArcFlows) -> str:
    """Return the accuracy in training, from the metadata of the model."""
    if not flows.total > 0:
        return ""
    share = percentage_text(flows.correct(view.diagram), flows.total)
    weighted = "Weighted accuracy" if view.metadata.is_weighted else "Accuracy"
    return f" {weighted} on {flows.total_text}: {share}."


def _labelled_samples(inputs: PageInputs, flows: ArcFlows) -> list[tuple[str, Predictions]]:
    """Return the samples whose classes are known, with their names."""
    both = ((flows.rows, inputs.samples), ("test samples", inputs.test))
    return [(name, samples) for name, samples in both if samples is not None and samples.codes is not None]


def _legend(view: ModelView) -> str:
    names = [class_name(view.metadata, code) for code in range(view.diagram.n_classes)]
    return "".join(f"<li>{swatch(code, name)}</li>" for code, name in enumerate(names))


def _hint(flows: ArcFlows, labels: Sequence[NodeLabel]) -> str:
    if not labels:
        return ""
    total = f"of the {flows.total_text}" if flows.total > 0 else "of the samples"
    text = "Start at the top and follow yes or no. "
    text += f"Each arc is as wide as the share {total} that takes it"
    text += "; colours are their true classes." if flows.has_classes else "."
    if any(label.is_rounded for label in labels):
        text += " Numbers in the boxes are rounded; the details and the last table have the exact ones."
    return text


def _embedded_text(samples: Predictions | None, n_embedded: int, test: Predictions | None) -> str:
    """Return a sentence about the rows that the reader can pick."""
    n_rows = sum(len(one.X) for one in (samples, test) if one is not None)
    if not n_rows:
        return "No samples were given to this page: type one."
    if n_embedded == n_rows:
        return f"All {count_text(n_rows)} samples can be picked."
    part = f"{count_text(n_embedded)} of the {count_text(n_rows)} samples"
    return f"{part}, spread evenly, are in this file to be picked."


def _sections(view: ModelView, inputs: PageInputs, flows: ArcFlows, labels: Sequence[NodeLabel]) -> list[str]:
    labelled = _labelled_samples(inputs, flows)
    rows = None if inputs.samples is None else inputs.samples.X
    sections = []
    if view.certificate is not None:
        sections.append(_section("What is proved", certificate_html(view.certificate)))
    if labelled:
        matrices = [confusion_table(name, samples, view.metadata) for name, samples in labelled]
        named = [(name.capitalize(), samples) for name, samples in labelled]
        kind = "wide" if view.diagram.n_classes > MAX_CLASSES_BESIDE else ""
        training = inputs.samples if inputs.samples is not None and inputs.samples.codes is not None else None
        table = f'<p class="hint">{METRICS_HINT}</p>{metrics_table(view, named, training)}'
        sections.append(_section("Accuracy", table + "".join(matrices), kind))
    if inputs.groups or inputs.test_groups:
        sections.append(_section("Fairness", _fairness_html(view, inputs, flows)))
    if importance := importance_html(view, inputs.samples):
        sections.append(_section("What matters", importance))
    if rules := rules_html(view, rows):
        sections.append(_section("Rules", rules, "wide"))
    if labels:
        sections.append(_section("All nodes", node_table(view, labels, flows), "wide"))
    return sections


def _section(title: str, content: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f"<section{attribute}><h2>{escape(title)}</h2>{content}</section>"


def _fairness_html(view: ModelView, inputs: PageInputs, flows: ArcFlows) -> str:
    """Return a table per set of rows, sensitive feature and compared class."""
    both = ((flows.rows, inputs.samples, inputs.groups), ("test samples", inputs.test, inputs.test_groups))
    return f'<p class="hint">{RATES_HINT}</p>' + "".join(
        group_table(
            f"{column}, {name}",
            class_name(view.metadata, code),
            group_rates(samples.codes, samples.predicted, groups, code, samples.row_weights),
            samples.weight_suffix,
        )
        for name, samples, by_column in both
        for column, groups in by_column.items()
        for code in inputs.compared
        if samples is not None and samples.codes is not None
    )
