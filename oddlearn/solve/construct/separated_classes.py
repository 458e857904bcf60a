"""Trees without errors of which each class has one leaf: every hyperplane separates two groups of classes.

K classes need K - 1 hyperplanes, so that such a tree is optimal where a node costs less than an error. Which
groups of classes a hyperplane separates is found exactly (``conflict_sets``) and remembered, as many trees
have the same groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import BoolArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.class_tree import ClassSet, ClassTree, GroupSearch, LayersBelow
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.hyperplanes.conflict_sets import ConflictOracle, Direction
from oddlearn.solve.solver import Emit, constraints_unsupported, term_limit_unsupported
from oddlearn.solve.state import SolveState

# seconds of work before it takes turns: most problems are solved by then, or have no such tree
FIRST_WORK = 0.3

# groups of a set of classes that are tried in one tree, those first that least squares part best
MAX_TRIES = 12

# with more classes pairs of them are not judged, but for those that are neighbours in an order
MAX_CLASSES_FOR_PAIRS = 8

# standard deviation of the logarithm by which the costs of the groups are multiplied in each tree
ORDER_NOISE = 0.7

# trees without a group that was not tried before, after which there is hardly another one
MAX_REPEATED_TREES = 50

SECONDS_PER_NODE = 2e-4  # usual time of a node of a tree without the search for a split

# usual time in which least squares judge a group, per row of the set
SECONDS_PER_ROW = 2.5e-7

Group = frozenset[int]


@dataclass(frozen=True)
class SeparatedClasses:
    """Random trees of separable groups of classes, until one has a leaf for each class."""

    seed: int = 0

    name: ClassVar[str] = "separated_classes"
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem."""
        reasons = ClassTree().unsupported_reasons(problem) or term_limit_unsupported(self.name, problem)
        return reasons or constraints_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Draw trees until one is complete, none can be, or the budget is spent; short turns are saved up."""
        from threadpoolctl import threadpool_limits

        search = state.resumable.get(self.name)
        if not isinstance(search, ClassTreeSearch):
            search = ClassTreeSearch(state.problem, np.random.default_rng(self.seed))
        search.saved += budget.remaining_work()
        with threadpool_limits(1):
            while search.saved > 0 and not search.is_finished and not budget.is_late:
                before = budget.meter.seconds
                diagram = search.draw_tree(budget)
                search.saved -= budget.meter.seconds - before
                if diagram is not None:
                    state, search.is_finished = state.offer(diagram, trusted=False), True
        return state.store_resumable(self.name, None if search.is_finished else search)


@dataclass
class ClassTreeSearch:
    """The separable groups found so far, and the work that turns have saved up, in seconds."""

    problem: TrainingProblem
    random: np.random.Generator
    saved: float = FIRST_WORK
    is_finished: bool = False
    n_repeated: int = 0
    _code: IntArray = field(init=False)
    _ranked: dict[Group, list[tuple[float, Group]]] = field(default_factory=dict)
    _oracles: dict[Group, tuple[IntArray, ConflictOracle]] = field(default_factory=dict)
    _splits: dict[tuple[Group, Group], MultivariateSplit | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        weight = self.problem.data.class_weight
        self._code = weight.argmax(axis=1)
        # two classes in one place are not separated
        self.is_finished = bool((np.count_nonzero(weight, axis=1) > 1).any())

    def draw_tree(self, budget: Budget) -> DecisionDiagram | None:
        """Return a tree with a leaf for each class, None if a set of classes was left without a split.

        The search is finished if that is the set of all classes, or if many trees had no new groups.
        """
        n_before = len(self._splits)
        tree = self._draw_layers(budget)
        self.n_repeated = 0 if len(self._splits) > n_before else self.n_repeated + 1
        self.is_finished |= self.n_repeated == MAX_REPEATED_TREES
        return tree

    def _draw_layers(self, budget: Budget) -> DecisionDiagram | None:
        builder = DiagramBuilder.empty(self.problem)
        widths, cost = self.problem.skeleton.widths, self.problem.cost
        sets: list[tuple[Group, tuple[int, ...]]] = [(frozenset(np.unique(self._code).tolist()), ())]
        for layer, width in enumerate(widths):
            waiting = sorted((one for one in sets if len(one[0]) > 1), key=lambda one: -len(one[0]))
            if len(waiting) > width:
                return None
            sets = []
            for turn, (classes, arcs) in enumerate(waiting):
                below = tuple(len(own) for own, _ in sets)
                beside = tuple(len(own) for own, _ in waiting[turn + 1 :])
                found = self._draw_split(classes, LayersBelow(widths[layer + 1 :], below, beside), budget)
                if found is None:
                    self.is_finished = layer == 0 and not budget.is_late
                    return None
                group, split = found
                sides = (classes - group, group)
                costs = [cost[np.isin(self._code, list(side))].sum(axis=0) for side in sides]
                node = builder.add(layer, split, arcs, costs)
                sets += [(side, (2 * node + positive,)) for positive, side in enumerate(sides)]
        return builder.build() if all(len(classes) == 1 for classes, _ in sets) else None

    def _draw_split(
        self, classes: Group, layers: LayersBelow, budget: Budget
    ) -> tuple[Group, MultivariateSplit] | None:
        """Return a separable group for which there is room, and its split; cheap ones are likelier."""
        budget.spend(SECONDS_PER_NODE)
        ranked = self._rank_groups(classes, budget)
        costs = np.array([cost for cost, _ in ranked])
        order = np.argsort((1 + costs) * np.exp(ORDER_NOISE * self.random.normal(size=len(ranked))))
        n_tries = 0
        for place in order.tolist():
            group = ranked[place][1]
            if not layers.fits(len(group), len(classes) - len(group)):
                continue
            split = self._separate(classes, group, budget)
            if split is not None:
                return group, split
            n_tries += 1
            if n_tries == MAX_TRIES or budget.is_late:
                break
        return None

    def _rank_groups(self, classes: Group, budget: Budget) -> list[tuple[float, Group]]:
        """Return groups of the classes with their costs by least squares."""
        if classes not in self._ranked:
            own = ClassSet(np.flatnonzero(np.isin(self._code, list(classes))), np.array(sorted(classes)), ())
            search = GroupSearch.build(self.problem, own)
            names = search.classes
            masks = [*search.first_groups()]
            if names.size <= MAX_CLASSES_FOR_PAIRS:
                masks += [first | second for first, second in combinations(np.eye(names.size, dtype=bool), 2)]
            groups = {frozenset(names[mask].tolist()): mask for mask in masks if not mask.all()}
            budget.spend(SECONDS_PER_ROW * len(search.scores) * len(groups))
            self._ranked[classes] = [(search.split_cost(mask), group) for group, mask in groups.items()]
        return self._ranked[classes]

    def _separate(self, classes: Group, group: Group, budget: Budget) -> MultivariateSplit | None:
        """Return the split with a group of the classes on its positive side, None if none was found."""
        key = (classes, group)
        if key not in self._splits:
            if classes not in self._oracles:
                rows = np.flatnonzero(np.isin(self._code, list(classes)))
                self._oracles[classes] = rows, ConflictOracle(self.problem.data.X[rows], self.problem.margin)
            rows, oracle = self._oracles[classes]
            positive = np.isin(self._code[rows], list(group))
            found = oracle.find(np.where(positive, 1, -1).astype(np.int8), budget)
            self._splits[key] = None
            if isinstance(found, Direction):
                self._splits[key] = self._build_split(rows, positive, found)
        return self._splits[key]

    def _build_split(self, rows: IntArray, positive: BoolArray, found: Direction) -> MultivariateSplit | None:
        """Return the split in the middle of the gap along a direction, None if that is too narrow."""
        norm = float(np.abs(found.weights).sum())
        if norm == 0:
            return None
        split = MultivariateSplit(found.weights / norm, 0.0)
        place = split.key(self.problem.data.X[rows])
        low, high = float(place[~positive].max()), float(place[positive].min())
        is_wide = high - low >= self.problem.margin + MARGIN_TOLERANCE
        return split.with_threshold((low + high) / 2) if is_wide else None
