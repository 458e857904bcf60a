"""A fresh interpreter imports oddlearn and fits iris: where the seconds go, and what was loaded.

    python benchmarks/cold.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

HEAVY = ["highspy", "ortools", "pyscipopt", "gurobipy", "matplotlib", "graphviz", "pandas"]

SCRIPT = """
import json, sys, time
began = time.perf_counter()
import oddlearn
imported = time.perf_counter()
loaded = [name for name in {heavy} if name in sys.modules]
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
ready = time.perf_counter()
model = oddlearn.OptimalDecisionDiagramClassifier(split={split!r}, time_limit=1.0, random_state=0).fit(X, y)
fitted = time.perf_counter()
after = [name for name in {heavy} if name in sys.modules]
seconds = dict(imported=imported - began, data=ready - imported, fit=fitted - ready)
print(json.dumps(dict(seconds, loaded=loaded, after=after)))
"""


def fresh(split: str) -> tuple[float, dict[str, object]]:
    """Return the seconds of the whole process, and what it measured itself."""
    script = SCRIPT.format(heavy=HEAVY, split=split)
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return time.perf_counter() - began, json.loads(done.stdout)


def main() -> None:
    for split in ("univariate", "multivariate"):
        total, told = fresh(split)
        fit = float(told["fit"])  # type: ignore[arg-type]
        parts = f"import {told['imported']:.2f} s, sklearn.datasets {told['data']:.2f} s, fit {fit:.2f} s"
        print(f"{split}: {parts}, total {total:.2f} s, total minus fit {total - fit:.2f} s")
        loaded, after = told["loaded"] or "none", told["after"] or "none"
        print(f"  heavy modules after import: {loaded}; at the end: {after}")


if __name__ == "__main__":
    main()
