"""What does each cache, bound and vector path of the kernels gain? Each off, one at a time.

    python benchmarks/ablation.py search --rows benchmarks/results/ablation.csv      (resumes at any problem)
    python benchmarks/ablation.py proof --rows benchmarks/results/ablation.csv
    python benchmarks/ablation.py price --rows benchmarks/results/ablation.csv
    python benchmarks/ablation.py quality --rows benchmarks/results/ablation.csv
    python benchmarks/ablation.py table --rows benchmarks/results/ablation.csv       (prints the summary)

The gain of a part is the processor's seconds without it over those with it. Search: equal seeds and
iterations. Branch and bound, and trees of any depth by price: to the end of the proof, from the diagram of a
short search; a proof that takes MAX_RATIO times as long is given up, and counts as that. Every run without a
part stands between two runs with it; the gain of a problem is the median over the repeats. ``nothing`` turns
nothing off: its gains are the noise. What changes the search itself (``quality``) is judged by the seconds to
an objective: the median of what all runs of a problem, with the part and without it, reach in the same time.

A part that gains less than 10 % on every problem is to be deleted.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from _ablation_subjects import MAX_RATIO, PriceTrees, Proof, Run, Search
from _ablation_tasks import PRICES, PROOFS, SEARCHES, Task
from _store import Store

# what gains less on every problem is to be deleted
MIN_GAIN = 1.1

# of a run for quality
QUALITY_SECONDS = 1.0
QUALITY_REPEATS = 6

# runs without a part between two with all parts
SWITCHES_AT_A_TIME = 3

COLUMNS = (
    "kind", "switch", "dataset", "skeleton", "alpha", "split", "variant",
    "gain", "least", "most", "seconds", "count", "count_off", "same",
)  # fmt: skip
KEY = COLUMNS[:7]

# without them random numbers are drawn at other places: the search takes another path, which costs more or
# less by itself, so that more seeds are needed
OTHER_PATH = {
    "NO_IMPROVEMENT_CACHE", "SPLIT_CACHE", "CACHED_NODE_PROBLEMS", "INT16_BOUNDS", "TRIED_HYPERPLANES",
    "LABEL_SUMS", "TARGET_ELIMINATION",
}  # fmt: skip
MORE_SEEDS = 2

QUALITY_SWITCHES = ("COST_NOISE", "DESCENT_TARGET")

@dataclass(frozen=True)
class Pair:
    """A run with a part and one without it, and the ratio of their seconds."""

    ratio: float
    on: Run
    off: Run


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
        ratios = [pair.ratio if kind == "search" else min(pair.ratio, MAX_RATIO) for pair in runs]
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
    parser.add_argument("kind", choices=("search", "proof", "price", "quality", "table"))
    parser.add_argument("--rows", type=Path, help="a CSV file of rows, which is continued")
    parser.add_argument("--switch", action="append", help="only this one; may be given several times")
    parser.add_argument("--dataset", action="append", help="only this one; may be given several times")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    store = Store(options.rows, COLUMNS, KEY)
    makers: dict[str, Callable[[Task], Search | Proof]] = {
        "search": Search, "proof": Proof, "price": PriceTrees,
    }  # fmt: skip
    for task in {"proof": PROOFS, "price": PRICES}.get(options.kind, SEARCHES):
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
