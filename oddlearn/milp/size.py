"""How large a formulation will be, without building it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.milp.equations.symmetry import ordered_slots
from oddlearn.milp.setting import Setting
from oddlearn.milp.variant import Variant
from oddlearn.problem.problem import TrainingProblem

# bytes of a coefficient with its column, of a row with its limits, of a column with bounds, cost and kind
PER_NONZERO, PER_ROW, PER_COLUMN = 12, 24, 25


@dataclass(frozen=True)
class Size:
    """Size of a model; indicators count as rows.

    Attributes
    ----------
    columns, rows, nonzeros : int
    """

    columns: int
    rows: int
    nonzeros: int

    @property
    def bytes(self) -> int:
        """Memory of the model's own arrays; a solver needs several times as much."""
        return PER_NONZERO * self.nonzeros + PER_ROW * self.rows + PER_COLUMN * self.columns


@dataclass(frozen=True)
class _Block:
    """Rows and nonzeros of a group of equations."""

    rows: int = 0
    nonzeros: int = 0

    def __add__(self, other: _Block) -> _Block:
        return _Block(self.rows + other.rows, self.nonzeros + other.nonzeros)


def estimated_size(problem: TrainingProblem, n_nodes: int | None, variant: Variant) -> Size:
    """Return the size of ``formulate(problem, n_nodes, variant, floor)`` for some floor."""
    setting = Setting.of(problem, n_nodes, variant)
    blocks = _flows(setting) if variant.flows else _projection(setting)
    blocks += _sides(setting) + _topology(setting) + _symmetry(setting) + _separators(setting)
    blocks += _objective(setting)
    return Size(_columns(setting), blocks.rows, blocks.nonzeros)


def _columns(setting: Setting) -> int:
    m, slots, arcs = setting.n_rows, setting.shape.n_nodes, setting.arcs.n_arcs
    design = slots + 2 * arcs
    routing = m * (setting.shape.depth + 2 * slots + setting.arcs.n_classes)
    flows = 2 * m * arcs if setting.variant.flows else 0
    doubled = setting.is_univariate or not setting.variant.faithful
    separating = slots * (1 + setting.room.features.size * (2 if doubled else 1))
    constraining = int(setting.names_parted) + int(setting.problem.rows.is_soft.sum())
    return design + routing + flows + separating + constraining


def _flows(setting: Setting) -> _Block:
    m, slots, arcs = setting.n_rows, setting.shape.n_nodes, setting.arcs.n_arcs
    inside, n_classes = setting.arcs.internal.size, setting.arcs.n_classes
    inflow = _Block(m * (slots - 1), 2 * m * (slots - 1 + inside))
    outflow = _Block(2 * m * slots, 2 * m * (slots + arcs))
    follow = _Block(2 * m * arcs, 4 * m * arcs)
    gather = _Block(m * n_classes, m * n_classes * (1 + 2 * slots))
    return inflow + outflow + follow + gather


def _projection(setting: Setting) -> _Block:
    m, slots, n_classes = setting.n_rows, setting.shape.n_nodes, setting.arcs.n_classes
    inside, widths = setting.arcs.internal.size, setting.shape.widths
    carry = _Block(2 * m * setting.arcs.n_arcs, 2 * m * (5 * inside + 4 * slots * n_classes))
    steps = list(pairwise(widths))
    grow = _Block(m * len(steps), m * sum(2 * (above + below) for above, below in steps))
    per_end = [(above, 2 * (above + below) + n_classes) for above, below in steps]
    end = _Block(2 * m * sum(widths[:-1]), 2 * m * sum(count * width for count, width in per_end))
    inflow = _Block(m * (slots - 1), 2 * m * (slots - 1 + inside))
    return carry + grow + end + inflow + _Block(m, m * n_classes)


def _sides(setting: Setting) -> _Block:
    m, slots, depth = setting.n_rows, setting.shape.n_nodes, setting.shape.depth
    return _Block(m, 2 * m) + _Block(2 * m * depth, 2 * m * (slots + depth))


def _topology(setting: Setting) -> _Block:
    slots, arcs, inside = setting.shape.n_nodes, setting.arcs.n_arcs, setting.arcs.internal.size
    paired = _Block(2 * slots, 2 * (slots + arcs))
    reached = _Block(slots - 1, slots - 1 + 2 * inside)
    lead = _Block(arcs, 2 * arcs + inside)
    tree = _Block(slots - 1, 2 * inside) if setting.shape.tree_only else _Block()
    count = _Block() if setting.n_nodes is None else _Block(1, slots)
    return paired + reached + lead + tree + count


def _symmetry(setting: Setting) -> _Block:
    block = _Block()
    degrees = np.bincount(setting.arcs.tail)
    if setting.variant.order_arcs:
        block += _Block(setting.arcs.n_arcs, int((degrees * (degrees + 3) // 2).sum()))
    if not setting.alike:
        pairs = sum(width - 1 for width in setting.shape.widths)
        return block + _Block(pairs, 2 * pairs)
    if setting.variant.order_nodes:
        incoming = np.bincount(setting.arcs.head)
        pairs_of = ordered_slots(setting)
        nonzeros = sum(2 * int(incoming[first] + incoming[second]) for first, second in pairs_of)
        block += _Block(len(pairs_of), nonzeros)
    return block


def _separators(setting: Setting) -> _Block:
    m, slots, room = setting.n_rows, setting.shape.n_nodes, setting.room
    features = room.features.size
    filled = int(np.count_nonzero(room.coordinates))
    block = _Block(2 * m * slots, 2 * slots * (filled + m))
    if features and (setting.is_univariate or not setting.variant.faithful):
        block += _Block(slots * (1 + 2 * features), slots * 5 * features)
    if not setting.variant.faithful:
        block += _Block(slots, slots * (1 + int(np.count_nonzero(room.centre))))
    return block


def _objective(setting: Setting) -> _Block:
    """Return the row on the objective and the constraints."""
    problem, constraints = setting.problem, _constraints(setting)
    if setting.variant.faithful:
        return constraints
    prices = setting.shape.n_nodes - 1 if problem.node_price else 0
    excess = int((problem.rows.price[problem.rows.is_soft] > 0).sum())
    return constraints + _Block(1, int(np.count_nonzero(problem.cost)) + prices + excess)


def _constraints(setting: Setting) -> _Block:
    """Return the rows of the constraints, soft ones once for each limit, and of what only they ask for."""
    rows, layout, slots = setting.problem.rows, setting.problem.layout, setting.original_slots
    soft = rows.is_soft
    limits = np.isfinite(rows.lower).astype(np.intp) + np.isfinite(rows.upper)
    times = np.where(soft, limits, 1)
    reached = rows.matrix[:, layout.reached[:, slots].ravel()]
    positive = reached + rows.matrix[:, layout.positive[:, slots].ravel()]
    alone = np.concatenate([layout.assigned.ravel(), layout.used[slots], [layout.parted]])
    filled = sum(_filled(part) for part in (reached, positive, rows.matrix[:, alone]))
    block = _Block(int(times.sum()), int((times * (filled + soft)).sum()))
    if setting.names_parted:
        m = setting.n_rows
        block += _Block(2 * (m - 1), 6 * (m - 1)) + _Block(2, 2 * (m + 1))
    return block


def _filled(matrix: Any) -> IntArray:  # noqa: ANN401
    """Return the coefficients other than 0 in each row of a sparse matrix."""
    return np.asarray((matrix != 0).sum(axis=1)).ravel()
