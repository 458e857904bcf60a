"""From ranks or the unit box to raw units, with every threshold in the middle of its empty gap."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.diagram.trace import walk
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.scaling import RankScaling, UnitScaling


def lift_on(
    scaling: RankScaling | UnitScaling, diagram: DecisionDiagram, unit_rows: FloatArray, raw_rows: FloatArray
) -> DecisionDiagram:
    """Return the diagram in raw units, routing ``raw_rows`` as the original routes ``unit_rows``.

    Parameters
    ----------
    scaling : RankScaling or UnitScaling
    diagram : DecisionDiagram
        In ranks or unit coordinates.
    unit_rows, raw_rows : (n, n_features) float
        The same samples in both units.
    """
    steps = walk(diagram, unit_rows)
    lifted = scaling.lift(diagram)
    splits = [
        _centred(split, raw_rows[reached], side[reached])
        for split, reached, side in zip(lifted.splits, steps.reached.T, steps.sides.T, strict=True)
    ]
    raw = lifted.with_splits(tuple(splits))
    if not np.array_equal(walk(raw, raw_rows).final_arc, steps.final_arc):
        raise DiagramMisfitError("The diagram does not route the samples in raw units as in the unit box.")
    return raw


def _centred(split: Split, rows: FloatArray, side: BoolArray) -> Split:
    if side.all() or not side.any():
        return _one_sided(split, rows, side)
    key = split.key(rows)
    low, high = float(key[~side].max()), float(key[side].min())
    middle = low / 2 + high / 2
    return split.with_threshold(middle if low < middle <= high else high)


def _one_sided(split: Split, rows: FloatArray, side: BoolArray) -> Split:
    # a node all of whose rows take one side keeps its threshold unless rounding moved it past a row
    key = split.key(rows)
    if side.size and side[0]:
        return split.with_threshold(min(split.threshold, float(key.min())))
    if side.size and key.max() >= split.threshold:
        return split.with_threshold(float(np.nextafter(key.max(), np.inf)))
    return split
