"""What does each cache, bound and vector path of the kernels gain? Each off, one at a time, on ten problems.

    python benchmarks/ablation.py TREE                 (a folder that holds oddlearn/ with its kernels built)
    python benchmarks/ablation.py TREE --switch similarity_cache --repeats 5

The kernels name their switches in ``oddlearn.kernels.SWITCHES`` and leave out those that the environment
variable ODDLEARN_ABLATION names. A gain is the seconds of the same work without the switch over those with
it: search with equal iterations, branch and bound to the end. What gains less than 10 % everywhere is to be
deleted.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from speed import UNITS, Copy, Task, tasks

VARIABLE = "ODDLEARN_ABLATION"

# what gains less on every problem is to be deleted
MIN_GAIN = 1.1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Gain of each part of the kernels.")
    parser.add_argument("tree", type=Path)
    parser.add_argument("--switch", action="append", help="only this one; may be given several times")
    parser.add_argument("--kind", choices=list(UNITS), help="only the search, or only the branch and bound")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def gain(task: Task, full: Copy, reduced: Copy, repeats: int) -> float:
    """Return the best seconds without a part over the best seconds with it, by turns."""
    seconds: list[list[float]] = [[], []]
    objectives: list[float] = [0.0, 0.0]
    for turn in range(repeats):
        for place in (0, 1) if turn % 2 == 0 else (1, 0):
            answer = (full, reduced)[place].run(task)
            seconds[place].append(answer["seconds"])
            objectives[place] = answer["objective"]
    ratio = min(seconds[1]) / min(seconds[0])
    is_same = math.isclose(*objectives, rel_tol=1e-9)
    other = "" if is_same else f"  objective {objectives[0]} -> {objectives[1]}"
    problem = f"{task['dataset']:28s} {task['skeleton']:16s} {task['split']:12s}"
    print(f"    {problem} gain {ratio:.2f}{other}", flush=True)
    return ratio


def main() -> None:
    options = arguments()
    full = Copy(options.tree)
    if not full.switches:
        sys.exit(f"The kernels in {options.tree} have no switches: nothing can be turned off.")
    for switch in options.switch or full.switches:
        reduced = Copy(options.tree, **{VARIABLE: switch})
        print(switch)
        chosen = [task for task in tasks() if options.kind in (None, task["kind"])]
        gains = [gain(task, full, reduced, options.repeats) for task in chosen]
        mean = math.exp(sum(map(math.log, gains)) / len(gains))
        verdict = "stays" if max(gains) >= MIN_GAIN else "to be deleted"
        print(f"    {switch}: mean gain {mean:.2f}, most {max(gains):.2f}: {verdict}\n", flush=True)


if __name__ == "__main__":
    main()
