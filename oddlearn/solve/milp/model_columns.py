"""The columns of the formulation by the paper's names, as arrays of column ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.solve.milp.context import FormulationContext
from oddlearn.solve.milp.model_builder import ModelBuilder


@dataclass(frozen=True, eq=False)
class ModelColumns:
    """Column ids by the paper's names; m rows, u slots, l layers, c classes, f features in use."""

    d: IntArray  # (u,): node is active, binary
    y_negative: IntArray  # (n_arcs,): arc is the node's negative one, binary
    y_positive: IntArray  # (n_arcs,): arc is the node's positive one, binary
    lambda_: IntArray  # (m, l): row takes positive sides in the layer, binary
    w_negative: IntArray  # (m, u): row leaves the node on its negative side
    w_positive: IntArray  # (m, u): row leaves the node on its positive side
    w_class: IntArray  # (m, c): row ends in the class
    z_negative: IntArray  # (m, n_arcs): row takes the arc; (m, 0) where these flows are projected out
    z_positive: IntArray  # (m, n_arcs)
    a: IntArray  # (u, f): weights of the hyperplane
    b: IntArray  # (u,): threshold of the hyperplane
    e: IntArray  # (u, f): split has the feature, binary; (u, 0) with multivariate splits
    magnitude: IntArray  # (u, f): at least the absolute weight; (u, 0) unless a row limits their sum
    terms: IntArray  # (u, k): sum has a term of the column, binary; (u, 0) without a limit on terms
    root_splits: IntArray  # (1,): rows leave the root on both sides, binary; (0,) if no row contains it
    violation: IntArray  # (n_soft,): violation of each soft constraint row, in the scale of its row


def create_columns(builder: ModelBuilder, context: FormulationContext) -> ModelColumns:
    """Create all columns."""
    m, slots, n_features = context.n_rows, context.skeleton.n_nodes, context.hyperplanes.features.size
    n_arcs = context.arcs.n_arcs
    n_flows = n_arcs if context.options.flows else 0
    n_chosen = n_features if context.is_univariate else 0
    n_limited = 0 if context.is_univariate or context.options.is_paper else n_features
    n_columns = 0 if context.problem.term_limit is None else context.problem.term_limit.n_columns
    low, high = _threshold_limits(context)
    return ModelColumns(
        d=builder.columns((slots,), lower=np.arange(slots) == 0, integer=True),
        y_negative=builder.columns((n_arcs,), integer=True),
        y_positive=builder.columns((n_arcs,), integer=True),
        lambda_=builder.columns((m, context.skeleton.depth), integer=True),
        w_negative=builder.columns((m, slots)),
        w_positive=builder.columns((m, slots)),
        w_class=builder.columns((m, context.arcs.n_classes)),
        z_negative=builder.columns((m, n_flows)),
        z_positive=builder.columns((m, n_flows)),
        a=builder.columns((slots, n_features), lower=-1.0),
        b=builder.columns((slots,), lower=low, upper=high),
        e=builder.columns((slots, n_chosen), integer=True),
        magnitude=builder.columns((slots, n_limited)),
        terms=builder.columns((slots, n_columns), integer=True),
        root_splits=builder.columns((int(context.needs_root_splits),), integer=True),
        violation=builder.columns((int(context.problem.rows.is_soft.sum()),), upper=np.inf),
    )


def _threshold_limits(context: FormulationContext) -> tuple[float, float]:
    bounds = context.hyperplanes
    largest = float(np.abs(bounds.centre).max(initial=0.0))
    return bounds.low - largest, bounds.high + largest
