"""Is time_limit kept on large and wide tables? Overshoot, memory and test accuracy, both kinds of splits.

    python benchmarks/large_limits.py --tables 1e4x20 1e6x20 100x100000 --limits 2 10 --clock processor

With ``--clock processor`` the fits themselves read the processor time of the process: on a busy machine the
seconds are then those of a machine with one free core. The libraries of linear algebra have one thread.
Imports are not measured. The tables are those of the teacher of scale.py; a wide one has as many columns.
With ``--output`` a row of each fit is added to a CSV file.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from functools import partial
from pathlib import Path

from _store import Store

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

SIZES = ["1e4x20", "1e5x20", "1e6x20", "1e7x20", "2000x5000", "100x100000"]
FIELDS = ["table", "split", "limit", "seconds", "memory_mb", "x_mb", "accuracy"]
# overshoot that is allowed: this many seconds and this share of the limit
ALLOWED_SECONDS, ALLOWED_SHARE = 1.0, 0.05


def read_arguments() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=SIZES, metavar="ROWSxCOLUMNS")
    parser.add_argument("--limits", type=float, nargs="*", default=[2.0, 5.0, 10.0, 30.0])
    parser.add_argument("--splits", nargs="*", default=["univariate", "multivariate"])
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, help="CSV file to which rows are added")
    return parser.parse_args()


def main() -> None:
    """Fit every table with every limit and print a line for each."""
    options = read_arguments()
    warnings.simplefilter("ignore")
    if options.clock == "processor":
        time.perf_counter = time.process_time
    import scale  # reads the clock only now

    store = Store(options.output, FIELDS, ())
    worst, table = 0.0, None
    for size in options.tables:
        n_rows, n_columns = (int(float(part)) for part in size.split("x"))
        scale.TEST_ROWS = min(100_000, max(100, 4_000_000 // n_columns))
        table = None  # one at a time: the largest has 1.6 GB
        table = scale.draw_teacher(n_rows, n_columns, 0)
        for split in options.splits:
            small = scale.build_classifier(0.3, 0, split=split)
            small.fit(table.X[:300, :50], table.y[:300])
            for limit in options.limits:
                model = scale.build_classifier(limit, 0, split=split, n_jobs=options.jobs)
                seconds, _, memory = scale.measure(partial(model.fit, table.X, table.y))
                score = float((model.predict(table.test_rows) == table.test_labels).mean())
                excess = seconds - limit * (1 + ALLOWED_SHARE) - ALLOWED_SECONDS
                worst = max(worst, seconds - limit)
                figures = (round(seconds, 2), round(memory), round(table.X.nbytes / 1e6), round(score, 4))
                store.add(**dict(zip(FIELDS, (size, split, limit, *figures), strict=True)))
                print(
                    f"{size:>12} {split:13} limit {limit:4g} s: {seconds:6.2f} s ({seconds - limit:+.2f}), "
                    f"{memory:5.0f} MB over {table.X.nbytes / 1e6:.0f}, accuracy {score:.4f}"
                    f"{'   TOO LATE' if excess > 0 else ''}",
                    flush=True,
                )
    print(f"largest overshoot: {worst:.2f} s")


if __name__ == "__main__":
    main()
