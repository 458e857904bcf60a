"""Objective of a search engine after a given budget, against the reference trials or optimal trees.

    python benchmarks/search.py --split univariate --seconds 1
    python benchmarks/search.py --all --output univariate.csv         (ends and resumes at any row)
    python benchmarks/search.py --tree-yardstick pycontree --seconds 2

One thread per row; the free lower bounds are part of the budget, as in a fit. With --exact auto the row is
what a fit with its defaults gives: search and provers share the seconds.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from _data import Reference, problem_of, references
from _store import Store

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import solve_problem
from oddlearn.solve.schedule import SEARCHES, AutoSchedule, solver_class

# objectives this close are the same
SAME = 1e-9

KEY = ["split", "engine", "exact", "budget", "seed", "dataset", "skeleton", "mode", "alpha"]
COLUMNS = [*KEY, "yardstick", "objective", "lower_bound", "n_nodes", "seconds"]


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--split", choices=["univariate", "multivariate"], default="univariate")
    parser.add_argument("--seconds", type=float, default=1.0, help="budget of each row")
    parser.add_argument("--engine", choices=["local_search", "construct"], default="local_search")
    parser.add_argument("--exact", choices=["none", "auto"], default="none", help="what follows the search")
    parser.add_argument("--rows", type=int, default=200, help="size of the random sample of rows")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of the engine")
    parser.add_argument("--all", action="store_true", help="every row of the reference")
    parser.add_argument("--dataset", help="only data sets whose name contains this")
    parser.add_argument("--tree-yardstick", choices=["pycontree"], metavar="PACKAGE", help="pycontree")
    parser.add_argument("--tree-seconds", type=float, default=20.0, help="limit of the yardstick's proof")
    parser.add_argument("--output", type=Path, help="CSV file to write, and to resume from")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    store = Store(options.output, COLUMNS, KEY)
    done = tree_rows(options, store) if options.tree_yardstick else reference_rows(options, store)
    summarise(done)


def sampled(options: argparse.Namespace, rows: list[Reference]) -> list[Reference]:
    fitting = [row for row in rows if not options.dataset or options.dataset in row.dataset]
    if options.all or len(fitting) <= options.rows:
        return fitting
    return random.Random(options.seed).sample(fitting, options.rows)


def reference_rows(options: argparse.Namespace, store: Store) -> list[dict[str, str]]:
    rows = sampled(options, references(options.split))
    print(f"{len(rows)} rows, {options.split}, {options.engine}, {options.seconds:g} s each")
    return [one_row(options, store, row, "diagram", row.objective) for row in rows]


def tree_rows(options: argparse.Namespace, store: Store) -> list[dict[str, str]]:
    """Compare tree mode and the diagram 1-2-4-8 with optimal trees of depth 4."""
    from _trees import COLUMNS as TREE_COLUMNS  # other packages, which other rows do not need
    from _trees import optimal_tree

    rows = sampled(options, [row for row in references("univariate") if row.skeleton == "1-2-4-8"])
    print(f"{len(rows)} cases, {options.engine}, {options.seconds:g} s each, against trees of depth 4")
    path = options.output and options.output.with_suffix(".trees.csv")
    known = Store(path, TREE_COLUMNS, TREE_COLUMNS[:3])
    done = []
    for row in rows:
        optimum = optimal_tree(known, row, options.tree_seconds)
        if optimum is not None:
            done += [one_row(options, store, row, mode, optimum) for mode in ("tree", "diagram")]
    return done


def one_row(
    options: argparse.Namespace, store: Store, row: Reference, mode: str, yardstick: float
) -> dict[str, str]:
    how = (options.split, options.engine, options.exact, options.seconds, options.seed)
    setting = (*how, row.dataset, row.skeleton, mode)
    found = store.find(*setting, row.alpha)
    if found is None:
        skeleton = Skeleton.tree(4) if mode == "tree" else Skeleton.parse(row.skeleton)
        measured = measure(options, problem_of(row.dataset, skeleton, row.alpha, options.split))
        named = dict(zip(KEY, (*setting, row.alpha), strict=True))
        found = store.add(**named, yardstick=yardstick, **measured)
    show(found)
    return found


def measure(options: argparse.Namespace, problem: TrainingProblem) -> dict[str, object]:
    engine = solver_class(SEARCHES[options.engine])(seed=options.seed, n_jobs=1)
    began = time.perf_counter()
    exact = AutoSchedule(seed=options.seed) if options.exact == "auto" else None
    trained = solve_problem(problem, engine, Budget.of(options.seconds), exact=exact).state
    seconds = time.perf_counter() - began
    value = evaluate(problem, trained.diagram)
    return {
        "objective": value.objective,
        "lower_bound": trained.lower_bound,
        "n_nodes": value.n_nodes,
        "seconds": round(seconds, 3),
    }


def excess(row: dict[str, str]) -> float:
    return float(row["objective"]) - float(row["yardstick"])


def show(row: dict[str, str]) -> None:
    if excess(row) > SAME:
        place = f"{row['dataset']:30s} {row['skeleton']:16s} {row['mode']:8s} alpha {row['alpha']:>5s}"
        values = f"{float(row['objective']):.6f} against {float(row['yardstick']):.6f}"
        print(f"above: {place} {values} (+{excess(row):.4f})", flush=True)


def summarise(rows: list[dict[str, str]]) -> None:
    for mode in sorted({row["mode"] for row in rows}):
        differences = [excess(row) for row in rows if row["mode"] == mode]
        count = len(differences)
        reached = sum(difference <= SAME for difference in differences)
        better = sum(difference < -SAME for difference in differences)
        print(
            f"{mode}: {count} rows; at or below {reached / count:.1%}, strictly better {better / count:.1%}, "
            f"worst excess {max(0.0, *differences):.4f}, mean gain {0.0 - sum(differences) / count:.5f}, "
            f"longest {max(float(row['seconds']) for row in rows if row['mode'] == mode):.2f} s"
        )
    if not rows:
        print("No rows.")


if __name__ == "__main__":
    main()
