"""The context of a formulation: its options, skeleton, arcs and the bounds of its hyperplanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_integers
from oddlearn.diagram.skeleton import Skeleton, truncate_skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.row_structure import SIDES_DIFFER, sides_are_symmetric, slots_are_symmetric
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem

FormulationName = Literal["tight", "paper"]


@dataclass(frozen=True)
class FormulationOptions:
    """The options of the formulation."""

    # paper: the model as the paper prints it, on the whole skeleton, every weight of a hyperplane and its
    # threshold within -1 and 1. Tight: the absolute sum of the weights is at most 1, the big-M of the
    # indicators is tight, constant features are dropped, the number of nodes may be fixed and the objective
    # bounded from below.
    formulation: FormulationName = "tight"
    order_arcs: bool = True  # break the symmetry of sides: a node's negative target comes first
    order_nodes: bool = True  # break the symmetry of slots: within a layer, in-degrees do not increase
    # True for a flow on every arc (z of the paper); False projects them onto sides and arcs
    flows: bool = True

    @property
    def is_paper(self) -> bool:
        """True for the model as the paper prints it."""
        return self.formulation == "paper"


@dataclass(frozen=True, eq=False)
class HyperplaneBounds:
    """Bounds on hyperplanes ``a.x = b``; the value of a row is taken from the centre: ``a.(x - centre)``."""

    features: IntArray  # (f,): the features in use
    # (m, f): the rows in the coordinates of the model: the problem's own or, with univariate splits, ranks
    # divided by the largest rank of the feature
    coordinates: FloatArray
    centre: FloatArray  # (f,)
    radius: FloatArray  # (m,): largest absolute value of each row
    low: float  # limits of ``b - a.centre`` that leave a hyperplane for every routing
    high: float
    gap: float  # smallest distance of negative rows to the threshold

    @classmethod
    def from_problem(cls, problem: TrainingProblem, is_paper: bool) -> HyperplaneBounds:
        """Return the bounds for a problem."""
        if problem.split == "univariate":
            X, gap = scale_ranks(problem.data.ranked_columns)
        else:
            # everything evaluate() accepts, tolerance included, must be a point of the model
            X, gap = problem.data.X, max(0.0, problem.margin - 2 * MARGIN_TOLERANCE)
        return cls._paper_bounds(X, gap) if is_paper else cls._tight_bounds(X, gap)

    @classmethod
    def _paper_bounds(cls, X: FloatArray, gap: float) -> HyperplaneBounds:
        limit = max(1.0, float(np.abs(X).max(initial=0.0)))
        features = np.arange(X.shape[1])
        return cls(features, X, np.zeros(features.size), np.abs(X).sum(axis=1), -limit, limit, gap)

    @classmethod
    def _tight_bounds(cls, X: FloatArray, gap: float) -> HyperplaneBounds:
        """Return bounds for weights with an absolute sum of at most 1.

        The value of a row is at most its largest coordinate. A hyperplane with rows on both sides has its
        threshold among their values. One with all rows on one side may as well have no weights, and the
        threshold 0 or ``gap``.
        """
        features = np.flatnonzero(np.ptp(X, axis=0) > 0)
        used = X[:, features]
        centre = (used.min(axis=0) + used.max(axis=0)) / 2
        radius = np.abs(used - centre).max(axis=1, initial=0.0)
        largest = float(radius.max())
        return cls(features, used, centre, radius, -largest, max(largest, gap), gap)

    @property
    def big_m_negative(self) -> FloatArray:
        """The most by which each row can miss the negative side, shape (m,)."""
        return np.asarray(self.radius + self.gap - self.low)

    @property
    def big_m_positive(self) -> FloatArray:
        """The most by which each row can miss the positive side, shape (m,)."""
        return np.asarray(self.radius + self.high)


def scale_ranks(columns: RankedColumns) -> tuple[FloatArray, float]:
    """Return the ranks of a table scaled to 0..1, shape (m, d), and a gap below all distances of values.

    A univariate split may pass between any two different values, however close. Half of the smallest
    distance leaves every threshold some space, which a solver's tolerances need.
    """
    shape = columns.columns.shape
    ranks = [columns.values_and_ranks(feature)[1] for feature in range(shape[0])]
    largest = np.array([max(1, int(rank.max(initial=0))) for rank in ranks])
    scaled = np.array(ranks, dtype=np.float64).reshape(shape).T / largest
    return np.ascontiguousarray(scaled), 0.5 / float(largest.max(initial=1))


@dataclass(frozen=True, eq=False)
class Arcs:
    """The possible arcs of either side, sorted by tail, then by head."""

    tail: IntArray  # (n_arcs,)
    head: IntArray  # (n_arcs,): a slot, or ``n_slots + c`` for the terminal of class c
    n_slots: int
    n_classes: int

    @classmethod
    def from_skeleton(cls, skeleton: Skeleton, n_classes: int) -> Arcs:
        """Return the arcs of a skeleton with this many terminals."""
        n_slots, first = skeleton.n_nodes, skeleton.first
        terminals = np.arange(n_slots, n_slots + n_classes)
        tails, heads = [], []
        for slot, layer in enumerate(skeleton.layer_of.tolist()):
            below = np.arange(first[layer + 1], first[min(layer + 2, skeleton.depth)])
            ends = np.concatenate([below, terminals])
            heads.append(ends)
            tails.append(np.full(ends.size, slot))
        return cls(
            read_only_integers(np.concatenate(tails)),
            read_only_integers(np.concatenate(heads)),
            n_slots,
            n_classes,
        )

    @property
    def n_arcs(self) -> int:
        """Number of arcs of one side."""
        return int(self.tail.size)

    @property
    def internal(self) -> IntArray:
        """Arcs that lead to a slot."""
        return np.flatnonzero(self.head < self.n_slots)

    @property
    def terminal(self) -> IntArray:
        """Arcs that lead to a terminal."""
        return np.flatnonzero(self.head >= self.n_slots)

    def out_of(self, slot: int) -> IntArray:
        """Return the arcs that leave a slot, by ascending head."""
        return np.flatnonzero(self.tail == slot)

    def to_terminals(self, slot: int) -> IntArray:
        """Return the arcs from a slot to each terminal, in the order of the classes."""
        return self.out_of(slot)[-self.n_classes :]

    def into(self, head: int) -> IntArray:
        """Return the arcs that lead to a slot or terminal."""
        return np.flatnonzero(self.head == head)

    def between(self, slot: int, head: int) -> int:
        """Return the arc from a slot to a head."""
        return int(np.flatnonzero((self.tail == slot) & (self.head == head))[0])


@dataclass(frozen=True, eq=False)
class FormulationContext:
    """Everything equations are written from, beside the columns."""

    problem: TrainingProblem
    options: FormulationOptions
    n_nodes: int | None  # the exact number of active nodes, None for any
    skeleton: Skeleton  # slots of the model: the problem's skeleton, or that truncated to ``n_nodes``
    arcs: Arcs
    hyperplanes: HyperplaneBounds
    slots_are_symmetric: bool  # True when the constraint rows do not tell the slots of one layer apart

    @classmethod
    def build(
        cls, problem: TrainingProblem, n_nodes: int | None, options: FormulationOptions
    ) -> FormulationContext:
        """Return the context of a problem; raise an error if it cannot be formulated."""
        _check_problem(problem, n_nodes, options)
        skeleton = problem.skeleton if n_nodes is None else truncate_skeleton(problem.skeleton, n_nodes)
        arcs = Arcs.from_skeleton(skeleton, problem.data.n_classes)
        hyperplanes = HyperplaneBounds.from_problem(problem, options.is_paper)
        return cls(problem, options, n_nodes, skeleton, arcs, hyperplanes, slots_are_symmetric(problem))

    @property
    def is_univariate(self) -> bool:
        """True when every split has one feature."""
        return self.problem.split == "univariate"

    @property
    def needs_root_splits(self) -> bool:
        """True when a constraint row contains the observable of a root with rows on both sides."""
        return bool((self.problem.rows.matrix.indices == self.problem.layout.root_splits).any())

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return self.problem.data.n_rows


def _check_problem(problem: TrainingProblem, n_nodes: int | None, options: FormulationOptions) -> None:
    if problem.data.n_classes < 2:
        raise UnsupportedError("There is nothing to formulate with one class: the constant is optimal.")
    if not sides_are_symmetric(problem):
        raise UnsupportedError(SIDES_DIFFER)
    if n_nodes is None:
        return
    if options.is_paper:
        raise InvalidInputError('The formulation "paper" has no row on the node count: give None nodes.')
    most = problem.skeleton.n_nodes
    if not 1 <= n_nodes <= most:
        raise InvalidInputError(
            f"Skeleton {problem.skeleton} has diagrams of 1 to {most} nodes, not {n_nodes}."
        )
