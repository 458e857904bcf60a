"""How often the search alone finds a diagram that keeps a constraint, and how much the constraint costs.

    python benchmarks/feasible.py --store feasible.csv
    python benchmarks/feasible.py --store feasible.csv --long 10 --every 6

Each training half of the data sets is searched without and with each constraint, skeleton 1-2-4-4-4, one
thread, no proof. The constant diagram keeps every one of these constraints, so that something can always be
found; what counts is the objective beside the one without constraints, and beside that of a longer search.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from _data import dataset_names, training_set
from _report import markdown
from _store import Store

from oddlearn.constraints import DemographicParity, MaxNodes, MinFlow
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import SplitKind
from oddlearn.problem import TrainingData
from oddlearn.problem.constraint_block import Constraint
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import TrainingProblem, build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import ignore
from oddlearn.table.groups import SampleGroups, SensitiveColumn

SKELETON = Skeleton.parse("1-2-4-4-4")
ALPHAS = (0.1, 0.01)
SPLITS: tuple[SplitKind, ...] = ("univariate", "multivariate")
CASES = ("none", "MinFlow 0.1", "MaxNodes 4", "parity 0.8")

KEY = ("dataset", "split", "alpha", "case", "seconds")
COLUMNS = (*KEY, "objective", "n_nodes", "violation", "iterations")

# an objective that is higher by less is the same one
SAME = 1e-9


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--store", type=Path, help="CSV file that is filled, and taken up again")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each search")
    parser.add_argument("--long", type=float, help="seconds of a longer search to compare with")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="take every K-th data set")
    parser.add_argument("--seed", type=int, default=0, help="of the searches")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    store = Store(options.store, COLUMNS, KEY)
    lengths = [options.seconds, *([options.long] if options.long else [])]
    for name in dataset_names()[:: options.every]:
        for split in SPLITS:
            for alpha in ALPHAS:
                for case in CASES:
                    for seconds in lengths:
                        if store.find(name, split, alpha, case, seconds) is None:
                            store.add(**searched(name, split, alpha, case, seconds, options.seed))
    print(markdown(table(store, options)))


def searched(
    name: str, split: SplitKind, alpha: float, case: str, seconds: float, seed: int
) -> dict[str, object]:
    """Search once, and return a row of the store; a search that found nothing has an infinite objective."""
    problem = problem_of(name, split, alpha, case)
    outcome = LocalSearch(seed=seed).search(problem, None, Budget.of(seconds), ignore)
    row = dict(zip(KEY, (name, split, alpha, case, seconds), strict=True))
    row |= {"objective": math.inf, "n_nodes": 0, "violation": math.inf, "iterations": outcome.iterations}
    if outcome.diagram is not None:
        value = evaluate(problem, outcome.diagram)
        row |= {"objective": value.objective, "n_nodes": value.n_nodes, "violation": value.raw_violation}
    return row


def problem_of(name: str, split: SplitKind, alpha: float, case: str) -> TrainingProblem:
    X, codes, n_classes = training_set(name)
    # a group that has nothing to do with anything: everybody's is drawn
    group = np.random.default_rng(len(codes)).integers(0, 2, len(codes))
    column = SensitiveColumn("group", (0, 1), group)
    sample_groups = SampleGroups(codes, np.ones(len(codes)), tuple(range(n_classes)), (column,))
    data = TrainingData.collect(X, codes, n_classes, sample_groups=sample_groups)
    return build_problem(data, SKELETON, alpha, split, constraints=constraints_of(case, n_classes))


def constraints_of(case: str, n_classes: int) -> list[Constraint]:
    made: dict[str, list[Constraint]] = {
        "none": [],
        "MinFlow 0.1": [MinFlow(0.1)],
        "MaxNodes 4": [MaxNodes(4)],
        "parity 0.8": [DemographicParity(ratio=0.8, favourable=n_classes - 1)],
    }
    return made[case]


def table(store: Store, options: argparse.Namespace) -> list[list[str]]:
    """Return a line for each kind of split, alpha and constraint."""
    lines = [["split", "alpha", "constraint", "searches", "feasible", "mean objective", "unconstrained"]]
    if options.long:
        lines[0] += [f"mean after {options.long:g} s", "as good"]
    for split in SPLITS:
        for alpha in ALPHAS:
            lines += [line_of(store, options, split, alpha, case) for case in CASES]
    return lines


def line_of(store: Store, options: argparse.Namespace, split: str, alpha: float, case: str) -> list[str]:
    short = objectives(store, split, alpha, case, options.seconds)
    free = objectives(store, split, alpha, "none", options.seconds)
    found = [name for name, objective in short.items() if math.isfinite(objective)]
    line = [split, f"{alpha:g}", case, str(len(short)), f"{len(found) / max(1, len(short)):.1%}"]
    line += [f"{mean([short[name] for name in found]):.4f}", f"{mean([free[name] for name in found]):.4f}"]
    if options.long:
        longer = objectives(store, split, alpha, case, options.long)
        both = [name for name in found if name in longer]
        as_good = [short[name] <= longer[name] + SAME for name in both]
        line += [f"{mean([longer[name] for name in both]):.4f}", f"{mean(as_good):.0%}"]
    return line


def objectives(store: Store, split: str, alpha: float, case: str, seconds: float) -> dict[str, float]:
    wanted = (split, str(alpha), case, str(seconds))
    rows = [row for row in store.rows if tuple(row[name] for name in KEY[1:]) == wanted]
    return {row["dataset"]: float(row["objective"]) for row in rows}


def mean(values: list[float] | list[bool]) -> float:
    return float(np.mean(values)) if values else math.nan


if __name__ == "__main__":
    main()
