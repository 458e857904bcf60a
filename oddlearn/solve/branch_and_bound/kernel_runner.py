"""Calls of the kernel, long ones in a thread so that Ctrl-C is handled while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.decode import HeapOrderedTree, Layers
from oddlearn.solve.branch_and_bound.kernel_options import KernelOptions, MemoryLimitError
from oddlearn.solve.branch_and_bound.layer_widths import LayerWidths, TreeRelaxation
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget

Result = TypeVar("Result")

# an unlimited budget has inf seconds, which the kernel's clock does not take
MAX_SECONDS = 1e9

# a unit of the kernel's work, measured on the paper's data sets: between a tenth and three times this
SECONDS_PER_WORK = 1.4e-9

# ... where at most this share of the places between sorted values are splits, as in columns of 0 and 1: by
# levels 0.24e-9 to 0.73e-9 on nine such tables, by price 0.52e-9 to 1.4e-9 on four
MAX_SHARE_OF_FEW, SECONDS_PER_WORK_OF_FEW = 0.05, 0.5e-9

# calls of up to so many seconds of work run without a thread: starting one takes a millisecond, and Ctrl-C
# can wait
MAX_WORK_WITHOUT_THREAD = 0.05

# trees and diagrams of so many levels are divided among kernels: those of fewer take milliseconds
MIN_LEVELS_IN_PARTS = 3

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


def run_kernel(
    kernel: Kernel, call: Callable[[float], Result], budget: Budget, seconds_per_work: float
) -> Result:
    """Run a call with the seconds that are left; on KeyboardInterrupt stop the kernel and raise it."""
    return run_kernels([kernel], [call], budget, seconds_per_work)[0]


def run_kernels(
    kernels: Sequence[Kernel],
    calls: Sequence[Callable[[float], Result]],
    budget: Budget,
    seconds_per_work: float,
) -> list[Result]:
    """Run a call of each kernel, each in a thread and with all the work that is left.

    What counts as work is the most that one of them has done: it depends on the problem alone, as each kernel
    works on its own.
    """
    for kernel in kernels:
        kernel.clear_stop()
        kernel.limit_work(budget.remaining_work() / seconds_per_work + 1)  # 1: rounding
    before = [kernel.work for kernel in kernels]
    seconds = min(budget.remaining(), MAX_SECONDS)
    if len(kernels) == 1 and budget.remaining_work() <= MAX_WORK_WITHOUT_THREAD:
        results = [calls[0](seconds)]
    else:
        results = _run_in_threads(kernels, calls, seconds)
    done = max(kernel.work - start for kernel, start in zip(kernels, before, strict=True))
    budget.spend(done * seconds_per_work)
    return results


def _run_in_threads(
    kernels: Sequence[Kernel], calls: Sequence[Callable[[float], Result]], seconds: float
) -> list[Result]:
    with ThreadPoolExecutor(len(kernels)) as pool:
        futures = [pool.submit(call, seconds) for call in calls]
        try:
            wait(futures)
        except KeyboardInterrupt:
            for kernel in kernels:
                kernel.stop()
            raise
        return [future.result() for future in futures]


def estimate_seconds_per_work(items: WeightedItems) -> float:
    """Return the seconds of a unit of work of the kernel, by how often a column changes its value."""
    n_splits = sum(values.size - 1 for values in items.values)
    return SECONDS_PER_WORK_OF_FEW if n_splits <= MAX_SHARE_OF_FEW * items.rank.size else SECONDS_PER_WORK


class KernelRunner:
    """Kernels and the items they work on: those of all rows, unless others are given.

    Costs are in units of the items; see ``WeightedItems``. With several threads each has a kernel of its own,
    with its own caches and a part of the splits of the root. Results are put together when all have ended:
    the same whatever the timing, and the same as those of one kernel.
    """

    def __init__(
        self,
        problem: TrainingProblem,
        levels: int,
        seed: int,
        items: WeightedItems | None = None,
        log_entries: int | None = None,
        options: KernelOptions | None = None,
    ) -> None:
        self.items = items = WeightedItems.from_problem(problem) if items is None else items
        self.levels = levels
        self.seconds_per_work = estimate_seconds_per_work(items)
        self.options = options = KernelOptions() if options is None else options
        self._tree_only = problem.skeleton.tree_only
        # cutoff and finished root splits of earlier searches
        self._finished: dict[LayerWidths, tuple[float, list[tuple[int, int, int]]]] = {}
        total = float(items.base.sum())
        self.tolerance = RELATIVE_ROUNDING * total
        self._hash_words = np.random.default_rng(seed).integers(
            0, 2**64, (2, items.row.size), dtype=np.uint64
        )
        self._n_classes = problem.data.n_classes
        self._log_entries = LOG_ENTRIES if log_entries is None else log_entries
        self._side_slack = SIDE_SLACK * total
        self._kernels: list[DiagramSolver] = []
        self._n_kernels = options.n_jobs
        self._add_kernel()
        # the kernels of the last call, and the one that has its result
        self._running = self._kernels[:1]
        self.kernel = self._kernels[0]

    def _add_kernel(self) -> None:
        """Build one more kernel; raise MemoryLimitError if there is too little memory for it."""
        try:
            kernel = DiagramSolver(
                self.items,
                self._hash_words,
                self._n_classes,
                self.levels,
                self._log_entries,
                self._side_slack,
                self.tolerance,
                max_bytes=self.options.memory.n_left,
            )
        except MemoryError:
            raise MemoryLimitError from None
        self.options.memory.register(kernel)
        self._kernels.append(kernel)

    def _select_kernels(self, levels: int, budget: Budget) -> list[DiagramSolver]:
        """Return the kernels of the next call: one if the work or the levels are few."""
        if levels < MIN_LEVELS_IN_PARTS or budget.remaining_work() <= MAX_WORK_WITHOUT_THREAD:
            return self._kernels[:1]
        while len(self._kernels) < self._n_kernels:
            try:
                self._add_kernel()
            except MemoryLimitError:
                self._n_kernels = len(self._kernels)
        return self._kernels

    def max_rounding(self, levels: int) -> float:
        """Return the rounding error of a tree with so many levels: the sum of those of its nodes."""
        return 2.0**levels * self.tolerance

    def clear_bounds(self) -> None:
        """Stop using the bounds that were stored so far: needed when prices change."""
        for kernel in self._kernels:
            kernel.clear_bounds()

    def bound(
        self, prices: FloatArray, max_one_child: NDArray[np.int32], cutoff: float, budget: Budget
    ) -> tuple[float, bool]:
        """Return a bound on the cost of the best tree, and whether it is exact; see the kernel."""
        kernels = self._select_kernels(prices.size, budget)
        results = self._run(
            kernels, lambda kernel, seconds: kernel.bound(prices, max_one_child, cutoff, seconds), budget
        )
        # the first feature of those with the least value: as in one kernel; a leaf comes before all splits
        keys = [
            (value, not exact, kernel.root_key[1])
            for (value, exact), kernel in zip(results, kernels, strict=True)
        ]
        best = keys.index(min(keys))
        self.kernel = kernels[best]
        return results[best]

    def tree(self, value: float, budget: Budget) -> HeapOrderedTree:
        """Return the tree of the last bound, whose exact cost is given; empty when time is short."""
        kernel = self.kernel
        return run_kernel(kernel, lambda seconds: kernel.tree(value, seconds), budget, self.seconds_per_work)

    def search(self, widths: LayerWidths, cutoff: float, budget: Budget) -> Layers | None:
        """Search for a diagram with the given layer widths that costs less than the cutoff; see the kernel.

        A search that ran out of time is resumed if the cutoff has not grown since.
        """
        last_cutoff, finished = self._finished.get(widths, (cutoff, []))
        finished = finished if cutoff <= last_cutoff else []
        keys = np.array(finished, dtype=np.int32).reshape(-1, 3)
        layers = np.array(widths, dtype=np.int32)
        kernels = self._select_kernels(len(widths), budget)
        results = self._run(
            kernels,
            lambda kernel, seconds: kernel.search(layers, self._tree_only, cutoff, seconds, keys),
            budget,
        )
        more = [key for kernel in kernels for key in kernel.finished_root_splits()]
        self._finished[widths] = (cutoff, [*finished, *more])
        found = [place for place, result in enumerate(results) if result is not None]
        if not found:
            return None
        first = min(found, key=lambda place: kernels[place].root_key)
        self.kernel = kernels[first]
        return results[first]

    def _run(
        self,
        kernels: list[DiagramSolver],
        call: Callable[[DiagramSolver, float], Result],
        budget: Budget,
    ) -> list[Result]:
        """Run a call of each kernel, each on its part of the splits of the root."""
        self._running = kernels
        self.options.memory.divide(list(kernels))
        for part, kernel in enumerate(kernels):
            kernel.set_part(part, len(kernels))
        calls = [partial(call, kernel) for kernel in kernels]
        results = run_kernels(kernels, calls, budget, self.seconds_per_work)
        if any(kernel.is_out_of_memory for kernel in kernels):
            raise MemoryLimitError
        return results

    @property
    def sweeps(self) -> int:
        """Passes over sets of rows."""
        return sum(kernel.sweeps for kernel in self._kernels)

    @property
    def is_done(self) -> bool:
        """True when the last call was not stopped by the deadline or by Ctrl-C."""
        return not any(kernel.is_stopped for kernel in self._running)


def relaxation_arrays(relaxation: TreeRelaxation) -> tuple[FloatArray, NDArray[np.int32]]:
    """Return the kernel's arguments for a tree relaxation: prices of 0, and ``max_one_child`` per level."""
    max_one_child = np.array([0, *(int(width == 1) for width in relaxation)], dtype=np.int32)
    return np.zeros(max_one_child.size), max_one_child
