"""The columns of the formulation, as arrays of column ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.setting import Setting


@dataclass(frozen=True, eq=False)
class Columns:
    """Column ids by the paper's names; m rows, u slots, l layers, c classes, f features in use.

    Attributes
    ----------
    d : (u,) int
        Node is active, binary.
    y_negative, y_positive : (n_arcs,) int
        Arc is the node's negative or positive one, binary.
    lambda_ : (m, l) int
        Row takes positive sides in the layer, binary.
    w_negative, w_positive : (m, u) int
        Row leaves the node on its negative or positive side.
    w_class : (m, c) int
        Row ends in the class.
    z_negative, z_positive : (m, n_arcs) int
        Row takes the arc; (m, 0) where these flows are projected out.
    a : (u, f) int
        Weights of the hyperplane.
    b : (u,) int
        Threshold of the hyperplane.
    e : (u, f) int
        Split looks at the feature, binary; (u, 0) with multivariate splits.
    magnitude : (u, f) int
        At least the absolute weight; (u, 0) unless a row limits their sum.
    parted : (1,) int
        Rows leave the root on both sides, binary; (0,) unless a constraint asks for it.
    excess : (n_soft,) int
        How far each soft constraint is outside its limits, in the scale of its row.
    """

    d: IntArray
    y_negative: IntArray
    y_positive: IntArray
    lambda_: IntArray
    w_negative: IntArray
    w_positive: IntArray
    w_class: IntArray
    z_negative: IntArray
    z_positive: IntArray
    a: IntArray
    b: IntArray
    e: IntArray
    magnitude: IntArray
    parted: IntArray
    excess: IntArray


def lay_out(builder: ModelBuilder, setting: Setting) -> Columns:
    """Take all columns from the builder."""
    m, slots, n_features = setting.n_rows, setting.shape.n_nodes, setting.room.features.size
    n_arcs = setting.arcs.n_arcs
    n_flows = n_arcs if setting.variant.flows else 0
    n_chosen = n_features if setting.is_univariate else 0
    n_limited = 0 if setting.is_univariate or setting.variant.faithful else n_features
    low, high = _threshold_limits(setting)
    return Columns(
        d=builder.columns((slots,), lower=np.arange(slots) == 0, integer=True),
        y_negative=builder.columns((n_arcs,), integer=True),
        y_positive=builder.columns((n_arcs,), integer=True),
        lambda_=builder.columns((m, setting.shape.depth), integer=True),
        w_negative=builder.columns((m, slots)),
        w_positive=builder.columns((m, slots)),
        w_class=builder.columns((m, setting.arcs.n_classes)),
        z_negative=builder.columns((m, n_flows)),
        z_positive=builder.columns((m, n_flows)),
        a=builder.columns((slots, n_features), lower=-1.0),
        b=builder.columns((slots,), lower=low, upper=high),
        e=builder.columns((slots, n_chosen), integer=True),
        magnitude=builder.columns((slots, n_limited)),
        parted=builder.columns((int(setting.names_parted),), integer=True),
        excess=builder.columns((int(setting.problem.rows.is_soft.sum()),), upper=np.inf),
    )


def _threshold_limits(setting: Setting) -> tuple[float, float]:
    centre: FloatArray = setting.room.centre
    furthest = float(np.abs(centre).max(initial=0.0))
    return setting.room.low - furthest, setting.room.high + furthest
