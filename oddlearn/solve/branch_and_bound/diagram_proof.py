"""Optimal diagrams: each shape refuted by a tree that costs no more, or else searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_WIDTH
from oddlearn.solve.branch_and_bound.decode import diagram_of
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop, levels_of
from oddlearn.solve.branch_and_bound.layer_widths import Pattern, Shape, covers, pattern_of, shapes
from oddlearn.solve.branch_and_bound.optimal_trees import best_tree
from oddlearn.solve.branch_and_bound.proof_progress import Standing
from oddlearn.solve.branch_and_bound.row_subsets import LEAST_ROWS, Core, Cores, hardest_first
from oddlearn.solve.budget import Budget

# shapes looked at; skeletons with many nodes have too many
MOST_SHAPES = 5000

# trees of these many levels are tried first for a better diagram, each with this share of the time
TREE_LEVELS = (3, 4)
TREE_SHARE = 0.08

# shares of the time left that each shape may take, round by round
SEARCH_SHARES = (0.02, 0.1, 0.5, 1.0)

# the trees of a pattern may take this share of the time left, up to so many seconds, before rows are weighed
# for a core; on a core they may take this share
FIRST_SHARE, FIRST_SECONDS = 0.02, 1.0
CORE_SHARE = 0.7

# of the time left, to choose cores
CHOICE_SHARE = 0.3

# cores are of use where little is to be proved: a cutoff below this share of what one node may cost. They
# lose some of the cost, and near the optimum that is too much
CORE_CUTOFF = 0.45


@dataclass(frozen=True)
class Tally:
    """How many shapes there were, and how many are open: not refuted, or never looked at."""

    shapes: int
    open: int


class DiagramProof:
    """Bounds of shapes, and of the patterns that cover them; what was proved stays between two runs."""

    def __init__(self, standing: Standing, workshop: Workshop, seed: int) -> None:
        self._standing = standing
        self._workshop = workshop
        self._seed = seed
        self._cores: Cores | None = None
        self._has_time_for_cores = True
        self._budget = Budget.of(0.0)
        self._has_tried_trees = False
        self._shapes = list(self._listed())
        # own costs: of the best tree of each pattern at least, and below which a shape has no diagram
        self._tree_bound: dict[Pattern, float] = {pattern_of(shape): 0.0 for shape in self._shapes}
        self._shape_bound: dict[Shape, float] = {}
        self._bounded: set[Pattern] = set()

    def run(self, standing: Standing, budget: Budget) -> Tally:
        """Raise the bounds as far as the time allows."""
        self._standing, self._budget = standing, budget
        self._has_time_for_cores = True
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
        for count in self._standing.unresolved_node_counts:
            more = []
            for shape in shapes(count, widths, self._standing.limits.allows):
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
        self._workshop.kernel.clear_bounds()
        for levels in TREE_LEVELS:
            if levels <= min(depth, self._workshop.levels) and self._standing.unresolved_node_counts:
                best_tree(self._standing, self._workshop, levels, self._budget.share(TREE_SHARE))
        self._workshop.kernel.clear_bounds()

    def _cost_to_beat(self, shape: Shape) -> float:
        return self._standing.budget_for(sum(shape), self._workshop.items)

    def _bound(self, shape: Shape) -> float:
        """Return the largest own cost known to be needed by all diagrams of a shape."""
        return max(self._shape_bound.get(shape, 0.0), self._tree_bound[pattern_of(shape)])

    def _open(self) -> Iterator[tuple[float, Shape]]:
        """Yield the shapes that might hold something better, with what their bounds fall short by."""
        for shape in self._shapes:
            missing = self._cost_to_beat(shape) - self._bound(shape)
            if missing > self._workshop.noise(len(shape)):
                yield missing, shape

    def _relax(self) -> None:
        """Bound the patterns of all open shapes by trees."""
        for _, shape in self._open():
            if pattern_of(shape) in self._bounded or len(shape) > self._workshop.levels:
                continue
            if self._budget.expired or not self._relax_shape(shape):
                return

    def _relax_shape(self, shape: Shape) -> bool:
        """Bound the pattern of a shape, on a core if it is not easy; False when out of time."""
        pattern, cutoff = pattern_of(shape), self._cost_to_beat(shape)
        if self._cores is None and self._is_bounded(pattern, cutoff, self._first()):
            return True
        core = self._core_for(cutoff)
        if core is not None:
            bound = core.bound(pattern, cutoff, self._budget.share(CORE_SHARE))
            if bound >= cutoff - self._workshop.noise(len(shape)):
                self._note(pattern, bound)
                return True
        return self._is_bounded(pattern, cutoff, self._budget)

    def _is_bounded(self, pattern: Pattern, cutoff: float, budget: Budget) -> bool:
        bound, _ = self._workshop.bound(*levels_of(pattern), cutoff, budget)
        if self._workshop.is_done:
            self._note(pattern, bound)
        return self._workshop.is_done

    def _note(self, pattern: Pattern, bound: float) -> None:
        """Keep the bound of a pattern, which holds for all that it covers."""
        self._bounded.add(pattern)
        for other in self._tree_bound:
            if covers(pattern, other):
                self._tree_bound[other] = max(self._tree_bound[other], bound)

    def _first(self) -> Budget:
        """Return the time for what may be easy."""
        budget = self._budget.share(FIRST_SHARE)
        return budget if budget.remaining() < FIRST_SECONDS else Budget.of(FIRST_SECONDS)

    def _core_for(self, cutoff: float) -> Core | None:
        """Return a core for what is to be proved; the rows are weighed when it is first needed."""
        is_little = cutoff <= CORE_CUTOFF * self._cost_to_beat((1,))
        is_small = self._standing.problem.data.n_rows < LEAST_ROWS
        if not is_little or is_small or not self._has_time_for_cores:
            return None
        budget = self._budget.share(CHOICE_SHARE)
        if self._cores is None:
            problem, workshop = self._standing.problem, self._workshop
            gain = problem.cost.max(axis=1, keepdims=True) - problem.cost
            order = hardest_first(problem.data.X, gain, self._seed, budget)
            self._has_time_for_cores = not budget.expired
            if budget.expired:
                return None
            self._cores = Cores(problem, workshop.items, workshop.levels, self._seed, order)
        return self._cores.for_cutoff(cutoff, budget)

    def _search(self, share: float) -> None:
        """Search the open shapes, those that fall short least first, each for a share of the time left."""
        for _, shape in sorted(self._open()):
            if self._budget.expired:
                return
            if pattern_of(shape) not in self._bounded or max(shape) > MAX_WIDTH:
                continue
            if share > FIRST_SHARE and self._is_refuted_by_core(shape, self._budget.share(share)):
                continue
            self._search_shape(shape, self._budget.share(share))

    def _is_refuted_by_core(self, shape: Shape, budget: Budget) -> bool:
        cutoff = self._cost_to_beat(shape)
        core = self._core_for(cutoff)
        if core is None or not core.refutes(shape, cutoff, budget):
            return False
        self._shape_bound[shape] = cutoff
        return True

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
            bound = self._bound(shape) - self._workshop.noise(len(shape))
            least[count] = min(least.get(count, np.inf), bound)
        for count, own in least.items():
            standing.raise_cost(count, items.total(own))
        standing.tell()
