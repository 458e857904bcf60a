"""Optimal diagrams: each shape refuted by a tree that costs no more, or else searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oddlearn.branch.assemble import diagram_of
from oddlearn.branch.progress import Standing
from oddlearn.branch.shapes import Pattern, Shape, covers, pattern_of, shapes
from oddlearn.branch.trees import best_tree
from oddlearn.branch.workshop import Workshop
from oddlearn.engine import Budget

# shapes looked at; skeletons with many nodes have too many
MOST_SHAPES = 5000

# the widest layer the kernel takes: kernels/ties.pyx
MOST_WIDTH = 16

# trees of these many levels are tried first for a better diagram, each with this share of the time
TREE_LEVELS = (3, 4)
TREE_SHARE = 0.08

# shares of the time left that each shape may take, round by round
SEARCH_SHARES = (0.02, 0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Tally:
    """How many shapes there were, and how many are open: not refuted, or never looked at."""

    shapes: int
    open: int


class DiagramProof:
    """Bounds of shapes, and of the patterns that cover them; what was proved stays between two runs."""

    def __init__(self, standing: Standing, workshop: Workshop) -> None:
        self._standing = standing
        self._workshop = workshop
        self._budget = Budget.of(0.0)
        self._has_tried_trees = False
        self._shapes = list(self._listed())
        # own costs: of the best tree of each pattern at least, and below which a shape has no diagram
        self._tree_bound: dict[Pattern, float] = {pattern_of(shape): 0.0 for shape in self._shapes}
        self._shape_bound: dict[Shape, float] = {}
        self._bounded: set[Pattern] = set()

    def run(self, standing: Standing, budget: Budget) -> Tally:
        """Raise the floors as far as the time allows."""
        self._standing, self._budget = standing, budget
        if not self._has_tried_trees:
            self._try_trees()
        self._has_tried_trees = True
        self._relax()
        self._raise_floors()
        for share in SEARCH_SHARES:
            self._search(share)
        self._raise_floors()
        return Tally(len(self._shapes), len(list(self._open())))

    def _listed(self) -> Iterator[Shape]:
        """Yield the shapes of the counts that are open, few layers first, as long as all of a count fit."""
        widths = self._standing.problem.skeleton.widths
        listed: list[Shape] = []
        for count in self._standing.open_counts:
            more = []
            for shape in shapes(count, widths, self._standing.limits.allow):
                more.append(shape)
                if len(listed) + len(more) > MOST_SHAPES:
                    break
            else:
                listed.extend(more)
                continue
            break
        yield from sorted(listed, key=lambda shape: (len(shape), sum(shape)))

    def _try_trees(self) -> None:
        """Look for a better diagram among the trees: the optimum over them is quickly found."""
        depth = self._standing.problem.skeleton.depth
        self._workshop.kernel.forget()
        for levels in TREE_LEVELS:
            if levels <= min(depth, self._workshop.levels) and self._standing.open_counts:
                best_tree(self._standing, self._workshop, levels, self._budget.share(TREE_SHARE))
        self._workshop.kernel.forget()

    def _cost_to_beat(self, shape: Shape) -> float:
        return self._standing.budget_for(sum(shape), self._workshop.items)

    def _bound(self, shape: Shape) -> float:
        """Return the largest own cost known to be needed by all diagrams of a shape."""
        return max(self._shape_bound.get(shape, 0.0), self._tree_bound[pattern_of(shape)])

    def _open(self) -> Iterator[tuple[float, Shape]]:
        """Yield the shapes that might hold something better, with what their bounds fall short by."""
        for shape in self._shapes:
            missing = self._cost_to_beat(shape) - self._bound(shape)
            if missing > self._workshop.noise:
                yield missing, shape

    def _relax(self) -> None:
        """Bound the patterns of all open shapes by trees."""
        for _, shape in self._open():
            pattern = pattern_of(shape)
            if self._budget.expired:
                return
            if pattern in self._bounded or len(shape) > self._workshop.levels:
                continue
            prices = np.zeros(len(shape))
            single = np.array([0, *(int(width == 1) for width in pattern)], dtype=np.int32)
            cutoff = self._cost_to_beat(shape)
            bound, _ = self._workshop.bound(prices, single, cutoff, self._budget)
            if not self._workshop.is_done:
                return
            self._bounded.add(pattern)
            for other in self._tree_bound:
                if covers(pattern, other):
                    self._tree_bound[other] = max(self._tree_bound[other], bound)

    def _search(self, share: float) -> None:
        """Search the open shapes, those that fall short least first, each for a share of the time left."""
        for _, shape in sorted(self._open()):
            if self._budget.expired:
                return
            if pattern_of(shape) not in self._bounded or max(shape) > MOST_WIDTH:
                continue
            self._search_shape(shape, self._budget.share(share))

    def _search_shape(self, shape: Shape, budget: Budget) -> None:
        """Search one shape until it holds nothing better or its time is up."""
        while not budget.expired:
            cutoff = self._cost_to_beat(shape)
            found = self._workshop.search(shape, cutoff, budget)
            if found is None:
                if self._workshop.is_done:
                    self._shape_bound[shape] = cutoff
                return
            diagram = diagram_of(self._standing.problem, self._workshop.items, found)
            if not self._standing.offer(diagram):
                return

    def _raise_floors(self) -> None:
        standing, items = self._standing, self._workshop.items
        least: dict[int, float] = {}
        for shape in self._shapes:
            count = sum(shape)
            least[count] = min(least.get(count, np.inf), self._bound(shape) - self._workshop.noise)
        for count, own in least.items():
            standing.raise_cost(count, items.total(own))
        standing.tell()
