"""Parts of the page on the model itself: histograms of splits, importance of columns, rules, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from oddlearn.diagram.arc_intervals import arc_intervals
from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.features import Feature
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.export.rules import export_rules
from oddlearn.problem.feature_importance import measure_importances
from oddlearn.problem.node_count_claim import MEASURES
from oddlearn.report.page_tables import html_table
from oddlearn.view.conditions import threshold_text
from oddlearn.view.inputs import ModelView
from oddlearn.view.node_labels import NodeLabel
from oddlearn.view.number_text import percentage_text, plural
from oddlearn.view.predictions import Predictions
from oddlearn.view.split_plane import SplitPlane

MAX_BINS = 24  # bars of a histogram
MAX_ROWS = 100_000  # rows that histograms count; of a larger table, rows spread evenly

# the outermost values of a column, a share on each side, count in the first and the last bar
TAIL_SHARE = 0.01

MAX_RULES = 40  # rules on the page; 'oddlearn show --rules' has all


def node_histograms(
    view: ModelView, labels: Sequence[NodeLabel], samples: Predictions | None
) -> list[dict[str, object] | None]:
    """Return for each node the values that it compares, counted by class; None where two bars say nothing."""
    if samples is None or not view.diagram.n_nodes:
        return [None] * len(labels)
    rows = np.unique(np.linspace(0, len(samples.X) - 1, min(len(samples.X), MAX_ROWS)).astype(np.intp))
    X = samples.X[rows]
    codes = np.zeros(len(X), dtype=np.intp) if samples.codes is None else samples.codes[rows]
    reached = route_reference(view.diagram, X).reached
    histograms: list[dict[str, object] | None] = []
    for node, label in enumerate(labels):
        split, at = view.diagram.splits[node], reached[:, node]
        sign = -1.0 if label.is_flipped else 1.0
        weights = split.dense_weights(view.diagram.n_features)
        is_binary = all(view.metadata.feature(int(one)).is_binary for one in np.flatnonzero(weights))
        keys, threshold = sign * split.key(X[at]), sign * split.threshold
        if is_binary or not np.isfinite(threshold) or not np.isfinite(keys).any():
            histograms.append(None)
        else:
            n_classes = view.diagram.n_classes if samples.codes is not None else 1
            feature = view.metadata.feature(split.feature) if isinstance(split, UnivariateSplit) else None
            histograms.append(_histogram(keys, codes[at], n_classes, threshold, feature))
    return histograms


def _histogram(
    keys: FloatArray, codes: IntArray, n_classes: int, threshold: float, feature: Feature | None
) -> dict[str, object]:
    present = np.isfinite(keys)
    low, high = np.quantile(keys[present], [TAIL_SHARE, 1 - TAIL_SHARE], method="nearest")
    low, high = min(float(low), threshold), max(float(high), threshold)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, MAX_BINS + 1)
    inside = np.clip(keys[present], low, high)
    counts = [np.histogram(inside[codes[present] == code], edges)[0].tolist() for code in range(n_classes)]
    ends = [_end_text(low, feature), _end_text(high, feature)]
    return {"low": low, "high": high, "at": threshold, "counts": counts, "ends": ends}


def plane_data(planes: Sequence[SplitPlane | None]) -> list[dict[str, object] | None]:
    """Return the points and the line of each split of two terms, as shares of both axes in thousandths."""
    found: list[dict[str, object] | None] = []
    for plane in planes:
        if plane is None:
            found.append(None)
            continue
        points = np.rint(1000 * plane.to_shares(plane.points)).astype(int)
        line = (
            None if plane.line is None else np.rint(1000 * plane.to_shares(plane.line)).astype(int).tolist()
        )
        pairs = np.column_stack([plane.low, plane.high]).tolist()
        ends = [[_end_text(value, None) for value in pair] for pair in pairs]
        rows = np.column_stack([points, plane.codes]).tolist()
        found.append({"names": list(plane.names), "ends": ends, "points": rows, "line": line})
    return found


def _end_text(value: float, feature: Feature | None) -> str:
    """Return an end of the axis: a date or time in full, a number with four digits."""
    is_timestamp = feature is not None and feature.timestamp_kind is not None
    return threshold_text(value if is_timestamp else float(f"{value:.4g}"), feature)


def importance_html(view: ModelView, samples: Predictions | None) -> str:
    """Return a bar per column that splits use, the most important first; empty if nothing is known."""
    names = list(dict.fromkeys(feature.column for feature in view.metadata.features))
    importances = view.metadata.column_importances or _measure_on_samples(view, names, samples)
    if len(importances) != len(names):
        return ""
    used = {view.metadata.feature(place).column for place in view.diagram.used_features}
    ranked = sorted((pair for pair in zip(importances, names, strict=True) if pair[1] in used), reverse=True)
    largest = max((value for value, _ in ranked), default=0.0)
    is_of_training = view.certificate is not None and bool(view.metadata.column_importances)
    measure = view.certificate.measure if is_of_training else "error"
    rows = []
    for value, name in ranked:
        width = 100 * max(0.0, value) / largest if largest > 0 else 0.0
        bar = f'<span class="track"><span class="bar-fill" style="width:{width:.1f}%"></span></span>'
        rows.append([escape(name), bar, f"+ {_rise_text(max(0.0, value), measure)}"])
    if not rows:
        return ""
    hint = f"How much the {MEASURES[measure]} rises when no node may ask about the column."
    head = ["Column", "", "Cost" if measure == "cost" else "Error"]
    table = html_table("Importance of columns", head, rows, "importance")
    return f'<p class="hint">{hint}</p>{table}'


def _rise_text(value: float, measure: str) -> str:
    return f"{value:.4g}" if measure == "cost" else percentage_text(value)


def _measure_on_samples(view: ModelView, names: list[str], samples: Predictions | None) -> tuple[float, ...]:
    """Return the importance of each column for the rows of the page; empty if their classes are not known."""
    if samples is None or samples.codes is None or not view.diagram.n_nodes:
        return ()
    factors = np.array(view.metadata.class_weights or [1.0] * view.diagram.n_classes)
    weight = samples.row_weights * factors[samples.codes]
    cost = weight[:, None] * (np.arange(view.diagram.n_classes) != samples.codes[:, None])
    column_of = [names.index(feature.column) for feature in view.metadata.features]
    return tuple(measure_importances(view.diagram, samples.X, cost, weight, column_of).tolist())


def rules_html(view: ModelView, rows: FloatArray | None) -> str:
    """Return the rules, folded away; empty for a constant."""
    if not view.diagram.n_nodes:
        return ""
    rules = export_rules(view.diagram, view.metadata, rows)
    shown = "".join(f"<li><pre>{escape(str(rule))}</pre></li>" for rule in rules[:MAX_RULES])
    more = len(rules) - MAX_RULES
    rest = f"<p>{more} more rules: export_rules has all.</p>" if more > 0 else ""
    head = f"<summary>The diagram as {plural(len(rules), 'rule')}</summary>"
    return f'<details>{head}<ol class="rules">{shown}</ol>{rest}</details>'


def interval_texts(view: ModelView) -> dict[int, str]:
    """Return for each final arc how sure the share of its class is, by the training rows alone."""
    if not view.metadata.arc_weights.any() or view.metadata.is_weighted:
        return {}
    return {
        int(row["arc"]): f"{percentage_text(row['share'])} of the training rows here have this class "
        f"(95 % interval {percentage_text(row['low'])} to {percentage_text(row['high'])})"
        for row in arc_intervals(view.diagram, view.metadata)
        if row["n_rows"] > 0
    }
