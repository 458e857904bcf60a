"""Iterations of the search per second where costs are whole numbers, against the same where they are not.

    python benchmarks/iterations.py
    python benchmarks/iterations.py --dataset optical-recognition --skeleton 1-2-4-8 --alpha 0.1

Errors that are counted are whole numbers, which the search adds up in vectors; where weights are not whole
numbers it adds them up one by one. Multiplying every weight by one number that is not whole changes the
problem in nothing else, so that the ratio of the two rates, by turns in one run, is what the vectors bring.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from dataclasses import replace

from _data import problem_of

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart

ROWS = [
    ("breast-cancer-prognostic", "1-2-3-3-3-3", 0.1),
    ("planning-relax", "1-2-4-8", 0.1),
    ("connectionist-vowel", "1-2-3-3-3-3", 0.1),
    ("tic-tac-toe", "1-2-2-2-2-2-2-2", 0.01),
    ("ozone-eighthr", "1-2-4-4-4", 0.01),
    ("optical-recognition", "1-2-2-2-2-2-2-2", 0.01),
]

FOREVER = 10**9


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Iterations of the search per second.")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each chain")
    parser.add_argument("--chains", type=int, default=4, help="of each kind")
    parser.add_argument("--dataset", help="one data set instead of a choice of them")
    parser.add_argument("--skeleton", default="1-2-4-8")
    parser.add_argument("--alpha", type=float, default=0.1)
    return parser.parse_args()


def weighed(problem: TrainingProblem) -> TrainingProblem:
    """Return the problem with every weight, and so every cost, multiplied by a number that is not whole."""
    data = replace(problem.data, class_weight=math.pi * problem.data.class_weight)
    return replace(problem, data=data, cost=math.pi * problem.cost)


def rate(problem: TrainingProblem, table: SearchTable, seed: int, seconds: float) -> float:
    chain = MultiStart.create(problem, table, seed, 1).threads[0]
    began = time.perf_counter()
    chain.run(seconds, FOREVER, FOREVER, FOREVER, -math.inf)
    return chain.iterations / (time.perf_counter() - began)


def main() -> None:
    options = arguments()
    rows = [(options.dataset, options.skeleton, options.alpha)] if options.dataset else ROWS
    for name, skeleton, alpha in rows:
        whole = problem_of(name, Skeleton.parse(skeleton), alpha, "univariate")
        kinds = [(problem, SearchTable.from_problem(problem)) for problem in (whole, weighed(whole))]
        rates = [
            [rate(problem, table, seed, options.seconds) for problem, table in kinds]
            for seed in range(options.chains)
        ]
        counted, summed = (statistics.mean(column) for column in zip(*rates, strict=True))
        print(
            f"{name:28s} {skeleton:16s} alpha {alpha:<5} {counted:8.0f} iterations/s, "
            f"not whole {summed:8.0f}, ratio {counted / summed:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
