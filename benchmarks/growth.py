"""How do seconds and memory grow with rows and columns? A table and a log-log plot.

    python benchmarks/growth.py --rows 1e4 1e5 1e6 1e7 --columns 10 100 1000 --output growth.svg

Fits have no time limit and prove nothing: they end when their search has stalled. Rows vary at 20 columns,
columns at 50,000 rows. Seconds are those of the processor, so that a busy machine changes little. The line of
a size is printed when it is done, with the exponent between it and the size before: 1 is linear.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import scale

FIXED_COLUMNS, FIXED_ROWS = 20, 50_000

# of one size: number, processor seconds, MB beyond the table
Figures = tuple[float, float, float]


def measure_size(n_rows: int, n_columns: int, split: str) -> tuple[float, float]:
    """Return processor seconds and MB beyond the table of one fit."""
    table = scale.draw_teacher(n_rows, n_columns, 0)
    model = scale.build_classifier(None, 0, split=split, exact=None)
    _, used, memory = scale.measure(partial(model.fit, table.X, table.y))
    return used, memory


def measure_sizes(name: str, sizes: Sequence[tuple[int, int]], split: str) -> list[Figures]:
    """Print and return the figures of several sizes (rows, columns), by the number that varies."""
    found: list[Figures] = []
    for size in sizes:
        number = float(size[0] if name == "rows" else size[1])
        used, memory = measure_size(*size, split)
        exponent = ""
        if found:
            power = math.log(used / found[-1][1]) / math.log(number / found[-1][0])
            exponent = f", exponent {power:.2f}"
        print(
            f"{split} {size[0]:>10,} x {size[1]:<6,} {used:8.1f} s cpu {memory:8.0f} MB{exponent}", flush=True
        )
        found.append((number, used, memory))
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
            plot.set_xlabel(name.split(" ")[1])
            plot.set_ylabel(("processor seconds", "MB beyond the table")[row])
            plot.legend()
    figure.savefig(path)


def main() -> None:
    """Measure all sizes and draw them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="*", default=[1e4, 1e5, 1e6, 1e7])
    parser.add_argument("--columns", type=int, nargs="*", default=[20, 100, 300, 1000])
    parser.add_argument("--splits", nargs="*", default=["univariate", "multivariate"])
    parser.add_argument("--output", type=Path, help="picture to write")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    series: dict[str, list[Figures]] = {}
    for split in options.splits:
        scale.build_classifier(0.3, 0, split=split).fit(*_warm_up())
        by_rows = [(int(n_rows), FIXED_COLUMNS) for n_rows in options.rows]
        by_columns = [(FIXED_ROWS, n_columns) for n_columns in options.columns]
        series[f"{split} rows"] = measure_sizes("rows", by_rows, split)
        series[f"{split} columns"] = measure_sizes("columns", by_columns, split)
    if options.output is not None:
        draw_plot({name: found for name, found in series.items() if found}, options.output)


def _warm_up() -> tuple[object, object]:
    """Return a small table: imports are not measured."""
    table = scale.draw_teacher(300, FIXED_COLUMNS, 0)
    return table.X, table.y


if __name__ == "__main__":
    main()
