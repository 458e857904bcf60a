"""Who proves which optimal trees, and in which time: ours beside other packages, with the same objective.

    python benchmarks/peers.py --output benchmarks/results/peers.csv                 14 data sets, depth free
    python benchmarks/peers.py --all --depth free 3 4 5 --output peers.csv           all 54
    python benchmarks/peers.py --output peers.csv --peer oddlearn --label new        one package again

Errors per row plus a price per leaf; the training half of the split with seed "1". Each fit has a process
of its own and one thread. Time is processor time of the whole fit, imports aside, and so is the limit: a
process that takes more is ended, and its tree is lost. Rows are written one by one: a run that is ended
goes on where it was. ``--label`` names a version of ours, for rows beside those of another.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from _data import dataset_names, training_set
from _store import Store
from _tree_packages import PACKAGES, Task, measure, missing, reason_to_skip, warm_up

OURS = "oddlearn"
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

KEY = ("dataset", "price", "depth", "limit", "package", "label")
COLUMNS = (*KEY, "status", "objective", "n_leaves", "is_proved", "cpu", "seconds", "megabytes")

# objectives closer than this are equal
TOLERANCE = 1e-9

Row = dict[str, str]


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--dataset", nargs="+", metavar="NAME", default=list(DATA_SETS))
    which.add_argument("--all", action="store_true", help="all 54 data sets")
    parser.add_argument("--price", nargs="+", type=float, default=list(PRICES), help="of a leaf")
    parser.add_argument("--depth", nargs="+", default=[FREE], help='numbers, or "free"')
    parser.add_argument("--seconds", type=float, default=20.0)
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
    names = dataset_names() if options.all else options.dataset
    rows = [
        one_row(store, name, price, depth, options.seconds, package, options.label)
        for depth in options.depth
        for name in names
        for price in options.price
        for package in packages
    ]
    print("\n".join(["", *describe(rows)]))


def one_row(store: Store, name: str, price: float, depth: str, limit: float, package: str, label: str) -> Row:
    """Return the row of a package on a task, measured unless it is stored."""
    key = (name, price, depth, limit, package, label if package == OURS else "")
    row = store.find(*key)
    if row is None:
        X, labels, n_classes = training_set(name)
        tree_depth = None if depth == FREE else int(depth)
        task = Task(X, labels, n_classes, price, tree_depth, limit)
        skipped = reason_to_skip(package, task)
        answer = {"status": skipped} if skipped else asdict(measure(package, task))
        empty = dict.fromkeys(COLUMNS, "")
        row = store.add(**{**empty, **dict(zip(KEY, key, strict=True)), **answer})
        print(*row.values(), flush=True)
    return row


def is_proved(row: Row) -> bool:
    return row["is_proved"] == "True" and float(row["cpu"]) <= float(row["limit"])


def describe(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a summary: ours beside each other package, and what contradicts."""
    tasks: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        tasks.setdefault(tuple(row[name] for name in KEY[:4]), {})[row["package"]] = row
    lines = []
    for package in PACKAGES:
        both = [(task[OURS], task[package]) for task in tasks.values() if {OURS, package} <= set(task)]
        asked = [pair for pair in both if not pair[1]["status"].startswith(("no ", "too "))]
        if package != OURS and asked:
            lines.append(compare(package, asked))
    return [*lines, *(line for key, task in tasks.items() for line in contradictions(key, task))]


def compare(package: str, pairs: Sequence[tuple[Row, Row]]) -> str:
    """Return a line: proofs of both, and the ratio of times where both prove."""
    ratios = [float(a["cpu"]) / float(b["cpu"]) for a, b in pairs if is_proved(a) and is_proved(b)]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
    only = sum(is_proved(b) and not is_proved(a) for a, b in pairs)
    return (
        f"{package}: of {len(pairs)} tasks ours proves {sum(is_proved(a) for a, _ in pairs)}, it "
        f"{sum(is_proved(b) for _, b in pairs)} ({only} that ours does not); both prove {len(ratios)}, ours "
        f"in {mean:.3f} of its time (geometric mean), slower on {sum(ratio > 1 for ratio in ratios)}"
    )


def contradictions(key: tuple[str, ...], task: dict[str, Row]) -> list[str]:
    """Return a line for each package that calls a tree optimal though another has a better one."""
    found = {name: row for name, row in task.items() if row["objective"] not in ("", "nan")}
    best = min((float(row["objective"]) for row in found.values()), default=math.inf)
    return [
        f"CONTRADICTION {' '.join(key)}: {name} claims {row['objective']}, {best} was found"
        for name, row in found.items()
        if row["is_proved"] == "True" and float(row["objective"]) > best + TOLERANCE
    ]


if __name__ == "__main__":
    main()
