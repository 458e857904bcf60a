"""What does each cache, bound and vector path of the kernels gain? Each off, one at a time.

    python benchmarks/ablation.py search --rows benchmarks/results/ablation.csv      (resumes at any problem)
    python benchmarks/ablation.py proof --rows benchmarks/results/ablation.csv
    python benchmarks/ablation.py quality --rows benchmarks/results/ablation.csv
    python benchmarks/ablation.py table --rows benchmarks/results/ablation.csv       (prints the summary)

The gain of a part is the processor's seconds without it over those with it. Search: equal seeds and
iterations. Branch and bound: to the end of the proof, from the diagram of a short search; a proof that takes
MAX_RATIO times as long is given up, and counts as that. Every run without a part stands between two
runs with it; the gain of a problem is the median over the repeats. ``nothing`` turns nothing off: its gains
are the noise. What changes the search itself (``quality``) is judged by the seconds to an objective:
the median of what all runs of a problem, with the part and without it, reach in the same time.

A part that gains less than 10 % on every problem is to be deleted.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import math
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from _data import problem_of
from _store import Store

from oddlearn.constraints import MinFlow
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import SplitKind
from oddlearn.kernels.branch_and_bound import row_sets
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.kernels.local_search import search_table
from oddlearn.kernels.local_search.search import SearchThread
from oddlearn.problem.training_problem import TrainingProblem, build_problem
from oddlearn.solve.branch_and_bound import diagram_proof, kernel_runner, weighted_items
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search import search_threads
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState

# what gains less on every problem is to be deleted
MIN_GAIN = 1.1

# a proof without a part is given up after so many times the seconds with it
MAX_RATIO = 5.0

# of the search before a proof
FIRST_ITERATIONS = 300

# of a run for quality, and between two looks at its objective
QUALITY_SECONDS, LOOK_SECONDS = 1.0, 0.005
QUALITY_REPEATS = 6

# runs without a part between two with all parts
SWITCHES_AT_A_TIME = 3

# share of the samples at every node of a problem with minimum flows
MIN_FLOW = 0.05

FOREVER = 2**62

COLUMNS = (
    "kind", "switch", "dataset", "skeleton", "alpha", "split", "variant",
    "gain", "least", "most", "seconds", "count", "count_off", "same",
)  # fmt: skip
KEY = COLUMNS[:7]


@dataclass(frozen=True)
class Task:
    """A problem; the variant is "plain", "weighted", with costs that are no integers, or "min_flow"."""

    dataset: str
    skeleton: str
    alpha: float
    iterations: int = 0
    split: SplitKind = "univariate"
    variant: str = "plain"

    @property
    def key(self) -> tuple[str, ...]:
        return (self.dataset, self.skeleton, str(self.alpha), self.split, self.variant)

    def problem(self) -> TrainingProblem:
        """Return the problem on the training half of the data set."""
        is_tree = self.skeleton.startswith("tree-")
        depth = int(self.skeleton.removeprefix("tree-")) if is_tree else 0
        skeleton = Skeleton.tree(depth) if is_tree else Skeleton.parse(self.skeleton)
        problem = problem_of(self.dataset, skeleton, self.alpha, self.split)
        if self.variant == "min_flow":
            limits = [MinFlow(MIN_FLOW)]
            return build_problem(problem.data, skeleton, self.alpha, self.split, constraints=limits)
        if self.variant == "plain":
            return problem
        weight = np.random.default_rng(0).uniform(0.5, 2.0, problem.data.n_rows)[:, None]
        data = replace(problem.data, class_weight=weight * problem.data.class_weight)
        return replace(problem, data=data, cost=weight * problem.cost)


SEARCHES = (
    Task("breast-cancer-prognostic", "1-2-3-3-3-3", 0.1, 1000),
    Task("planning-relax", "1-2-4-8", 0.01, 1000),
    Task("connectionist-vowel", "1-2-3-3-3-3", 0.1, 300),
    Task("tic-tac-toe", "1-2-2-2-2-2-2-2", 0.01, 1000),
    Task("ozone-eighthr", "1-2-4-4-4", 0.01, 100),
    Task("statlog-german-credit", "tree-4", 0.01, 700),
    Task("car-evaluation", "1-2-4-4-4", 0.01, 700),
    Task("contraceptive-method-choice", "1-2-4-4-4", 0.01, 500),
    Task("heart-disease-cleveland", "1-2-4-8", 0.1, 1000, variant="weighted"),
    Task("optical-recognition", "1-2-4-4-4", 0.01, 40),
    Task("statlog-landsat-satellite", "tree-6", 0.01, 40),
    Task("spambase", "tree-4", 0.01, 60),
    Task("pima-indians-diabetes", "1-2-4-4-4", 0.01, 60, variant="min_flow"),
    Task("heart-disease-cleveland", "1-2-4-4-4", 0.01, 60, "multivariate"),
    Task("contraceptive-method-choice", "1-2-4", 0.01, 20, "multivariate"),
    Task("habermans-survival", "tree-4", 0.01, 200, "multivariate"),
)

PROOFS = (
    Task("tic-tac-toe", "1-2-4-8", 0.1),
    Task("thoracic-surgery", "1-2-4-8", 0.2),
    Task("blood-transfusion-service", "1-2-4-8", 0.1),
    Task("teaching-assistant-evaluation", "1-2-4-8", 0.5),
    Task("car-evaluation", "1-2-4-4-4", 0.2),
    Task("dermatology", "1-2-4-4-4", 0.2),
    Task("seeds", "1-2-4-4-4", 0.1),
    Task("heart-disease-cleveland", "tree-4", 0.2),
    Task("spect-heart", "1-2-2-2", 0.05),
    Task("tic-tac-toe", "1-2-2-2", 0.05),
    Task("image-segmentation", "tree-3", 0.01),
    Task("qsar-biodegradation", "tree-3", 0.01),
    Task("spectf-heart", "tree-3", 0.01),
    Task("breast-cancer-prognostic", "tree-3", 0.01, variant="weighted"),
    # of 5 to 20 s: row subsets are selected only after a relaxation took a second
    Task("car-evaluation", "1-2-4-4-4", 0.1),
    Task("mammographic-mass", "1-2-4-8", 0.02),
    Task("banknote-authentication", "1-2-4-8", 0.2),
)

# without them random numbers are drawn at other places: the search takes another path, which costs more or
# less by itself, so that more seeds are needed
OTHER_PATH = {
    "NO_IMPROVEMENT_CACHE", "SPLIT_CACHE", "CACHED_NODE_PROBLEMS", "INT16_BOUNDS", "TRIED_HYPERPLANES",
    "LABEL_SUMS", "TARGET_ELIMINATION",
}  # fmt: skip
MORE_SEEDS = 2

QUALITY_SWITCHES = ("COST_NOISE", "DESCENT_TARGET")

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
    *CONSTANTS,
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """Seconds of the processor, iterations or calls of the vector code, and the objective."""

    seconds: float
    count: int
    objective: float


@dataclass(frozen=True)
class Pair:
    """A run with a part and one without it, and the ratio of their seconds."""

    ratio: float
    on: Run
    off: Run


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


@contextmanager
def changed(module: ModuleType, name: str, value: object) -> Iterator[None]:
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


def measure(subject: Search | Proof, repeats: int, switches: Sequence[str]) -> dict[str, list[Pair]]:
    """Return the runs without and with each part, one pair per repeat.

    A few switches at a time stand between two runs with all parts.
    """
    results: dict[str, list[Pair]] = {switch: [] for switch in switches}
    for repeat in range(repeats if switches else 0):
        order = list(switches if repeat % 2 == 0 else switches[::-1])
        before = subject.run("nothing", repeat)
        for first in range(0, len(order), SWITCHES_AT_A_TIME):
            part = order[first : first + SWITCHES_AT_A_TIME]
            without = [subject.run(switch, repeat) for switch in part]
            after = subject.run("nothing", repeat)
            seconds = 0.5 * (before.seconds + after.seconds)
            for switch, run in zip(part, without, strict=True):
                results[switch].append(Pair(run.seconds / seconds, after, run))
            before = after
    return results


def record(store: Store, kind: str, task: Task, subject: Search | Proof, options: argparse.Namespace) -> None:
    """Measure the switches of a problem that have no row yet, and add their rows."""
    chosen = options.switch or subject.switches
    missing = [switch for switch in chosen if store.find(kind, switch, *task.key) is None]
    few = [switch for switch in missing if switch not in OTHER_PATH]
    many = [switch for switch in missing if switch in OTHER_PATH]
    results = {
        **measure(subject, options.repeats, few),
        **measure(subject, MORE_SEEDS * options.repeats, many),
    }
    for switch, runs in results.items():
        ratios = [min(pair.ratio, MAX_RATIO) if kind == "proof" else pair.ratio for pair in runs]
        same = all(math.isclose(pair.on.objective, pair.off.objective, rel_tol=1e-9) for pair in runs)
        seconds, counts = runs[0].on.seconds, (runs[0].on.count, runs[0].off.count)
        add(store, (kind, switch, *task.key), ratios, seconds, counts, same)


def record_quality(store: Store, task: Task, options: argparse.Namespace) -> None:
    """Measure how much longer the search takes to an objective without a part."""
    subject = Search(task)
    for switch in options.switch or QUALITY_SWITCHES:
        if store.find("quality", switch, *task.key) is not None:
            continue
        names = ("nothing", switch)
        traces: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in names}
        for seed in range(QUALITY_REPEATS):
            for name in names if seed % 2 == 0 else names[::-1]:
                traces[name].append(subject.improvements(name, seed, QUALITY_SECONDS))
        target = statistics.median(trace[-1][1] for name in names for trace in traces[name])
        on, off = (
            statistics.mean(seconds_to(target, trace) for trace in traces[name]) for name in names
        )
        final = [statistics.mean(trace[-1][1] for trace in traces[name]) for name in names]
        add(store, ("quality", switch, *task.key), [off / on], on, final, final[0] <= final[1])


def seconds_to(target: float, trace: Sequence[tuple[float, float]]) -> float:
    """Return when an objective was reached, all seconds of the run if it was not."""
    return next((when for when, objective in trace if objective <= target * (1 + 1e-9)), QUALITY_SECONDS)


def add(
    store: Store, key: Sequence[str], ratios: list[float], seconds: float, counts: Sequence[float], same: bool
) -> None:
    row = {
        "gain": f"{statistics.median(ratios):.3f}",
        "least": f"{min(ratios):.3f}",
        "most": f"{max(ratios):.3f}",
        "seconds": f"{seconds:.3f}",
        "count": f"{counts[0]:.8g}",
        "count_off": f"{counts[1]:.8g}",
        "same": same,
    }
    store.add(**dict(zip(KEY, key, strict=True)), **row)
    print(" ".join(key), row, flush=True)


def print_table(store: Store) -> None:
    """Print least, median and largest gain of each switch over its problems."""
    print("| kind | part | problems | least | median | most | verdict |\n|---|---|---|---|---|---|---|")
    groups: dict[tuple[str, str], list[float]] = {}
    for row in store.rows:
        groups.setdefault((row["kind"], row["switch"]), []).append(float(row["gain"]))
    for (kind, switch), gains in groups.items():
        verdict = "stays" if max(gains) >= MIN_GAIN else "to be deleted"
        numbers = " | ".join(f"{value:.2f}" for value in (min(gains), statistics.median(gains), max(gains)))
        print(f"| {kind} | {switch} | {len(gains)} | {numbers} | {verdict} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Gain of each part of the kernels.")
    parser.add_argument("kind", choices=("search", "proof", "quality", "table"))
    parser.add_argument("--rows", type=Path, help="a CSV file of rows, which is continued")
    parser.add_argument("--switch", action="append", help="only this one; may be given several times")
    parser.add_argument("--dataset", action="append", help="only this one; may be given several times")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    store = Store(options.rows, COLUMNS, KEY)
    makers: dict[str, Callable[[Task], Search | Proof]] = {"search": Search, "proof": Proof}
    for task in PROOFS if options.kind == "proof" else SEARCHES:
        if options.dataset and task.dataset not in options.dataset:
            continue
        if options.kind in makers:
            record(store, options.kind, task, makers[options.kind](task), options)
        elif options.kind == "quality" and task.split == "univariate" and task.variant != "min_flow":
            record_quality(store, task, options)
    if options.kind == "table":
        print_table(store)


if __name__ == "__main__":
    main()
