"""A tree whose weighted sums part groups of classes, as an incumbent for three and more classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.evaluate import solver_margin
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_stump
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.construct.logistic_start import SECONDS_PER_CELL, fit_terms
from oddlearn.solve.solver import Emit, univariate_unsupported
from oddlearn.solve.state import SolveState

# a group of classes that a hyperplane parts from the others is to be parted without errors
INVERSE_PENALTY = 100.0

# the groups are chosen on so many rows x classes of a node: a group is judged in 0.3 ms
MAX_CHOICE_CELLS = 50_000

# with more classes there are too many groups
MAX_CLASSES = 50

# more features than this are not regressed on all classes at once: time grows with their third power
MAX_FEATURES = 1000

# directions along which the means of the classes are ordered; each cut of the order is a pair of groups
N_ORDERS = 3

RIDGE = 1e-3

SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class ClassTree:
    """A tree of which each class has one leaf, as far as the skeleton allows.

    The groups of classes that a node parts are those that least squares part best. The weights are those of
    a logistic regression of the two groups, and the threshold is the one that costs least.
    """

    name: ClassVar[str] = "class_tree"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        if reasons := univariate_unsupported(self.name, problem):
            return reasons
        if not 3 <= problem.data.n_classes <= MAX_CLASSES:
            return [f'The solver "{self.name}" takes 3 to {MAX_CLASSES} classes.']
        if problem.data.n_features > MAX_FEATURES:
            return [f'The solver "{self.name}" takes {MAX_FEATURES:,} features at most.']
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Offer the tree; nodes for which there is no time are leaves."""
        from threadpoolctl import threadpool_limits

        problem = state.problem
        if self.unsupported_reasons(problem):
            return state
        builder = DiagramBuilder.empty(problem)
        classes = np.flatnonzero(problem.data.class_weight.any(axis=0))
        sets = [ClassSet(np.arange(problem.data.n_rows), classes, ())]
        with threadpool_limits(1):
            for layer in range(problem.skeleton.depth):
                sets = _add_layer(builder, layer, sets, budget)
        return state.offer(builder.prune().build(), trusted=False)


@dataclass(frozen=True, eq=False)
class ClassSet:
    """Rows (k,) that arrive on some arcs, and the classes that their leaves are to predict."""

    rows: IntArray
    classes: IntArray
    arcs: tuple[int, ...]


def _add_layer(
    builder: DiagramBuilder, layer: int, sets: Sequence[ClassSet], budget: Budget
) -> list[ClassSet]:
    """Add a node for every set of several classes, the costliest first; return the sets below them."""
    problem = builder.problem
    widths = problem.skeleton.widths
    costs = [float(problem.cost[own.rows].sum(axis=0).min()) for own in sets]
    order = [place for place in np.argsort(costs)[::-1].tolist() if sets[place].classes.size > 1]
    below: list[ClassSet] = []
    for turn, place in enumerate(order[: widths[layer]]):
        own = sets[place]
        others = [sets[later].classes.size for later in order[turn + 1 : widths[layer]]]
        layers = LayersBelow(widths[layer + 1 :], tuple(one.classes.size for one in below), tuple(others))
        found = None if budget.expired else find_group_split(problem, own, layers, budget)
        if found is None:
            continue
        split, groups = found
        side = split.side(problem.data.X[own.rows])
        parts = [own.rows[~side], own.rows[side]]
        node = builder.add(layer, split, own.arcs, [problem.cost[part].sum(axis=0) for part in parts])
        for positive, (part, group) in enumerate(zip(parts, groups, strict=True)):
            present = problem.data.class_weight[part][:, group].any(axis=0)
            below.append(ClassSet(part, group[present], (2 * node + positive,)))
    return below


