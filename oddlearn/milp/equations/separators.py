"""Hyperplanes that agree with the flows: equations (13) to (16)."""

from __future__ import annotations

import numpy as np

from oddlearn.milp.builder import ModelBuilder, Term
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting


def rows_lie_on_their_side(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(13) and (14): rows that leave on a side lie on that side of the hyperplane."""
    room = setting.room
    X = room.coordinates
    for slot in range(setting.shape.n_nodes):
        weights, threshold = columns.a[[slot]], columns.b[[slot]][None]
        below: list[Term] = [(weights, X), (threshold, -1.0)]
        above: list[Term] = [(weights, -X), (threshold, 1.0)]
        builder.indicators(columns.w_negative[:, slot], below, -room.gap, room.slack_negative)
        builder.indicators(columns.w_positive[:, slot], above, 0.0, room.slack_positive)


def splits_look_at_one_feature(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(15) and (16): a univariate split has one feature, and a weight for no other."""
    if columns.e.shape[1] == 0:
        return
    builder.rows([(columns.e, 1.0)], 1.0, 1.0)
    chosen, weight = columns.e.reshape(-1, 1), columns.a.reshape(-1, 1)
    builder.rows([(weight, 1.0), (chosen, -1.0)], -np.inf, 0.0)
    builder.rows([(weight, -1.0), (chosen, -1.0)], -np.inf, 0.0)


def weights_sum_to_one_at_most(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """The absolute weights of a hyperplane sum up to 1 at most: this is what the margin is measured by."""
    if columns.magnitude.shape[1] == 0:
        return
    builder.rows([(columns.magnitude, 1.0)], -np.inf, 1.0)
    size, weight = columns.magnitude.reshape(-1, 1), columns.a.reshape(-1, 1)
    builder.rows([(weight, 1.0), (size, -1.0)], -np.inf, 0.0)
    builder.rows([(weight, -1.0), (size, -1.0)], -np.inf, 0.0)


def thresholds_lie_among_the_rows(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """The threshold, seen from the centre of the rows, is within the values rows can have."""
    room = setting.room
    builder.rows([(columns.b[:, None], 1.0), (columns.a, -room.centre)], room.low, room.high)
