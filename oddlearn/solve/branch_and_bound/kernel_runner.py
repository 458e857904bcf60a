"""Calls of the kernel, long ones in a thread so that Ctrl-C is handled while it runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.decode import HeapOrderedTree, Layers
from oddlearn.solve.branch_and_bound.layer_widths import LayerWidths, TreeRelaxation
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget

Result = TypeVar("Result")

# an unlimited budget has inf seconds, which the kernel's clock does not take
MAX_SECONDS = 1e9

# a unit of the kernel's work, measured on the paper's data sets: between a tenth and three times this
SECONDS_PER_WORK = 1.4e-9

# calls of up to so many seconds of work run without a thread: starting one takes a millisecond, and Ctrl-C
# can wait
MAX_WORK_WITHOUT_THREAD = 0.05

# the transposition table has 2 ** LOG_ENTRIES entries of 48 bytes
LOG_ENTRIES = 20

# for a side of a split with three levels below it, this share of all cost is proved beyond the cutoff: the
# larger bound rules out more similar sets; see the kernel for other numbers of levels
SIDE_SLACK = 0.03

# differences of costs up to this share of all cost are rounding errors
RELATIVE_ROUNDING = 1e-14


class Kernel(Protocol):
    """A kernel that can be stopped and counts its work."""

    @property
    def work(self) -> float:
        """Work done so far, in units of about a nanosecond."""
        ...

    def stop(self) -> None:
        """End the present call soon, or the next one."""
        ...

    def clear_stop(self) -> None:
        """Take back a stop."""
        ...

    def limit_work(self, max_work: float) -> None:
        """Stop the next calls after so much more work."""
        ...


def run_kernel(kernel: Kernel, call: Callable[[float], Result], budget: Budget) -> Result:
    """Run a call with the seconds that are left; on KeyboardInterrupt stop the kernel and raise it."""
    kernel.clear_stop()
    kernel.limit_work(budget.remaining_work() / SECONDS_PER_WORK + 1)  # 1: rounding
    before = kernel.work
    if budget.remaining_work() <= MAX_WORK_WITHOUT_THREAD:
        result = call(min(budget.remaining(), MAX_SECONDS))
        budget.spend((kernel.work - before) * SECONDS_PER_WORK)
        return result
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call, min(budget.remaining(), MAX_SECONDS))
        try:
            wait([future])
        except KeyboardInterrupt:
            kernel.stop()
            raise
        budget.spend((kernel.work - before) * SECONDS_PER_WORK)
        return future.result()


class KernelRunner:
    """A kernel and the items it works on: those of all rows, unless others are given.

    Costs are in units of the items; see ``WeightedItems``.
    """

    def __init__(
        self,
        problem: TrainingProblem,
        levels: int,
        seed: int,
        items: WeightedItems | None = None,
        log_entries: int | None = None,
    ) -> None:
        self.items = items = WeightedItems.from_problem(problem) if items is None else items
        self.levels = levels
        self._tree_only = problem.skeleton.tree_only
        # cutoff and finished root splits of earlier searches
        self._finished: dict[LayerWidths, tuple[float, list[tuple[int, int, int]]]] = {}
        total = float(items.base.sum())
        self.tolerance = RELATIVE_ROUNDING * total
        hash_words = np.random.default_rng(seed).integers(0, 2**64, (2, items.row.size), dtype=np.uint64)
        self.kernel = DiagramSolver(
            items,
            hash_words,
            problem.data.n_classes,
            levels,
            LOG_ENTRIES if log_entries is None else log_entries,
            SIDE_SLACK * total,
            self.tolerance,
        )

    def max_rounding(self, levels: int) -> float:
        """Return the rounding error of a tree with so many levels: the sum of those of its nodes."""
        return 2.0**levels * self.tolerance

    def bound(
        self, prices: FloatArray, max_one_child: NDArray[np.int32], cutoff: float, budget: Budget
    ) -> tuple[float, bool]:
        """Return a bound on the cost of the best tree, and whether it is exact; see the kernel."""
        return self._run(lambda seconds: self.kernel.bound(prices, max_one_child, cutoff, seconds), budget)

    def tree(self, value: float, budget: Budget) -> HeapOrderedTree:
        """Return the tree of the last bound, whose exact cost is given; empty when time is short."""
        return self._run(lambda seconds: self.kernel.tree(value, seconds), budget)

    def search(self, widths: LayerWidths, cutoff: float, budget: Budget) -> Layers | None:
        """Search for a diagram with the given layer widths that costs less than the cutoff; see the kernel.

        A search that ran out of time is resumed if the cutoff has not grown since.
        """
        last_cutoff, finished = self._finished.get(widths, (cutoff, []))
        finished = finished if cutoff <= last_cutoff else []
        keys = np.array(finished, dtype=np.int32).reshape(-1, 3)
        layers = np.array(widths, dtype=np.int32)
        found = self._run(
            lambda seconds: self.kernel.search(layers, self._tree_only, cutoff, seconds, keys), budget
        )
        self._finished[widths] = (cutoff, [*finished, *self.kernel.finished_root_splits()])
        return found

    def _run(self, call: Callable[[float], Result], budget: Budget) -> Result:
        return run_kernel(self.kernel, call, budget)

    @property
    def is_done(self) -> bool:
        """True when the last call was not stopped by the deadline or by Ctrl-C."""
        return not self.kernel.is_stopped


def relaxation_arrays(relaxation: TreeRelaxation) -> tuple[FloatArray, NDArray[np.int32]]:
    """Return the kernel's arguments for a tree relaxation: prices of 0, and ``max_one_child`` per level."""
    max_one_child = np.array([0, *(int(width == 1) for width in relaxation)], dtype=np.int32)
    return np.zeros(max_one_child.size), max_one_child
