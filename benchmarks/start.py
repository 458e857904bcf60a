"""How long do the command line and a first fit take to start, in units of ``import sklearn.tree``?

A small model is fitted once; then fresh interpreters run by turns. Printed are medians and their ratios, and
for fits of iris where their seconds go and which heavy packages were loaded.

    python benchmarks/start.py
    python benchmarks/start.py --rounds 15
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from sklearn.datasets import load_iris

import oddlearn
from oddlearn.table.column_table import ColumnTable

REFERENCE = "import sklearn.tree"

HEAVY = ["highspy", "ortools", "pyscipopt", "gurobipy", "matplotlib", "graphviz", "pandas"]

FIRST_FIT = """
import sys, time
began = time.perf_counter()
import oddlearn
imported = time.perf_counter()
loaded = [name for name in {heavy} if name in sys.modules]
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
ready = time.perf_counter()
oddlearn.OptimalDecisionDiagramClassifier(split={split!r}, time_limit=1.0, random_state=0).fit(X, y)
fit = time.perf_counter() - ready
after = [name for name in {heavy} if name in sys.modules]
seconds = f"import {{imported - began:.2f}} s, sklearn.datasets {{ready - imported:.2f}} s, fit {{fit:.2f}} s"
print("{split}:", seconds)
print(f"  heavy packages after import: {{loaded or 'none'}}; at the end: {{after or 'none'}}")
"""


def write_files(folder: Path) -> tuple[str, str]:
    """Fit iris, and return the paths of the model and of its rows as CSV."""
    iris = load_iris()
    names = [name.split(" (")[0] for name in iris.feature_names]
    table = ColumnTable.from_mapping(dict(zip(names, iris.data.T, strict=True)))
    model = oddlearn.OptimalDecisionDiagramClassifier("1-2-3", node_price=0.01, time_limit=5, random_state=0)
    model.fit(table, iris.target).save(folder / "model.json")
    with (folder / "rows.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *iris.data.tolist()])
    return str(folder / "model.json"), str(folder / "rows.csv")


def seconds_of(command: list[str]) -> float:
    """Run Python in the folder of this package: with ``-m`` another one there might not read the model."""
    folder = Path(oddlearn.__file__).parents[1]
    began = time.perf_counter()
    subprocess.run([sys.executable, *command], stdout=subprocess.DEVNULL, check=True, cwd=folder)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        model, rows = write_files(Path(folder))
        commands = {
            REFERENCE: ["-c", REFERENCE],
            "import numpy": ["-c", "import numpy"],
            "oddlearn --help": ["-m", "oddlearn", "--help"],
            "oddlearn show": ["-m", "oddlearn", "show", model],
            "oddlearn predict": ["-m", "oddlearn", "predict", model, rows],
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                taken[name].append(seconds_of(command))
    for split in ("univariate", "multivariate"):
        subprocess.run([sys.executable, "-c", FIRST_FIT.format(heavy=HEAVY, split=split)], check=True)
    unit = median(taken[REFERENCE])
    for name, seconds in taken.items():
        print(f"{name:20s} {median(seconds):6.2f} s  {median(seconds) / unit:5.2f} of {REFERENCE}")


if __name__ == "__main__":
    main()
