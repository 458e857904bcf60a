"""Is the new code as fast as the old? Iterations and nodes a second of two copies, by turns in one run.

    python benchmarks/speed.py OLD NEW             (folders that hold oddlearn/ with its kernels built)
    python benchmarks/speed.py OLD NEW --repeats 5 --kind search

Ten problems for the search, ten for the branch and bound, each solved by one copy and then by the other, who
begins changing from turn to turn. Seconds are those of the processor. Printed are the best rate of each copy
over the repeats, their ratio (above 1: the new copy is faster) and the geometric mean of the ratios. A count
that differs between the copies is printed: the work is then not the same.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

Task = dict[str, Any]

# data set, skeleton, alpha, split, iterations: about a second each
SEARCHES = [
    ("breast-cancer-prognostic", "1-2-3-3-3-3", 0.01, "univariate", 1500),
    ("planning-relax", "1-2-4-8", 0.01, "univariate", 1500),
    ("connectionist-vowel", "1-2-3-3-3-3", 0.1, "univariate", 600),
    ("tic-tac-toe", "1-2-2-2-2-2-2-2", 0.01, "univariate", 1500),
    ("ozone-eighthr", "1-2-4-4-4", 0.01, "univariate", 150),
    ("statlog-german-credit", "tree-4", 0.01, "univariate", 600),
    ("heart-disease-cleveland", "1-2-4-4-4", 0.01, "multivariate", 100),
    ("contraceptive-method-choice", "1-2-4", 0.01, "multivariate", 30),
    ("habermans-survival", "tree-4", 0.01, "multivariate", 300),
    ("pima-indians-diabetes", "1-2-4-4-4", 0.01, "multivariate", 60),
]

# data set, skeleton, alpha: proved in up to three seconds
PROOFS = [
    ("tic-tac-toe", "1-2-2-2", 0.05),
    ("spect-heart", "1-2-2-2", 0.05),
    ("hepatitis", "1-2-2-2", 0.05),
    ("contraceptive-method-choice", "1-2-2-2", 0.05),
    ("hayes-roth", "1-2-4-4", 0.05),
    ("seeds", "tree-4", 0.01),
    ("wine", "tree-4", 0.01),
    ("ionosphere", "tree-3", 0.01),
    ("climate-simulation-crashes", "tree-3", 0.01),
    ("breast-cancer-diagnostic", "tree-3", 0.01),
]

UNITS = {"search": "iterations/s", "proof": "nodes/s"}


class Copy:
    """A process that fits with the copy of oddlearn in a folder, under variables of the environment."""

    def __init__(self, folder: Path, **variables: str) -> None:
        script = Path(__file__).with_name("_speed_worker.py")
        environment = {**os.environ, "PYTHONPATH": str(folder.resolve()), **variables}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, str(script)], stdin=pipe, stdout=pipe, text=True, env=environment
        )
        hello = self._answer()
        self.switches: list[str] = hello["switches"]
        loaded = Path(hello["file"]).resolve()
        if not loaded.is_relative_to(folder.resolve()):
            sys.exit(f"{folder} has no oddlearn: the one in {loaded.parent} was imported.")

    def run(self, task: Task) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit("A copy of oddlearn ended early: see its message above.")
        answer: dict[str, Any] = json.loads(line)
        return answer


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed of two copies of oddlearn, by turns.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--kind", choices=list(UNITS), help="only the search, or only the branch and bound")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def tasks() -> list[Task]:
    names = ("dataset", "skeleton", "alpha", "split", "iterations")
    searches = [{"kind": "search", **dict(zip(names, row, strict=True))} for row in SEARCHES]
    proof = {"kind": "proof", "split": "univariate"}
    proofs = [{**proof, **dict(zip(names, row, strict=False))} for row in PROOFS]
    return searches + proofs


def compare(task: Task, copies: list[Copy], repeats: int) -> float:
    """Print a problem's rates; return the new one over the old one."""
    rates: list[list[float]] = [[], []]
    counts: list[set[int]] = [set(), set()]
    for turn in range(repeats):
        for place in (0, 1) if turn % 2 == 0 else (1, 0):
            answer = copies[place].run(task)
            counts[place].add(answer["count"])
            rates[place].append(answer["count"] / answer["seconds"])
    old, new = max(rates[0]), max(rates[1])
    differs = "" if counts[0] == counts[1] else f"  counts {sorted(counts[0])} and {sorted(counts[1])}"
    print(
        f"{task['dataset']:28s} {task['skeleton']:16s} {task['split']:12s} {old:10.0f} {new:10.0f} "
        f"{UNITS[task['kind']]:12s} ratio {new / old:.3f}{differs}",
        flush=True,
    )
    return new / old


def main() -> None:
    options = arguments()
    copies = [Copy(options.old), Copy(options.new)]
    for kind in [options.kind] if options.kind else list(UNITS):
        ratios = [compare(task, copies, options.repeats) for task in tasks() if task["kind"] == kind]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{kind}: geometric mean {mean:.3f} of {len(ratios)} problems, new over old\n", flush=True)


if __name__ == "__main__":
    main()
