"""What the ablation runs: searches, proofs of diagrams and proofs of trees by price, each without a part."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from _ablation_tasks import Task

from oddlearn.kernels.branch_and_bound import price_sets, row_sets
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.kernels.branch_and_bound.price_solver import PriceTreeSolver
from oddlearn.kernels.local_search import search_table
from oddlearn.kernels.local_search.search import SearchThread
from oddlearn.solve.branch_and_bound import diagram_proof, kernel_runner, price_proof, weighted_items
from oddlearn.solve.branch_and_bound.price_proof import PriceProof
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search import search_threads
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState

# a proof without a part is given up after so many times the seconds with it
MAX_RATIO = 5.0

# of the search before a proof
FIRST_ITERATIONS = 300

# between two looks at the objective of a search
LOOK_SECONDS = 0.005

FOREVER = 2**62

# constants that turn a part of the branch and bound off
CONSTANTS: dict[str, tuple[ModuleType, str, Any]] = {
    "int16_lanes": (weighted_items, "MAX_INT16_SUM", 0),
    "side_slack": (kernel_runner, "SIDE_SLACK", 0.0),
    "trees_first": (diagram_proof, "TREE_LEVELS", ()),
    "row_subsets": (diagram_proof, "MIN_ROWS", FOREVER),
}

PROOF_SWITCHES = (
    "nothing", "TRANSPOSITION_TABLE", "SIMILARITY_CACHE", "DOMINATED_SPLITS", "SHARED_BATCHES",
    "PAIRED_STUMPS", "CANDIDATES", "LARGEST_TIE", "NEIGHBOUR_BOUNDS", "RANGE_BOUNDS", "WHOLE_TWO_LEVELS",
    "CLASS_BOUNDS", *CONSTANTS,
)  # fmt: skip

PRICE_SWITCHES = (
    "nothing", "BOUND_CACHE", "MONOTONE_BOUNDS", "LIPSCHITZ_BOUNDS", "MIN_SUPPORT", "BUDGET_SLACK",
    "PARENT_BOUNDS", "COLUMN_SKIP", "SIMILAR_SETS", "TWO_NODES", "CLASS_BOUNDS", "sets_as_bits",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """Seconds of the processor, iterations or calls of the vector code, and the objective."""

    seconds: float
    count: int
    objective: float


def flag(module: ModuleType, switch: str) -> int:
    """Return the bit of a switch, 0 for one that is none of the kernel's."""
    return int(getattr(module, switch, 0))


class Search:
    """Searches on one problem."""

    def __init__(self, task: Task) -> None:
        self.task, self.problem = task, task.problem()
        self.table = table = SearchTable.from_problem(self.problem)
        is_plain = task.split == "univariate" and task.variant != "min_flow"
        is_used = {
            "nothing": True, "NO_IMPROVEMENT_CACHE": True, "FEW_MEMBERS": True,
            "NARROW_LAYERS": True, "bins": table.n_bins.any(), "RARE_BINS": table.n_bins.any(),
            "SPLIT_CACHE": task.variant != "min_flow",
            "TRIED_HYPERPLANES": task.split == "multivariate",
            "CACHED_NODE_PROBLEMS": is_plain,
            "INT16_BOUNDS": is_plain and table.tied_with_next.size,
            "FOUR_LANES": is_plain and table.tied_with_next.size,
            "LABEL_SUMS": is_plain and table.label.size,
            "TARGET_ELIMINATION": is_plain and self.problem.data.n_classes > 2,
        }  # fmt: skip
        self.switches = [switch for switch, is_of_use in is_used.items() if is_of_use]

    def thread(self, switch: str, seed: int) -> SearchThread:
        """Return a thread of the search without a part."""
        table = self.table
        if switch == "bins":
            table = replace(table, n_bins=np.zeros_like(table.n_bins))
        kernel = partial(SearchThread, disabled=flag(search_table, switch))
        with changed(search_threads, "SearchThread", kernel):
            return MultiStart.create(self.problem, table, seed, 1).threads[0]

    def run(self, switch: str, repeat: int) -> Run:
        """Search for a number of iterations; each repeat has a seed of its own."""
        thread = self.thread(switch, repeat)
        began = time.thread_time()
        thread.run(math.inf, math.inf, self.task.iterations, FOREVER, -math.inf)
        return Run(time.thread_time() - began, thread.iterations, thread.objective)

    def improvements(self, switch: str, seed: int, seconds: float) -> list[tuple[float, float]]:
        """Return when the best objective fell, and to what, in so many seconds of the processor."""
        thread, found = self.thread(switch, seed), [(0.0, math.inf)]
        began = time.thread_time()
        while (now := time.thread_time() - began) < seconds:
            if thread.objective < found[-1][1]:
                found.append((now, thread.objective))
            thread.run(math.inf, LOOK_SECONDS, FOREVER, FOREVER, -math.inf)
        return found


