"""Optimal trees by the price of their nodes: bounds on the trees of any depth."""

from __future__ import annotations

import numpy as np

from oddlearn.kernels.branch_and_bound.price_sets import SIMILAR_SETS, TWO_NODES
from oddlearn.kernels.branch_and_bound.price_solver import PriceTreeSolver
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.decode import KernelNode, decode_diagram
from oddlearn.solve.branch_and_bound.kernel_options import MemoryLimit
from oddlearn.solve.branch_and_bound.kernel_runner import (
    SECONDS_PER_WORK_OF_FEW,
    estimate_seconds_per_work,
    run_kernel,
)
from oddlearn.solve.branch_and_bound.packed_items import PackedItems
from oddlearn.solve.branch_and_bound.price_items import MAX_BUDGET, PriceItems
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.budget import Budget

# the cache has up to 2 ** LOG_ENTRIES entries of 32 bytes: 67 MB
LOG_ENTRIES, BYTES_PER_ENTRY = 21, 32

# the last step of a proof raises the bound by up to so many prices, or by this share of what is to be proved:
# a step repeats most of the one before. Half and a little, so that it is the second: five fits of 3 to 21 s
# took 0.7 to 0.85 of the time that they took with 0.3. In one step they were as fast, with bounds of half as
# much where they were ended early
MAX_PRICES_AT_ONCE, MAX_LAST_SHARE = 3, 0.51

# where the price is less than so many units, the parts of the kernel for two nodes and for similar sets cost
# more time than they save: 10.5 s instead of 6.6 on habermans-survival at 0.005, where it is 0.77
MIN_UNITS_PER_PRICE = 2

# of the sets of rows on one path of the search
MAX_BYTES = 2**30


class PriceProof:
    """Bounds on the trees of any depth, kept between runs by the kernel.

    The best of all trees is a lower bound for those of a skeleton, and the best of them if it fits.

    Attributes
    ----------
    is_finished : bool
        True when the best tree is known, or when nothing more can be proved.
    obstacle : str
        What ended the proof for good, as a clause; "" if nothing did.
    """

    def __init__(self, problem: TrainingProblem, seed: int, memory: MemoryLimit | None = None) -> None:
        memory = MemoryLimit() if memory is None else memory
        # half of what is left, at most, so that the proof by levels has room, too
        self._max_bytes = min(MAX_BYTES, memory.n_left // 2 - BYTES_PER_ENTRY * 2**LOG_ENTRIES)
        self._items = items = PriceItems.from_problem(problem)
        self._kernel: PriceTreeSolver | None = None
        self._seconds_per_work = SECONDS_PER_WORK_OF_FEW
        # integer costs: a lower bound, and the best tree that was found
        self._lower, self._upper = 0, MAX_BUDGET
        self.obstacle = ""
        if self._max_bytes <= 0:
            self.obstacle = f"the search by price needs more than half of {memory} of memory"
        elif items is not None and items.features.size:
            memory.reserve(self._max_bytes + BYTES_PER_ENTRY * 2**LOG_ENTRIES)
            n = items.label.size
            hash_words = np.random.default_rng(seed).integers(0, 2**64, (2, n), dtype=np.uint64)
            n_classes = problem.data.n_classes
            packed = PackedItems.from_items(items, n_classes)
            is_low = items.price < MIN_UNITS_PER_PRICE * items.unit
            # sets as bits are solved faster than they are compared: 0.6 of the time on six tables
            disabled = SIMILAR_SETS | TWO_NODES if is_low or packed is not None else 0
            if packed is None:
                self._seconds_per_work = estimate_seconds_per_work(items.items)
            self._kernel = PriceTreeSolver(
                items, hash_words, n_classes, LOG_ENTRIES, self._max_bytes, disabled=disabled, packed=packed
            )
        self.is_finished = self._kernel is None

    @property
    def n_evaluated(self) -> int:
        """Splits that were evaluated."""
        return 0 if self._kernel is None else self._kernel.counts[1]

    def run(self, progress: ProofProgress, budget: Budget) -> None:
        """Tighten the bound of all trees, price by price; offer the best tree once it is known."""
        while not self.is_finished and not budget.expired:
            if not self._raise_bound(progress, budget):
                return

    def _raise_bound(self, progress: ProofProgress, budget: Budget) -> bool:
        """Raise the bound by some prices, or to the best tree; return False when out of time."""
        kernel, items, problem = self._kernel, self._items, progress.problem
        if kernel is None or items is None:
            return False
        to_beat = progress.objective_to_beat * problem.total_weight
        most = items.budget_of(to_beat)
        # a tree that was found, too deep for the skeleton perhaps, limits the cost of the best
        limit = min(most, self._upper + 1)
        # half of what is left, or all of it if that is little: bounds rise on the way, few steps repeat less
        left = limit - self._lower
        is_last = left <= max(MAX_PRICES_AT_ONCE * items.price, MAX_LAST_SHARE * limit)
        step = limit if is_last else self._lower + left // 2
        lower, upper = run_kernel(
            kernel, lambda seconds: kernel.bound(step, seconds), budget, self._seconds_per_work
        )
        self._lower, self._upper = max(self._lower, lower), min(self._upper, upper)
        self._record_obstacle(kernel.stop_reason)
        cost = min(items.lower_cost(lower), to_beat)
        progress.tighten_objective(problem.skeleton.n_nodes, cost / problem.total_weight)
        progress.emit_bound()
        if kernel.is_stopped:
            return False
        is_known = lower == upper and self._offer_tree(progress, upper < most, budget)
        self.is_finished = is_known or lower >= limit
        return not kernel.is_stopped

    def _record_obstacle(self, stop_reason: str) -> None:
        if stop_reason in ("memory", "depth"):
            self.is_finished = True
            memory = f"needs more than {self._max_bytes / 2**30:.3g} GB"
            clause = memory if stop_reason == "memory" else "met trees too deep for it"
            self.obstacle = f"the search by price {clause}"

    def _offer_tree(self, progress: ProofProgress, is_better: bool, budget: Budget) -> bool:
        """Offer the best tree if it is better; return False when out of time.

        One that is too deep for the skeleton is refused.
        """
        kernel, items = self._kernel, self._items
        if kernel is None or items is None or not is_better:
            return True
        nodes = run_kernel(kernel, kernel.tree, budget, self._seconds_per_work)
        if kernel.is_stopped:
            return False
        if nodes:
            progress.offer(decode_diagram(progress.problem, items.items, _list_layers(nodes, items)))
        return True


def _list_layers(nodes: list[tuple[int, int, int, int]], items: PriceItems) -> list[list[KernelNode]]:
    """Return the nodes of a tree, given with the places of their sides, layer by layer."""
    layers: list[list[KernelNode]] = []
    places = [0]
    while places:
        below = [side for place in places for side in nodes[place][2:] if side >= 0]
        number = {place: target for target, place in enumerate(below)}
        layers.append(
            [
                (int(items.features[feature]), rank, number.get(negative, -1), number.get(positive, -1))
                for feature, rank, negative, positive in (nodes[place] for place in places)
            ]
        )
        places = below
    return layers
