"""One copy of oddlearn in a process of its own: fits what it is told, one line of JSON for one of answer.

It is started by speed.py, with PYTHONPATH naming the tree that holds the copy.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import oddlearn
import oddlearn.kernels
from oddlearn import datasets

# of the fit that measures all but the search, and of the search before the branch and bound
FEW_ITERATIONS = 1


@cache
def load(name: str) -> Any:  # noqa: ANN401
    given = os.environ.get("ODDLEARN_DATA")
    return datasets.load(name, Path(given) if given else Path(__file__).resolve().parents[2] / "shared")


def fit(task: dict[str, Any], **options: Any) -> tuple[Any, float]:  # noqa: ANN401
    """Return the fitted model and the processor's seconds: other work on the machine is not counted."""
    common = {"time_limit": None, "random_state": 0, "alpha": task["alpha"], "split": task["split"]} | options
    if task["skeleton"].startswith("tree-"):
        depth = int(task["skeleton"].removeprefix("tree-"))
        model = oddlearn.OptimalDecisionTreeClassifier(depth, **common)
    else:
        model = oddlearn.OptimalDecisionDiagramClassifier(task["skeleton"], **common)
    dataset = load(task["dataset"])
    began = time.process_time()
    model.fit(dataset.X, dataset.codes)
    return model, time.process_time() - began


def measure_search(task: dict[str, Any]) -> dict[str, Any]:
    _, rest = fit(task, exact=None, max_iter=FEW_ITERATIONS)
    model, seconds = fit(task, exact=None, max_iter=task["iterations"])
    return {"count": model.n_iter_ - FEW_ITERATIONS, "seconds": seconds - rest, "objective": model.objective_}


def measure_proof(task: dict[str, Any]) -> dict[str, Any]:
    model, seconds = fit(task, exact="branch_and_bound", max_iter=FEW_ITERATIONS)
    nodes = sum(one.nodes for one in model.certificate_.evidence if one.solver == "branch_and_bound")
    return {"count": nodes, "seconds": seconds, "objective": model.objective_}


def main() -> None:
    switches = list(getattr(oddlearn.kernels, "SWITCHES", ()))
    print(json.dumps({"file": oddlearn.__file__, "switches": switches}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        answer = measure_search(task) if task["kind"] == "search" else measure_proof(task)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
