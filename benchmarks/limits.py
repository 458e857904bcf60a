"""Is time_limit kept? Fits on every data set, both kinds of split, all skeletons of 15 nodes.

    python benchmarks/limits.py --output limits.csv        (ends and resumes at any row)
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from _data import FIFTEEN_NODES, dataset_names, load
from _store import Store

from oddlearn import OptimalDecisionDiagramClassifier

KEY = ["dataset", "split", "skeleton", "time_limit"]
COLUMNS = [*KEY, "seconds", "objective", "lower_bound"]

# fits this much over their limit are shown
WORTH_SHOWING = 0.1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Overshoot of time_limit.")
    parser.add_argument("--seconds", type=float, default=2.0, help="the time limit of each fit")
    parser.add_argument("--dataset", help="only data sets whose name contains this")
    parser.add_argument("--output", type=Path, help="CSV file to write, and to resume from")
    return parser.parse_args()


def one_fit(store: Store, name: str, split: str, skeleton: str, limit: float) -> dict[str, str]:
    found = store.find(name, split, skeleton, limit)
    if found is not None:
        return found
    X, y = load(name)
    model = OptimalDecisionDiagramClassifier(skeleton, split=split, time_limit=limit, random_state=0)
    began = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - began
    return store.add(
        dataset=name,
        split=split,
        skeleton=skeleton,
        time_limit=limit,
        seconds=round(seconds, 3),
        objective=model.objective_,
        lower_bound=model.lower_bound_,
    )


def overshoot(row: dict[str, str]) -> float:
    return float(row["seconds"]) - float(row["time_limit"])


def described(row: dict[str, str]) -> str:
    return f"{row['dataset']} {row['split']} {row['skeleton']}: {overshoot(row):+.3f} s"


def main() -> None:
    options = arguments()
    store = Store(options.output, COLUMNS, KEY)
    names = [name for name in dataset_names() if not options.dataset or options.dataset in name]
    rows = []
    for name in names:
        for split in ("univariate", "multivariate"):
            for skeleton in FIFTEEN_NODES:
                row = one_fit(store, name, split, skeleton, options.seconds)
                rows.append(row)
                if overshoot(row) > WORTH_SHOWING:
                    print(described(row), flush=True)
    if rows:
        early = sum(overshoot(row) < 0 for row in rows)
        worst = described(max(rows, key=overshoot))
        print(f"{len(rows)} fits, {early} ended before their limit; largest overshoot: {worst}")


if __name__ == "__main__":
    main()
