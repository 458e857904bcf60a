"""The training problem: data, skeleton, costs and rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, read_only_floats
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import SplitKind
from oddlearn.errors import InvalidInputError
from oddlearn.problem.constraint_block import Constraint, ConstraintBlock
from oddlearn.problem.cost_units import CostUnits, largest_step
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.linear_rows import LinearRows, concatenate_rows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_data import TrainingData, row_costs
from oddlearn.table.checks import LARGEST, check_costs, check_number

PAPER_MARGIN = 1e-4  # in the box of the smallest and largest values

MAX_PART_CELLS = 1_000_000  # numbers that are hashed at once


@dataclass(frozen=True, eq=False)
class TrainingProblem:
    """Minimise cost per weight plus the price of nodes over all diagrams of a skeleton."""

    data: TrainingData  # m distinct rows: ranks (univariate splits) or coordinates in the unit box
    skeleton: Skeleton
    # (m, n_classes): cost of giving each distinct row each class; no rows for ``LargeData``: a cost matrix
    cost: FloatArray
    node_price: float  # price of each active node but the root, as a share of the total weight
    split: SplitKind  # a univariate split may pass between any two different values of a feature
    # of hyperplanes, 0 with univariate splits. With weights a of absolute sum at most 1, the rows that arrive
    # at a node take its negative side with ``a.x + margin <= b`` or its positive side with ``a.x >= b``.
    margin: float
    rows: LinearRows  # constraints on the observables
    constraint_blocks: tuple[ConstraintBlock, ...] = ()  # what wrote the rows; not in the digest
    term_limit: TermLimit | None = None  # of hyperplanes; None if they may have all terms

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", read_only_floats(self.cost))

    @property
    def cost_matrix(self) -> FloatArray:
        """Cost of each true and given class of a large table; empty if rows have costs of their own."""
        return self.data.cost_matrix if isinstance(self.data, LargeData) else np.empty((0, 0))

    @property
    def total_weight(self) -> float:
        """Sum of all sample weights; costs are divided by it."""
        return self.data.total_weight

    @property
    def layout(self) -> ObservableLayout:
        """Places of the observables."""
        return ObservableLayout(self.data.n_rows, self.data.n_classes, self.skeleton)

    @cached_property
    def cost_units(self) -> CostUnits:
        """The costs in integers, as every solver counts them."""
        return CostUnits.from_costs(self.cost, self.rows, self.total_weight)

    @cached_property
    def cost_step(self) -> float:
        """The greatest number of which every cost is a multiple, up to rounding; 0 if none is known."""
        if isinstance(self.data, LargeData):
            weights, costs = self.data.source.weights, self.data.cost_matrix
            return largest_step(costs) if weights.is_integer else 0.0
        return largest_step(self.cost)

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of all that defines the problem; of a large table, hashes of its rows."""
        state = hashlib.sha256()
        settings = (self.skeleton.widths, self.skeleton.tree_only, self.node_price, self.split, self.margin)
        state.update(repr(settings).encode())
        if self.term_limit is not None:
            state.update(f"max_terms {self.term_limit.max_terms}".encode())
            _absorb(state, self.term_limit.column_of.astype("<i8"))
        rows = self.rows
        matrix = rows.matrix
        if isinstance(self.data, LargeData):
            shape = (self.data.n_rows, self.data.n_features)
            state.update(repr((shape, self.data.hash_rows())).encode())
        else:
            for array in (self.data.X, self.data.class_weight, self.cost):
                _absorb(state, np.asarray(array, dtype="<f8"))
        for array in (rows.lower, rows.upper, matrix.data):
            _absorb(state, np.asarray(array, dtype="<f8"))
        for array in (matrix.indptr, matrix.indices):
            _absorb(state, np.asarray(array, dtype="<i8"))
        if len(rows):
            _absorb(state, np.asarray(rows.penalty, dtype="<f8"))
        return state.hexdigest()


def build_problem(
    data: TrainingData,
    skeleton: Skeleton,
    alpha: float | None,
    split: SplitKind,
    margin: float | None = None,
    cost_matrix: ArrayLike | None = None,
    constraints: Sequence[Constraint] = (),
    *,
    node_price: float | None = None,
    term_limit: TermLimit | None = None,
) -> TrainingProblem:
    """Pose a training problem; the cost matrix is [true, predicted] and counts errors by default.

    The penalty is given as one of ``alpha`` and ``node_price``; see ``price_per_node``. The margin is that of
    hyperplanes, the paper's 1e-4 unless given; univariate splits have none. The limit on terms is that of
    hyperplanes, too.
    """
    if split not in get_args(SplitKind):
        raise InvalidInputError(f'The split kind {split!r} is unknown: give "univariate" or "multivariate".')
    price = price_per_node(skeleton, alpha, node_price)
    margin = 0.0 if split == "univariate" else PAPER_MARGIN if margin is None else margin
    if not 0 <= margin < 1:
        raise InvalidInputError(f"The margin is {margin}: give a number of at least 0 and below 1.")
    layout = ObservableLayout(data.n_rows, data.n_classes, skeleton)
    parts = [constraint.rows(data, layout) for constraint in constraints]
    stops = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    constraint_blocks = tuple(map(ConstraintBlock, constraints, stops[:-1], stops[1:]))
    costs = check_costs(cost_matrix, data.n_classes)
    if isinstance(data, LargeData):
        data, cost = data.with_costs(costs), np.empty((0, data.n_classes))
    else:
        cost = row_costs(data.class_weight, costs)
    rows = concatenate_rows(parts, layout.size)
    limit = term_limit if split == "multivariate" else None
    return TrainingProblem(data, skeleton, cost, price, split, float(margin), rows, constraint_blocks, limit)


def price_per_node(skeleton: Skeleton, alpha: float | None, node_price: float | None) -> float:
    """Return the price of each node but the root, which is free.

    It is ``node_price``, whatever the skeleton, or ``alpha / (skeleton nodes - 1)``, as in the paper: exactly
    one of the two is given.
    """
    if alpha is not None and node_price is not None:
        raise InvalidInputError(f"alpha is {alpha!r} and node_price is {node_price!r}: give one of the two.")
    if node_price is not None:
        return check_number("node_price", node_price, high=LARGEST)
    if alpha is None:
        raise InvalidInputError("Neither alpha nor node_price is given: give one of the two.")
    price_of_all = check_number("alpha", alpha, high=LARGEST)
    return price_of_all / (skeleton.n_nodes - 1) if skeleton.n_nodes > 1 else 0.0


def _absorb(state: hashlib._Hash, array: np.ndarray) -> None:
    state.update(repr(array.shape).encode())
    if array.size < MAX_PART_CELLS:
        state.update(np.ascontiguousarray(array).data)
        return
    # in parts: a table that is stored by columns is copied
    n_parts = 1 + array.size // MAX_PART_CELLS
    for part in np.array_split(array, min(n_parts, max(1, len(array)))):
        state.update(np.ascontiguousarray(part).data)
