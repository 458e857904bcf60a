"""How far proofs come: objective, bound, gap and the engine that closed it, for data sets of the paper.

    python benchmarks/proof.py --dataset iris wine --skeleton 1-2-4-8 --alpha 0.1 1 --seconds 30
    python benchmarks/proof.py --all --output proof.csv --report proof.md     (ends and resumes at any row)
    python benchmarks/proof.py --dataset iris --tree 4 --exact cpsat
    python benchmarks/proof.py --all --grid --split univariate --exact branch_and_bound --sample 216
    python benchmarks/proof.py --all --skeleton 1-2-4-8 --split multivariate --sample 60 --clock processor

The training half of the split with seed "1"; search and proof share the seconds, as in a fit. On a busy
machine ``--clock processor`` counts the time of the processor; only a MILP in a process of its own still ends
by the clock on the wall.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from _data import dataset_names, problem_of
from _report import summary_lines, written_report
from _store import Store

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.certificate import Evidence, relative_gap
from oddlearn.problem.defaults import SKELETON_GRID
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.loop import solve_problem
from oddlearn.solve.schedule import EXACT_SOLVERS, AutoSchedule, Exact, build_solver
from oddlearn.solve.state import SolveState

ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
SPLITS = ("univariate", "multivariate")

KEY = ["exact", "budget", "n_jobs", "dataset", "skeleton", "mode", "split", "alpha"]
COLUMNS = [*KEY, "objective", "lower_bound", "gap", "proved", "engine", "n_nodes", "seconds", "note"]


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--dataset", nargs="+", metavar="NAME", help="data sets, by name")
    which.add_argument("--all", action="store_true", help="all data sets")
    parser.add_argument("--skeleton", nargs="+", default=["1-2-4-4-4"], metavar="WIDTHS")
    parser.add_argument("--grid", action="store_true", help="the four skeletons of the paper")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of all rows, drawn with seed 0")
    parser.add_argument("--tree", type=int, metavar="DEPTH", help="all trees of this depth, no skeletons")
    parser.add_argument("--alpha", nargs="+", type=float, default=list(ALPHAS), metavar="PRICE")
    parser.add_argument("--split", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--seconds", type=float, default=10.0, help="for search and proof of each row")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    parser.add_argument("--exact", choices=["auto", *EXACT_SOLVERS], default="auto")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads")
    parser.add_argument("--output", type=Path, help="CSV file to write, and to resume from")
    parser.add_argument("--report", type=Path, help="markdown file to write the tables to")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.clock == "processor":
        from processor_clock import sitecustomize  # noqa: F401  (replaces time.perf_counter)
    store = Store(options.output, COLUMNS, KEY)
    names = dataset_names() if options.all else options.dataset
    given = SKELETON_GRID if options.grid else options.skeleton
    skeletons = [Skeleton.tree(options.tree)] if options.tree else map(Skeleton.parse, given)
    cases = [
        (name, skeleton, split, alpha)
        for skeleton in skeletons
        for split in options.split
        for alpha in options.alpha
        for name in names
    ]
    if options.sample is not None:
        cases = random.Random(0).sample(cases, options.sample)
    rows = [one_row(options, store, *case) for case in cases]
    print("\n".join(summary_lines(rows)))
    if options.report:
        options.report.write_text(written_report(rows), encoding="utf-8")


def one_row(
    options: argparse.Namespace, store: Store, name: str, skeleton: Skeleton, split: str, alpha: float
) -> dict[str, str]:
    mode = "tree" if skeleton.tree_only else "diagram"
    key = (options.exact, options.seconds, options.n_jobs, name, skeleton, mode, split, alpha)
    found = store.find(*key)
    if found is None:
        problem = problem_of(name, skeleton, alpha, split)
        found = store.add(**dict(zip(KEY, key, strict=True)), **measured(options, problem))
    show(found)
    return found


def measured(options: argparse.Namespace, problem: TrainingProblem) -> dict[str, object]:
    engine = LocalSearch(seed=0, n_jobs=options.n_jobs)
    began = time.perf_counter()
    trained = solve_problem(problem, engine, Budget.of(options.seconds), exact=exact_of(options)).state
    seconds = time.perf_counter() - began
    if trained.interrupted:
        sys.exit("Interrupted; the row that was at work is not kept.")
    value = evaluate(problem, trained.diagram)
    gap = relative_gap(value.objective, trained.lower_bound)
    return {
        "objective": value.objective,
        "lower_bound": trained.lower_bound,
        "gap": gap,
        "proved": gap == 0.0,
        "engine": closed_by(trained, value.objective) if gap == 0.0 else "",
        "n_nodes": value.n_nodes,
        "seconds": round(seconds, 3),
        "note": "; ".join(described(proof) for proof in trained.evidence if proof.status),
    }


def exact_of(options: argparse.Namespace) -> Exact:
    if options.exact == "auto":
        return AutoSchedule(seed=0, n_jobs=options.n_jobs)
    return build_solver(EXACT_SOLVERS[options.exact], 0, options.n_jobs)


def closed_by(trained: SolveState, objective: float) -> str:
    """Return the first engine whose bound meets the objective."""
    closing = (proof for proof in trained.evidence if proof.bound >= objective - OPTIMALITY_TOLERANCE)
    return next((proof.solver for proof in closing), "search")


def described(proof: Evidence) -> str:
    return f"{proof.solver}: {proof.status}, {proof.text}"


def show(row: dict[str, str]) -> None:
    place = f"{row['dataset']:30s} {row['skeleton']:16s} {row['split']:12s} alpha {row['alpha']:>5s}"
    values = f"objective {float(row['objective']):.5f}  bound {float(row['lower_bound']):.5f}"
    ending = f"proved by {row['engine']}" if row["proved"] == "True" else f"gap {float(row['gap']):6.1%}"
    print(f"{place}  {values}  {ending:24s} {float(row['seconds']):6.2f} s", flush=True)


if __name__ == "__main__":
    main()
