"""What a formulation is about: the skeleton it uses, its arcs and the room its hyperplanes have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.cut import cut_to
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.milp.arcs import Arcs
from oddlearn.milp.variant import Variant
from oddlearn.problem.evaluate import MARGIN_TOLERANCE
from oddlearn.problem.problem import TrainingProblem
from oddlearn.problem.symmetry import SIDES_DIFFER, sides_are_alike, slots_are_alike


@dataclass(frozen=True, eq=False)
class Room:
    """Where hyperplanes ``a.x = b`` can lie; the value of a row is taken from the centre: ``a.(x - centre)``.

    Attributes
    ----------
    features : (f,) int
        The features in use.
    coordinates : (m, f) float
        Rows as the model sees them: the problem's own numbers or, with univariate splits, ranks divided by
        the largest rank of the feature.
    centre : (f,) float
    reach : (m,) float
        The most that the value of each row can differ from 0.
    low, high : float
        Limits of ``b - a.centre`` that some hyperplane of every routing keeps.
    gap : float
        What negative rows stay below the threshold.
    """

    features: IntArray
    coordinates: FloatArray
    centre: FloatArray
    reach: FloatArray
    low: float
    high: float
    gap: float

    @classmethod
    def of(cls, problem: TrainingProblem, faithful: bool) -> Room:
        """Return the room of a problem's hyperplanes."""
        if problem.split == "univariate":
            X, gap = ranked_coordinates(problem.data.X)
        else:
            # what evaluate() accepts, tolerance included, must be a point of the model
            X, gap = problem.data.X, max(0.0, problem.margin - 2 * MARGIN_TOLERANCE)
        return cls._printed(X, gap) if faithful else cls._tight(X, gap)

    @classmethod
    def _printed(cls, X: FloatArray, gap: float) -> Room:
        limit = max(1.0, float(np.abs(X).max(initial=0.0)))
        features = np.arange(X.shape[1])
        return cls(features, X, np.zeros(features.size), np.abs(X).sum(axis=1), -limit, limit, gap)

    @classmethod
    def _tight(cls, X: FloatArray, gap: float) -> Room:
        """Weights have an absolute sum of at most 1: a row's value is at most its furthest coordinate.

        A hyperplane with rows on both sides has its threshold among their values. One with all rows on one
        side may as well have no weights, and the threshold 0 or ``gap``.
        """
        features = np.flatnonzero(np.ptp(X, axis=0) > 0)
        used = X[:, features]
        centre = (used.min(axis=0) + used.max(axis=0)) / 2
        reach = np.abs(used - centre).max(axis=1, initial=0.0)
        furthest = float(reach.max())
        return cls(features, used, centre, reach, -furthest, max(furthest, gap), gap)

    @property
    def slack_negative(self) -> FloatArray:
        """The most by which each row can miss the negative side, shape (m,)."""
        return np.asarray(self.reach + self.gap - self.low)

    @property
    def slack_positive(self) -> FloatArray:
        """The most by which each row can miss the positive side, shape (m,)."""
        return np.asarray(self.reach + self.high)


def ranked_coordinates(X: FloatArray) -> tuple[FloatArray, float]:
    """Return the columns of X (m, d) as ranks scaled to 0..1, and a gap below all distances of values.

    A univariate split may pass between any two different values, however close. Half of the smallest
    distance leaves every threshold some room, which a solver's tolerances need.
    """
    ranks = [np.unique(column, return_inverse=True)[1] for column in X.T]
    largest = np.array([max(1, int(rank.max(initial=0))) for rank in ranks])
    scaled = np.array(ranks, dtype=np.float64).reshape(X.shape[1], X.shape[0]).T / largest
    return np.ascontiguousarray(scaled), 0.5 / float(largest.max(initial=1))


@dataclass(frozen=True, eq=False)
class Setting:
    """Everything equations are written from, beside the columns.

    Attributes
    ----------
    problem : TrainingProblem
    variant : Variant
    n_nodes : int or None
        The exact number of active nodes, None for any.
    shape : Skeleton
        Slots of the model: the problem's skeleton, or that cut to ``n_nodes``.
    arcs : Arcs
    room : Room
    alike : bool
        True when the constraint rows do not tell the slots of one layer apart.
    """

    problem: TrainingProblem
    variant: Variant
    n_nodes: int | None
    shape: Skeleton
    arcs: Arcs
    room: Room
    alike: bool

    @classmethod
    def of(cls, problem: TrainingProblem, n_nodes: int | None, variant: Variant) -> Setting:
        """Return the setting of a problem, refusing what the formulation cannot say."""
        _check(problem, n_nodes, variant)
        shape = problem.skeleton if n_nodes is None else cut_to(problem.skeleton, n_nodes)
        arcs = Arcs.of(shape, problem.data.n_classes)
        room = Room.of(problem, variant.faithful)
        return cls(problem, variant, n_nodes, shape, arcs, room, slots_are_alike(problem))

    @property
    def is_univariate(self) -> bool:
        """True when every split looks at one feature."""
        return self.problem.split == "univariate"

    @property
    def names_parted(self) -> bool:
        """True when a constraint asks whether the root parts the rows."""
        return bool((self.problem.rows.matrix.indices == self.problem.layout.parted).any())

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return self.problem.data.n_rows

    @property
    def original_slots(self) -> IntArray:
        """Slot of the problem's skeleton that each slot of the model stands for, shape (n_slots,)."""
        rank = np.arange(self.shape.n_nodes) - self.shape.first[self.shape.layer_of]
        return np.asarray(self.problem.skeleton.first[self.shape.layer_of] + rank)


def _check(problem: TrainingProblem, n_nodes: int | None, variant: Variant) -> None:
    if problem.data.n_classes < 2:
        raise UnsupportedError("There is nothing to formulate with one class: the constant is optimal.")
    if not sides_are_alike(problem):
        raise UnsupportedError(SIDES_DIFFER)
    if n_nodes is None:
        return
    if variant.faithful:
        raise InvalidInputError("The faithful variant has no row on the number of nodes: give None nodes.")
    most = problem.skeleton.n_nodes
    if not 1 <= n_nodes <= most:
        raise InvalidInputError(
            f"Skeleton {problem.skeleton} has diagrams of 1 to {most} nodes, not {n_nodes}."
        )
