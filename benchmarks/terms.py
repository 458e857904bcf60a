"""What does a limit on the terms of weighted sums cost in accuracy?

For each of the paper's 54 data sets, univariate splits and hyperplanes of at most 1, 2, 3 and all columns,
at a few prices per node, on half of the rows; the price is chosen on a quarter, the accuracy is that of the
last quarter. A fit ends after so many seconds of counted work: a busy machine changes nothing. Rows are
stored, and a run that is started again goes on.

    python benchmarks/terms.py run --file benchmarks/results/terms.csv
    python benchmarks/terms.py table --file benchmarks/results/terms.csv
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import _data
import numpy as np
from _store import Store

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.datasets import split_indices
from oddlearn.estimators import base
from oddlearn.solve.budget import Budget

SKELETON = "1-2-4-4-4"
KINDS = ("univariate", "1", "2", "3", "all")
PRICES = (0.02, 0.005)
COLUMNS = ("table", "kind", "price", "training", "validation", "test", "nodes", "seconds")
MAX_SECONDS = 60.0


class WorkBudget(Budget):
    """A budget of counted work in place of time."""

    seconds_of_work = 1.0

    @classmethod
    def since(cls, started: float, seconds: float | None, max_iter: int | None = None) -> Budget:
        """Return a budget that ends after the work."""
        return Budget.since(started, seconds, max_iter).limit_work(cls.seconds_of_work)


def fit(kind: str, price: float, X: np.ndarray, y: np.ndarray) -> OptimalDecisionDiagramClassifier:
    """Train on some rows."""
    limit = {} if kind in ("univariate", "all") else {"max_terms": int(kind)}
    split = "univariate" if kind == "univariate" else "multivariate"
    model = OptimalDecisionDiagramClassifier(
        SKELETON, node_price=price, split=split, exact=None, time_limit=MAX_SECONDS, random_state=0, **limit
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def run(store: Store, names: list[str]) -> None:
    """Fit everything that is not stored yet."""
    for name in names:
        X, y = _data.load(name)
        rows = split_indices(len(y), "1")
        parts = [(X[some], y[some]) for some in (rows.training, rows.validation, rows.test)]
        for kind in KINDS:
            for price in PRICES:
                if store.find(name, kind, price) is not None:
                    continue
                started = time.process_time()
                model = fit(kind, price, *parts[0])
                seconds = time.process_time() - started
                scores = dict(zip(COLUMNS[3:6], (f"{model.score(*part):.6f}" for part in parts), strict=True))
                nodes = model.n_nodes_
                store.add(table=name, kind=kind, price=price, nodes=nodes, seconds=f"{seconds:.2f}", **scores)


def print_table(store: Store, names: list[str]) -> None:
    """Print mean test accuracy and nodes per kind, with the price chosen on the validation rows."""
    chosen = {}
    for name in names:
        for kind in KINDS:
            rows = [row for row in store.rows if (row["table"], row["kind"]) == (name, kind)]
            if len(rows) == len(PRICES):
                # of equal accuracy the higher price, which comes first
                chosen[name, kind] = max(rows, key=lambda row: float(row["validation"]))
    complete = [name for name in names if all((name, kind) in chosen for kind in KINDS)]
    print(f"{len(complete)} data sets")
    for kind in KINDS:
        rows = [chosen[name, kind] for name in complete]
        means = [np.mean([float(row[part]) for row in rows]) for part in COLUMNS[3:]]
        test = {name: float(chosen[name, kind]["test"]) for name in complete}
        wins = sum(test[name] > float(chosen[name, "univariate"]["test"]) for name in complete)
        losses = sum(test[name] < float(chosen[name, "univariate"]["test"]) for name in complete)
        text = " ".join(f"{mean:7.4f}" for mean in means)
        print(f"{kind:10s} {text}  better than univariate {wins}, worse {losses}")


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("run", "table"))
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--work", type=float, default=1.0, help="seconds of counted work of a fit")
    parser.add_argument("--only", nargs="*", default=None)
    args = parser.parse_args()
    names = args.only or _data.dataset_names()
    store = Store(args.file, COLUMNS, COLUMNS[:3])
    WorkBudget.seconds_of_work = args.work
    base.Budget = WorkBudget  # type: ignore[misc]
    if args.action == "run":
        run(store, names)
    print_table(store, names)


if __name__ == "__main__":
    main()
