"""The geometry of an arc: a band as wide as its flow, with a strand for each class."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from oddlearn.diagram.arrays import FloatArray

CURVE_POINTS = 24  # points on the curve of a band; with more it looks no smoother

# distance of the two inner control points from the ends of the curve, as a share of its height
BEND = 0.55


@dataclass(frozen=True)
class FlowBand:
    """The path of an arc: straight down from (x, y) to ``turn``, then curved to (end_x, end_y)."""

    arc: int  # arc ``2 * node + side`` and the boxes that it joins
    start: int
    end: int
    x: float  # points of its middle line
    y: float
    turn: float
    end_x: float
    end_y: float
    strands: tuple[float, ...]  # width of the strand of each class, side by side; empty without a flow
    width: float  # width of the band; the minimum of the style where there is no flow
    label: str  # text beside its beginning
    label_x: float  # where its baseline begins (positive side) or ends (negative side)
    label_y: float

    @property
    def is_positive(self) -> bool:
        """True for the arc of the positive side."""
        return bool(self.arc % 2)

    @property
    def dash(self) -> tuple[float, float]:
        """Length of dash and gap of a negative arc that is drawn as one line: longer where it is wide."""
        return 5 + 0.8 * self.width, 4 + 0.2 * self.width

    def control_points(self) -> FloatArray:
        """Return the four control points of the Bezier curve from ``turn`` to the end, shape (4, 2)."""
        bend = BEND * (self.end_y - self.turn)
        inner = [(self.x, self.turn + bend), (self.end_x, self.end_y - bend)]
        return np.array([(self.x, self.turn), *inner, (self.end_x, self.end_y)])

    def outlines(self) -> list[FloatArray]:
        """Return the outline of each strand, a polygon of shape (n_points, 2)."""
        points, normals = self._middle_line()
        edges = np.concatenate([[0.0], np.cumsum(self.strands)]) - sum(self.strands) / 2
        lines = [points + edge * normals for edge in edges]
        return [np.concatenate([one, other[::-1]]) for one, other in pairwise(lines)]

    def _middle_line(self) -> tuple[FloatArray, FloatArray]:
        """Return points along the middle and the unit normals there: the width is then the same all along."""
        time = np.linspace(0, 1, CURVE_POINTS)[:, None]
        rest, corners = 1 - time, self.control_points()
        points = np.hstack([rest**3, 3 * time * rest**2, 3 * time**2 * rest, time**3]) @ corners
        heading = np.hstack([rest**2, 2 * time * rest, time**2]) @ np.diff(corners, axis=0)
        heading = heading / np.linalg.norm(heading, axis=1, keepdims=True)
        normals = np.column_stack([heading[:, 1], -heading[:, 0]])
        return np.vstack([(self.x, self.y), points]), np.vstack([(1.0, 0.0), normals])
