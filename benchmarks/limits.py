"""Is time_limit kept? Overshoot, memory and accuracy of fits on data sets and on large and wide tables.

    python benchmarks/limits.py --tables all --limits 2 --output limits.csv     (goes on where it was)
    python benchmarks/limits.py --tables 1e4x20 1e6x20 100x100000 --limits 2 10 --clock processor

A table is a data set, "all" of them, or ROWSxCOLUMNS of the teacher of scale.py; a wide one has many columns.
With ``--clock processor`` the fits themselves read the processor time of the process: on a busy machine the
seconds are then those of a machine with one free core. The libraries of linear algebra have one thread.
The accuracy is that on test rows of the teacher, or on the rows of a data set.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

from _data import FIFTEEN_NODES, dataset_names, load
from _store import Store

SIZES = ("1e4x20", "1e5x20", "1e6x20", "1e7x20", "2000x5000", "100x100000")
KEY = ("table", "split", "skeleton", "limit")
COLUMNS = (*KEY, "seconds", "memory_mb", "x_mb", "accuracy", "is_optimal")

# overshoot that is allowed: this many seconds and this share of the limit
ALLOWED_SECONDS, ALLOWED_SHARE = 1.0, 0.05


def read_arguments() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=SIZES, metavar="NAME or ROWSxCOLUMNS")
    parser.add_argument("--limits", type=float, nargs="+", default=[2.0, 5.0, 10.0, 30.0])
    parser.add_argument("--splits", nargs="+", default=["univariate", "multivariate"])
    parser.add_argument("--skeletons", nargs="+", default=["1-2-4-4-4"], help=" ".join(FIFTEEN_NODES))
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, help="CSV file to write, and to resume from")
    return parser.parse_args()


def show(row: dict[str, str]) -> float:
    """Print the figures of a fit and return the overshoot."""
    seconds, limit = float(row["seconds"]), float(row["limit"])
    excess = seconds - limit * (1 + ALLOWED_SHARE) - ALLOWED_SECONDS
    print(
        f"{row['table']:>12} {row['split']:13} {row['skeleton']:16} limit {limit:4g} s: {seconds:6.2f} s "
        f"({seconds - limit:+.2f}), {row['memory_mb']:>5} MB over {row['x_mb']}, accuracy {row['accuracy']}, "
        f"{'proved' if row['is_optimal'] == 'True' else 'not proved'}"
        f"{'   TOO LATE' if excess > 0 else ''}",
        flush=True,
    )
    return seconds - limit


def main() -> None:
    """Fit every table with every limit and print a line for each."""
    options = read_arguments()
    warnings.simplefilter("ignore")
    if options.clock == "processor":
        time.perf_counter = time.process_time
    store = Store(options.output, COLUMNS, KEY)
    overshoots = []
    for name in dataset_names() if "all" in options.tables else options.tables:
        keys = list(product([name], options.splits, options.skeletons, options.limits))
        missing = [key for key in keys if store.find(*key) is None]
        # one table at a time: the largest has 1.6 GB
        figures = measure(name, missing, options.jobs) if missing else []
        for key, row in zip(missing, figures, strict=True):
            store.add(**dict(zip(COLUMNS, (*key, *row), strict=True)))
        overshoots += [show(row) for key in keys if (row := store.find(*key))]
    print(f"{len(overshoots)} fits; largest overshoot: {max(overshoots):.3f} s")


def measure(name: str, keys: list[tuple[str, str, str, float]], n_jobs: int) -> Iterator[tuple[float, ...]]:
    """Yield the figures of fits on one table."""
    import scale  # reads the clock only now

    if name[0].isdigit():
        n_rows, n_columns = (int(float(part)) for part in name.split("x"))
        scale.TEST_ROWS = min(100_000, max(100, 4_000_000 // n_columns))
        table = scale.draw_teacher(n_rows, n_columns, 0)
        X, y, test = table.X, table.y, (table.test_rows, table.test_labels)
    else:
        X, y = load(name)
        test = (X, y)
    for _, split, skeleton, limit in keys:
        model = scale.build_classifier(0.3, 0, split=split, n_jobs=n_jobs).set_params(skeleton=skeleton)
        model.fit(X[:300, :50], y[:300])  # imports are not measured
        model.set_params(time_limit=limit)
        seconds, _, memory = scale.measure(partial(model.fit, X, y))
        score = round(model.score(*test), 4)
        yield round(seconds, 3), round(memory), round(X.nbytes / 1e6), score, model.is_optimal_


if __name__ == "__main__":
    main()
