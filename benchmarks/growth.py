"""How do seconds and memory grow with rows and columns? A table and a log-log plot.

    python benchmarks/growth.py --rows 1e4 1e5 1e6 1e7 --columns 10 100 1000 --output growth.svg

Fits prove nothing; without ``--limit`` they end when their search has stalled. Rows vary at 20 columns,
columns at 50,000 rows or those of ``--fixed-rows``. Seconds, of the limit too, are those of the processor, so
that a busy machine changes little. Every fit is in a process of its own, so that none reuses the memory of
another. The line of a size is printed when it is done, with the exponent between it and the size before: 1 is
linear. With ``--rows-file`` lines are added to a CSV file, and ``--draw`` draws such a file again.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import time
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import scale

FIXED_COLUMNS = 20

# of one size: number, processor seconds, MB beyond the table
Figures = tuple[float, float, float]


def measure_size(n_rows: int, n_columns: int, split: str, limit: float | None) -> tuple[float, float]:
    """Return processor seconds and MB beyond the table of one fit, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(fit_once, (n_rows, n_columns, split, limit))


def fit_once(n_rows: int, n_columns: int, split: str, limit: float | None) -> tuple[float, float]:
    """Return processor seconds and MB beyond the table of one fit; imports are not measured."""
    warnings.simplefilter("ignore")
    time.perf_counter = time.process_time
    small = scale.draw_teacher(300, FIXED_COLUMNS, 0)
    scale.build_classifier(0.3, 0, split=split).fit(small.X, small.y)
    table = scale.draw_teacher(n_rows, n_columns, 0)
    model = scale.build_classifier(limit, 0, split=split, exact=None)
    _, used, memory = scale.measure(partial(model.fit, table.X, table.y))
    return used, memory


def measure_sizes(
    name: str,
    sizes: Sequence[tuple[int, int]],
    split: str,
    limit: float | None = None,
    path: Path | None = None,
) -> list[Figures]:
    """Print and return the figures of several sizes (rows, columns), by the number that varies."""
    found: list[Figures] = []
    for size in sizes:
        number = float(size[0] if name == "rows" else size[1])
        used, memory = measure_size(*size, split, limit)
        exponent = ""
        if found:
            power = math.log(used / found[-1][1]) / math.log(number / found[-1][0])
            exponent = f", exponent {power:.2f}"
        print(
            f"{split} {size[0]:>10,} x {size[1]:<6,} {used:8.1f} s cpu {memory:8.0f} MB{exponent}", flush=True
        )
        found.append((number, used, memory))
        if path is not None:
            with path.open("a", newline="") as file:
                csv.writer(file).writerow([split, name, int(number), round(used, 2), round(memory)])
    return found


def draw_plot(series: dict[str, list[Figures]], path: Path) -> None:
    """Write a picture of seconds and memory over rows and over columns, all axes logarithmic."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
    for name, found in series.items():
        column = 0 if name.endswith("rows") else 1
        numbers, seconds, memory = zip(*found, strict=True)
        for row, values in enumerate((seconds, memory)):
            plot = axes[row, column]
            plot.loglog(numbers, [max(value, 0.1) for value in values], "o-", label=name.split(" ")[0])
            linear = [values[0] * number / numbers[0] for number in numbers]
            plot.loglog(numbers, linear, ":", color="grey", label="linear")
            plot.set_xlabel(name.split(" ")[1])
            plot.set_ylabel(("processor seconds", "MB beyond the table")[row])
            plot.legend()
    figure.savefig(path)


def read_series(path: Path) -> dict[str, list[Figures]]:
    """Return the figures of a CSV file, by kind of split and what varies, in ascending order."""
    series: dict[str, list[Figures]] = {}
    with path.open(newline="") as file:
        for split, name, number, seconds, memory in csv.reader(file):
            series.setdefault(f"{split} {name}", []).append((float(number), float(seconds), float(memory)))
    return {name: sorted(found) for name, found in series.items()}


def main() -> None:
    """Measure all sizes and draw them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="*", default=[1e4, 1e5, 1e6, 1e7])
    parser.add_argument("--columns", type=int, nargs="*", default=[10, 30, 100, 300, 1000])
    parser.add_argument("--fixed-rows", type=lambda text: int(float(text)), default=50_000)
    parser.add_argument("--limit", type=float, help="processor seconds of a fit")
    parser.add_argument("--splits", nargs="*", default=["univariate", "multivariate"])
    parser.add_argument("--output", type=Path, help="picture to write")
    parser.add_argument("--rows-file", type=Path, help="CSV file to which rows are added")
    parser.add_argument("--draw", type=Path, help="CSV file to draw; nothing is measured")
    options = parser.parse_args()
    if options.draw is not None:
        draw_plot(read_series(options.draw), options.output)
        return
    series: dict[str, list[Figures]] = {}
    for split in options.splits:
        by_rows = [(int(n_rows), FIXED_COLUMNS) for n_rows in options.rows]
        by_columns = [(options.fixed_rows, n_columns) for n_columns in options.columns]
        series[f"{split} rows"] = measure_sizes("rows", by_rows, split, options.limit, options.rows_file)
        series[f"{split} columns"] = measure_sizes(
            "columns", by_columns, split, options.limit, options.rows_file
        )
    if options.output is not None:
        draw_plot({name: found for name, found in series.items() if found}, options.output)


if __name__ == "__main__":
    main()