@dataclass(frozen=True)
class LayersBelow:
    """The layers below a node, and the sets of classes that share them.

    Attributes
    ----------
    widths : tuple of int
        Of the layers below.
    below : tuple of int
        Numbers of classes of the sets that already are in the first of them.
    beside : tuple of int
        Those of the sets whose node is chosen later in the same layer.
    """

    widths: tuple[int, ...]
    below: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()

    def fits(self, *sizes: int) -> bool:
        """Return True if sets of so many classes can be parted too, down to one class each."""
        halves = [part for size in self.beside for part in (size // 2, size - size // 2)]
        rests = [size - 1 for size in self.beside]
        return any(can_part([*self.below, *sizes, *others], self.widths) for others in (halves, rests))

    def allows(self, first: int, second: int) -> bool:
        """Return True if no two groups of so many classes in all leave more classes with a leaf."""
        pairs = _largest_pairs(self, first + second)
        return not pairs or any(one <= first and other <= second for one, other in pairs)


@lru_cache(maxsize=1024)
def _largest_pairs(layers: LayersBelow, n_classes: int) -> list[tuple[int, int]]:
    """Return the sizes of two groups, of the most classes of so many, for which there is room."""
    for total in range(n_classes, 1, -1):
        pairs = [(one, total - one) for one in range(1, total) if layers.fits(one, total - one)]
        if pairs:
            return pairs
    return []


def can_part(sizes: Sequence[int], widths: Sequence[int]) -> bool:
    """Return True if the nodes of some layers can part sets of classes down to one class each.

    Large sets are halved where the next layer has room for both parts; else one class is cut off. Where
    layers become narrower downwards, there may be another way.
    """
    left = sorted((size for size in sizes if size > 1), reverse=True)
    for layer, width in enumerate(widths):
        following = widths[layer + 1] if layer + 1 < len(widths) else 0
        spare = following - sum(size > 2 for size in left)
        if len(left) > width or spare < 0:
            return False
        parts: list[int] = []
        for size in left:
            is_halved = size >= 4 and spare > 0
            spare -= is_halved
            parts += [size // 2, size - size // 2] if is_halved else [size - 1]
        left = sorted((size for size in parts if size > 1), reverse=True)
    return not left


def find_group_split(
    problem: TrainingProblem, own: ClassSet, layers: LayersBelow, budget: Budget
) -> tuple[MultivariateSplit, tuple[IntArray, IntArray]] | None:
    """Return a split of a set of classes, and the classes on its negative and positive side."""
    groups = GroupSearch.build(problem, own).find_groups(layers, budget)
    X, cost = problem.data.X[own.rows], problem.cost[own.rows]
    weight = problem.data.class_weight[own.rows]
    sums = np.column_stack([weight[:, group].sum(axis=1) for group in groups])
    affordable = max(1.0, budget.remaining() / (SECONDS_PER_CELL * X.shape[1]))
    step = max(1, math.ceil(own.rows.size / affordable))
    sides = np.column_stack([cost[:, group].min(axis=1) for group in groups])
    # find_best_stump allows for the tolerance itself
    margin = solver_margin(problem) + MARGIN_TOLERANCE
    for weights in fit_terms(X[::step], sums[::step], problem.term_limit, INVERSE_PENALTY):
        split = MultivariateSplit(weights, 0.0)
        key = split.key(X)
        value, threshold = find_best_stump(key, np.argsort(key), sides, margin)
        if np.isfinite(value):
            split = split.with_threshold(threshold)
            is_above = split.side(X)
            turned = sides[is_above, 0].sum() + sides[~is_above, 1].sum()
            straight = sides[~is_above, 0].sum() + sides[is_above, 1].sum()
            return split, groups if straight <= turned else groups[::-1]
    return None


@dataclass(frozen=True, eq=False)
class GroupSearch:
    """The choice of the two groups of classes that a node parts.

    Attributes
    ----------
    scores : (k, n) float
        Of rows and classes of the node, by least squares. The score of a group is the sum of those of its
        classes, so that no group needs a regression of its own.
    means : (n, n) float
        Mean scores of the rows of each class.
    cost : (k, n) float
        Of the rows in the classes.
    classes : (n,) int
    """

    scores: FloatArray
    means: FloatArray
    cost: FloatArray
    classes: IntArray

    @classmethod
    def build(cls, problem: TrainingProblem, own: ClassSet) -> GroupSearch:
        """Regress the classes of a node on some of its rows."""
        weight = problem.data.class_weight[own.rows][:, own.classes]
        rows = np.flatnonzero(weight.any(axis=1))
        rows = rows[:: -(-weight.size // MAX_CHOICE_CELLS)]
        X, weight, cost = problem.data.X[own.rows[rows]], weight[rows], problem.cost[own.rows[rows]]
        total = weight.sum(axis=1)
        centred = np.column_stack([X - np.average(X, axis=0, weights=total), np.ones(rows.size)])
        gram = (centred * total[:, None]).T @ centred
        gram[np.diag_indices_from(gram)] += RIDGE * total.mean()
        scores = centred @ np.linalg.solve(gram, centred.T @ weight)
        means = (weight / np.maximum(weight.sum(axis=0), SMALLEST)).T @ scores
        return cls(scores, means, cost[:, own.classes], own.classes)

    def find_groups(self, layers: LayersBelow, budget: Budget) -> tuple[IntArray, IntArray]:
        """Return the groups of the cheapest split of those for which there is room, by moves of one class."""
        starts = [group for group in self.first_groups() if _is_allowed(group, layers)]
        # out of time, the groups are as good as those judged so far
        judged = (group for place, group in enumerate(starts) if not (place and budget.expired))
        least, _, group = min((self.split_cost(group), place, group) for place, group in enumerate(judged))
        improves = True
        while improves and not budget.expired:
            improves = False
            for moved in np.eye(self.classes.size, dtype=bool):
                if _is_allowed(group ^ moved, layers) and (cost := self.split_cost(group ^ moved)) < least:
                    group, least, improves = group ^ moved, cost, True
        return self.classes[~group], self.classes[group]

    def split_cost(self, group: BoolArray) -> float:
        """Return the cost of the best threshold along the score of a group (n,), a mask of the classes."""
        key = self.scores[:, group].sum(axis=1)
        sides = np.column_stack([self.cost[:, own].min(axis=1) for own in (~group, group)])
        return find_best_stump(key, np.argsort(key), sides, 0.0)[0]

    def first_groups(self) -> Iterator[BoolArray]:
        """Yield each class alone, and the cuts of the orders in which their means differ most."""
        yield from np.eye(self.classes.size, dtype=bool)
        axes, lengths, _ = np.linalg.svd(self.means - self.means.mean(axis=0))
        for axis in (axes * lengths).T[:N_ORDERS]:
            order = np.argsort(axis)
            for size in range(2, order.size - 1):
                group = np.zeros(order.size, dtype=bool)
                group[order[:size]] = True
                yield group


def _is_allowed(group: BoolArray, layers: LayersBelow) -> bool:
    size = int(group.sum())
    return 0 < size < group.size and layers.allows(size, group.size - size)
