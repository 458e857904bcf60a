"""A diagram on two features as a map: the region of each class in the plane, with rows as points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import InvalidInputError
from oddlearn.view.inputs import ModelView, model_view
from oddlearn.view.number_text import one_line
from oddlearn.view.palette import SOFT_TEXT, TEXT, WHITE
from oddlearn.view.predictions import Predictions, predict_rows

# pixels: the map, and the space around it for numbers and names
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 520, 400, 64, 16, 52, 150

PADDING = 0.04  # share of the range of the rows that is added on each side
MIN_TICKS = 4  # round numbers along each axis

STYLE = (
    f"text{{font:13px 'Helvetica Neue',Helvetica,Arial,sans-serif;fill:{TEXT}}}"
    f".small{{font-size:11px;fill:{SOFT_TEXT}}}"
)

Corners = list[tuple[float, float]]


def export_plane(model: Any, X: ArrayLike, y: ArrayLike | None = None) -> str:  # noqa: ANN401
    """Return a map of a diagram on two features as SVG: regions of the classes, and the rows as points.

    Parameters
    ----------
    model : fitted classifier
        Trained on two features.
    X : array-like (n, 2)
        Rows to draw; they also set the range of the map.
    y : array-like (n,), optional
        Their labels: points have the colour of their class, and those predicted wrongly are crosses.
    """
    view = model_view(model)
    if view.diagram.n_features != 2:
        raise InvalidInputError(
            f"A map needs a model of two features, this one has {view.diagram.n_features}: train it on two "
            "columns, or use export_svg."
        )
    rows = predict_rows(view.diagram, view.metadata.class_labels, np.asarray(view.rows(X)), y)
    low, high = np.nanmin(rows.X, axis=0), np.nanmax(rows.X, axis=0)
    pad = PADDING * np.where(high > low, high - low, 1.0)
    low, high = low - pad, high + pad
    size = f"{LEFT + WIDTH + RIGHT} {TOP + HEIGHT + BOTTOM}"
    width, height = size.split()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {size}" '
        f'role="img" aria-label="regions of the classes"><style>{STYLE}</style>',
        f'<rect width="100%" height="100%" fill="{WHITE}"/>',
        *_draw_regions(view, low, high),
        *_draw_rows(rows, low, high, view.colours),
        *_draw_axes(view, low, high),
        *_draw_legend(view, has_labels=y is not None),
        "</svg>\n",
    ]
    return "\n".join(parts)


def list_regions(diagram: DecisionDiagram, box: Corners) -> Iterator[tuple[int, Corners]]:
    """Yield the class and the convex polygon of each path of a diagram on two features, inside a box."""
    if diagram.constant_class is not None:
        yield diagram.constant_class, box
        return
    waiting = [(0, box)]
    while waiting:
        node, polygon = waiting.pop()
        split = diagram.splits[node]
        first, second = split.dense_weights(2)
        targets = (diagram.negative[node], diagram.positive[node])
        for sign, target in zip((-1.0, 1.0), targets, strict=True):
            part = _cut(polygon, (sign * first, sign * second, sign * split.threshold))
            if len(part) > 2 and target < diagram.n_nodes:
                waiting.append((int(target), part))
            elif len(part) > 2:
                yield int(target) - diagram.n_nodes, part


def _cut(polygon: Corners, line: tuple[float, float, float]) -> Corners:
    """Return the part of a convex polygon where a x + b y >= c (Sutherland and Hodgman); line: (a, b, c)."""
    first, second, threshold = line
    kept: Corners = []
    for start, end in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        before, after = (first * x + second * y - threshold for x, y in (start, end))
        if before >= 0:
            kept.append(start)
        if before * after < 0:
            share = before / (before - after)
            kept.append((start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))
    return kept


def _to_pixels(points: ArrayLike, low: FloatArray, high: FloatArray) -> FloatArray:
    shares = (np.asarray(points, dtype=np.float64) - low) / (high - low)
    return np.column_stack([LEFT + WIDTH * shares[:, 0], TOP + HEIGHT * (1 - shares[:, 1])])


def _draw_regions(view: ModelView, low: FloatArray, high: FloatArray) -> Iterator[str]:
    box = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    for code, polygon in list_regions(view.diagram, box):
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in _to_pixels(polygon, low, high))
        yield (
            f'<polygon points="{corners}" fill="{view.colours[code]}" fill-opacity="0.18" '
            f'stroke="{SOFT_TEXT}" stroke-width="1"/>'
        )


def _draw_rows(rows: Predictions, low: FloatArray, high: FloatArray, colours: Sequence[str]) -> Iterator[str]:
    codes: IntArray = rows.predicted if rows.codes is None else rows.codes
    places = _to_pixels(rows.X, low, high)
    for (x, y), code, predicted in zip(places, codes, rows.predicted, strict=True):
        if np.isnan(x) or np.isnan(y):
            continue
        yield _draw_point(x, y, colours[code], is_right=bool(code == predicted))


def _draw_point(x: float, y: float, colour: str, is_right: bool) -> str:
    if is_right:
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}" stroke="{WHITE}" stroke-width="0.6"/>'
        )
    strokes = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
    return f'<path d="{strokes}" stroke="{colour}" stroke-width="2.4" fill="none"/>'


def _draw_axes(view: ModelView, low: FloatArray, high: FloatArray) -> Iterator[str]:
    names = view.metadata.feature_names or ("x0", "x1")
    below, middle = TOP + HEIGHT + 16, TOP + HEIGHT / 2
    for number in round_numbers(low[0], high[0]):
        x = LEFT + WIDTH * (number - low[0]) / (high[0] - low[0])
        yield f'<text class="small" x="{x:.0f}" y="{below}" text-anchor="middle">{number:g}</text>'
    for number in round_numbers(low[1], high[1]):
        y = TOP + HEIGHT * (high[1] - number) / (high[1] - low[1])
        yield f'<text class="small" x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{number:g}</text>'
    centre = LEFT + WIDTH / 2
    yield f'<text x="{centre:.0f}" y="{below + 24}" text-anchor="middle">{_clean(names[0])}</text>'
    yield (
        f'<text x="16" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 16 {middle:.0f})">'
        f"{_clean(names[1])}</text>"
    )


def round_numbers(low: float, high: float) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten between two numbers, at least MIN_TICKS of them."""
    power = 10.0 ** np.floor(np.log10(high - low))
    for step in (5 * power, 2 * power, power, power / 2, power / 5):
        first, last = int(np.ceil(low / step)), int(np.floor(high / step))
        if last - first + 1 >= MIN_TICKS:
            break
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]


def _draw_legend(view: ModelView, has_labels: bool) -> Iterator[str]:
    x, colours = LEFT + WIDTH + 20, view.colours
    entries = [
        (str(label), colour, True) for label, colour in zip(view.metadata.class_labels, colours, strict=True)
    ]
    entries += [("predicted wrongly", SOFT_TEXT, False)] if has_labels else []
    for place, (name, colour, is_right) in enumerate(entries):
        y = TOP + 14 + 22 * place
        yield _draw_point(x, y - 4, colour, is_right)
        yield f'<text x="{x + 12}" y="{y}">{_clean(name)}</text>'


def _clean(text: object) -> str:
    return escape(one_line(str(text)))
