"""Who proves which optimal trees, and in which time: ours beside other packages, with the same objective.

    python benchmarks/peers.py --output benchmarks/results/peers.csv                 14 data sets, depth free
    python benchmarks/peers.py --all --depth free 3 4 5 --output peers.csv           all 54
    python benchmarks/peers.py --tables --depth 4 5 --price 0 --output peers.csv     tables of other packages
    python benchmarks/peers.py --all --depth free 3 4 5 --draw 100 --output peers.csv     a random sample
    python benchmarks/peers.py --output peers.csv --peer oddlearn --label new        one package again

Errors per row plus a price per leaf; the training half of the split with seed "1", or all rows of a table.
Each fit has a process of its own and one thread. Time is processor time of the whole fit, imports aside. A
proof counts within the limit of processor time; at 1.5 times of it a process is ended, and its tree is lost.
Packages are told ``--clock`` times the limit as their own limit on the clock: 1 compares trees at equal
limits, 6 proofs on shared cores. Rows are written one by one: a run that is ended goes on where it was.
``--draw`` takes so many tasks in a random order. ``--label`` names a version of ours, for rows beside others.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from _data import dataset_names, training_set
from _package_tables import TABLES, load_table, missing_package
from _peer_summary import KEY, OURS, Row, describe
from _store import Store
from _tree_packages import PACKAGES, Task, measure, missing, reason_to_skip, warm_up

FREE = "free"

# those of a first comparison, small and large, binary and continuous
DATA_SETS = (
    "parkinsons",
    "ionosphere",
    "banknote-authentication",
    "blood-transfusion-service",
    "habermans-survival",
    "pima-indians-diabetes",
    "tic-tac-toe",
    "monks2",
    "spect-heart",
    "credit-approval",
    "car-evaluation",
    "iris",
    "wine",
    "seeds",
)
PRICES = (0.05, 0.02, 0.01, 0.005)

COLUMNS = (
    *KEY,
    "n_rows",
    "n_columns",
    "status",
    "objective",
    "n_leaves",
    "is_proved",
    "cpu",
    "seconds",
    "megabytes",
)

# data set, price of a leaf, depth
TaskKey = tuple[str, float, str]


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--dataset", nargs="+", metavar="NAME", default=list(DATA_SETS))
    which.add_argument("--all", action="store_true", help="all 54 data sets")
    which.add_argument(
        "--tables", action="store_true", help="tables of 1,000 to 50,000 rows of other packages"
    )
    parser.add_argument("--price", nargs="+", type=float, default=list(PRICES), help="of a leaf")
    parser.add_argument("--depth", nargs="+", default=[FREE], help='numbers, or "free" (with a price)')
    parser.add_argument("--seconds", type=float, default=20.0, help="of processor time, for a proof")
    parser.add_argument("--clock", type=float, default=6.0, help="limits on the clock, times --seconds")
    parser.add_argument("--draw", type=int, metavar="N", help="N tasks, drawn at random")
    parser.add_argument("--seed", default="peers", help="of the draw")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no task after so many")
    parser.add_argument("--peer", nargs="+", choices=list(PACKAGES), default=list(PACKAGES))
    parser.add_argument("--label", default="", help="names a version of ours")
    parser.add_argument("--output", type=Path, help="CSV file to write, and to resume from")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    reasons = {name: missing(name) for name in options.peer}
    print("\n".join(filter(None, reasons.values())))
    packages = [name for name, reason in reasons.items() if reason is None]
    warm_up(packages)
    store = Store(options.output, COLUMNS, KEY)
    ends = time.monotonic() + 60 * options.minutes
    rows = []
    for place, key in enumerate(list_tasks(options)):
        if time.monotonic() < ends:
            first = place % len(packages)  # who begins changes from task to task
            for package in (*packages[first:], *packages[:first]):
                rows.append(one_row(store, key, options, package))
    print("\n".join(["", *describe(rows)]))


def list_tasks(options: argparse.Namespace) -> list[TaskKey]:
    """Return the tasks in the order in which they are run."""
    names: Sequence[str] = dataset_names() if options.all else options.dataset
    if options.tables:
        reasons = {name: missing_package(name) for name in TABLES}
        print("\n".join(filter(None, reasons.values())))
        names = [name for name, reason in reasons.items() if reason is None]
    tasks = [
        (name, price, depth)
        for depth in options.depth
        for name in names
        for price in options.price
        if price > 0 or depth != FREE
    ]
    if options.draw is None:
        return tasks
    return random.Random(options.seed).sample(tasks, min(options.draw, len(tasks)))


def one_row(store: Store, task_key: TaskKey, options: argparse.Namespace, package: str) -> Row:
    """Return the row of a package on a task, measured unless it is stored."""
    name, price, depth = task_key
    key = (*task_key, options.seconds, options.clock, package, options.label if package == OURS else "")
    row = store.find(*key)
    if row is None:
        X, labels, n_classes = load_table(name) if name in TABLES else training_set(name)
        tree_depth = None if depth == FREE else int(depth)
        task = Task(X, labels, n_classes, price, tree_depth, options.seconds, options.clock)
        skipped = reason_to_skip(package, task)
        answer = {"status": skipped} if skipped else asdict(measure(package, task))
        empty = {**dict.fromkeys(COLUMNS, ""), "n_rows": X.shape[0], "n_columns": X.shape[1]}
        row = store.add(**{**empty, **dict(zip(KEY, key, strict=True)), **answer})
        print(*row.values(), flush=True)
    return row


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of the other packages
    main()
