"""The kernel at work: in a thread of its own, so that the keyboard is heard and the clock is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.decode import Heap, Layers
from oddlearn.solve.branch_and_bound.layer_widths import Pattern, Shape
from oddlearn.solve.branch_and_bound.weighted_items import Items
from oddlearn.solve.budget import Budget

Result = TypeVar("Result")

LONGEST_SECONDS = 1e9

# entries of the memory of bounds: 48 bytes each
LOG_MEMORY = 20

# how much more than needed is proved of one side of a cut with three levels, as a share of all cost, so that
# more similar sets are ruled out by it; see the kernel for other numbers of levels
SLACK = 0.03

# differences of costs below this share of all cost are noise
NOISE = 1e-14


class Workshop:
    """A kernel for one problem, and the items it works on: all of them, unless some are given."""

    def __init__(
        self,
        problem: TrainingProblem,
        levels: int,
        seed: int,
        items: Items | None = None,
        log_memory: int | None = None,
    ) -> None:
        self.items = items = Items.of(problem) if items is None else items
        self.levels = levels
        self._tree_only = problem.skeleton.tree_only
        # of searches: the cutoff, and the cuts of the root that were looked at to the end
        self._passed: dict[Shape, tuple[float, list[tuple[int, int, int]]]] = {}
        total = float(items.base.sum())
        self.tolerance = NOISE * total
        words = np.random.default_rng(seed).integers(0, 2**64, (2, items.row.size), dtype=np.uint64)
        self.kernel = DiagramSolver(
            items,
            words,
            problem.data.n_classes,
            levels,
            LOG_MEMORY if log_memory is None else log_memory,
            SLACK * total,
            self.tolerance,
        )

    def noise(self, levels: int) -> float:
        """Return what counts as noise in a tree of so many levels: that of all its nodes may add up."""
        return 2.0**levels * self.tolerance

    def bound(
        self, prices: FloatArray, single: NDArray[np.int32], cutoff: float, budget: Budget
    ) -> tuple[float, bool]:
        """Bound the trees of all items; see the kernel."""
        return self._do(lambda seconds: self.kernel.bound(prices, single, cutoff, seconds), budget)

    def tree(self, value: float, budget: Budget) -> Heap:
        """Return the tree whose value the last bound was, empty when time is short."""
        return self._do(lambda seconds: self.kernel.tree(value, seconds), budget)

    def search(self, shape: Sequence[int], cutoff: float, budget: Budget) -> Layers | None:
        """Look for a diagram of a shape that costs less than the cutoff; see the kernel.

        A search that is cut short goes on where it was left, if the cutoff has not grown.
        """
        widths, tree_only, key = np.array(shape, dtype=np.int32), self._tree_only, tuple(shape)
        before, marks = self._passed.get(key, (cutoff, []))
        marks = marks if cutoff <= before else []
        settled = np.array(marks, dtype=np.int32).reshape(-1, 3)
        found = self._do(
            lambda seconds: self.kernel.search(widths, tree_only, cutoff, seconds, settled), budget
        )
        self._passed[key] = (cutoff, [*marks, *self.kernel.finished_root_splits()])
        return found

    def _do(self, work: Callable[[float], Result], budget: Budget) -> Result:
        """Call ``work`` with the seconds it has; a KeyboardInterrupt stops the kernel and is passed on."""
        self.kernel.clear_stop()
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(work, min(budget.remaining(), LONGEST_SECONDS))
            try:
                wait([job])
            except KeyboardInterrupt:
                self.kernel.stop()
                raise
            return job.result()

    @property
    def is_done(self) -> bool:
        """True when the last piece of work was not cut short."""
        return not self.kernel.is_stopped


def levels_of(pattern: Pattern) -> tuple[FloatArray, NDArray[np.int32]]:
    """Return the prices of a pattern's levels, none, and which of them are single; see the kernel."""
    single = np.array([0, *(int(width == 1) for width in pattern)], dtype=np.int32)
    return np.zeros(single.size), single