class Proof:
    """Proofs of one problem, all from the diagram of the same short search."""

    switches = PROOF_SWITCHES

    def __init__(self, task: Task) -> None:
        self.problem = task.problem()
        search = MultiStart.create(self.problem, SearchTable.from_problem(self.problem), 0, 1)
        search.threads[0].run(math.inf, math.inf, FIRST_ITERATIONS, FOREVER, -math.inf)
        self.state = SolveState.initial(self.problem, search.diagram())
        self.limit = math.inf

    def run(self, switch: str, _: int) -> Run:
        """Prove the optimum; the objective is nan if that was given up."""
        constant = CONSTANTS.get(switch, (kernel_runner, "SIDE_SLACK", kernel_runner.SIDE_SLACK))
        kernel = partial(DiagramSolver, disabled=flag(row_sets, switch))
        with changed(kernel_runner, "DiagramSolver", kernel), changed(*constant), stopped_after(self.limit):
            began = time.process_time()
            state = BranchAndBound().run(self.state, Budget.of(None), ignore)
            seconds = time.process_time() - began
        if switch == "nothing":
            self.limit = MAX_RATIO * seconds
        proof = state.evidence[-1]
        is_done = not state.unresolved_node_counts
        return Run(seconds, proof.nodes or 0, state.objective if is_done else math.nan)


class PriceTrees(Proof):
    """Proofs of the best tree of any depth, by the price of its nodes."""

    switches = PRICE_SWITCHES

    def run(self, switch: str, _: int) -> Run:
        """Prove the optimum; the objective is nan if that was given up."""
        kernel = partial(_disable, flag(price_sets, switch))
        progress = ProofProgress(self.state, Budget.of(None), ignore)
        packed = price_proof.PackedItems
        pack = _pack_nothing if switch == "sets_as_bits" else packed.from_items
        with (
            changed(price_proof, "PriceTreeSolver", kernel),
            changed(packed, "from_items", pack),
            stopped_after(self.limit),
        ):
            proof = PriceProof(self.problem, 0)
            began = time.process_time()
            with suppress(KeyboardInterrupt):
                proof.run(progress, Budget.of(None))
            seconds = time.process_time() - began
        if switch == "nothing":
            self.limit = MAX_RATIO * seconds
        objective = progress.objective_to_beat if proof.is_finished else math.nan
        return Run(seconds, proof.n_evaluated, objective)


def _disable(switches: int, *given: Any, disabled: int, packed: Any) -> PriceTreeSolver:  # noqa: ANN401
    """Return the kernel with more of its parts turned off."""
    return PriceTreeSolver(*given, disabled=disabled | switches, packed=packed)


def _pack_nothing(*_: object) -> None:
    """Let sets of rows be lists, not bits."""


@contextmanager
def changed(module: ModuleType | type, name: str, value: object) -> Iterator[None]:
    """Give a name of a module another value meanwhile."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Press Ctrl-C after so many seconds of the processor, and again each second."""
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    if seconds < math.inf:
        signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
