"""The shape of an arc: a ribbon of strands, as wide as what flows through it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray

# points on the curve of a ribbon; with more it looks no smoother
CURVE_POINTS = 24

# distance of the two inner corners of the curve from its ends, as a share of its height
BEND = 0.55


@dataclass(frozen=True)
class Ribbon:
    """The way of an arc: from the middle of its start down to ``turn`` and in a curve to its end.

    Attributes
    ----------
    arc, start, end : int
        ``2 * node + side``, and the boxes it joins.
    x, y, turn, end_x, end_y : float
    strands : tuple of float
        Width of each strand, side by side.
    """

    arc: int
    start: int
    end: int
    x: float
    y: float
    turn: float
    end_x: float
    end_y: float
    strands: tuple[float, ...]

    @property
    def width(self) -> float:
        """Of all strands."""
        return sum(self.strands)

    def spine(self) -> str:
        """Return the line along its middle, as an SVG path."""
        (x, turn), *rest = self._corners()
        curve = " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)
        return f"M{x:.1f} {self.y:.1f}V{turn:.1f}C{curve}"

    def band(self, first: float, last: float) -> str:
        """Return the outline between two distances from the ribbon's edge, as an SVG path."""
        points, normals = self._middle()
        edges = [points + (distance - self.width / 2) * normals for distance in (first, last)]
        outline = np.concatenate([edges[0], edges[1][::-1]])
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in outline) + "Z"

    def _corners(self) -> FloatArray:
        """Return the four corners of the Bezier curve from ``turn`` to the end, shape (4, 2)."""
        bend = BEND * (self.end_y - self.turn)
        inner = [(self.x, self.turn + bend), (self.end_x, self.end_y - bend)]
        return np.array([(self.x, self.turn), *inner, (self.end_x, self.end_y)])

    def _middle(self) -> tuple[FloatArray, FloatArray]:
        """Return points along the middle, and the directions across: a band is then as wide all along."""
        time = np.linspace(0, 1, CURVE_POINTS)[:, None]
        rest, corners = 1 - time, self._corners()
        points = np.hstack([rest**3, 3 * time * rest**2, 3 * time**2 * rest, time**3]) @ corners
        heading = np.hstack([rest**2, 2 * time * rest, time**2]) @ np.diff(corners, axis=0)
        heading = heading / np.linalg.norm(heading, axis=1, keepdims=True)
        across = np.column_stack([heading[:, 1], -heading[:, 0]])
        return np.vstack([(self.x, self.y), points]), np.vstack([(1.0, 0.0), across])
