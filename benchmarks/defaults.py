"""Which default skeleton, node price and kind of split are best on rows that were not trained on?

Half of the rows of each table train, a quarter validates, a quarter tests. ``--stage grid`` scores every
configuration on the validation rows, ``--stage peers`` scores the library's defaults once on the test rows
beside what users would take instead. Rows are stored, and a run that is started again goes on.

    python benchmarks/defaults.py --stage grid --seeds 2 --file benchmarks/results/defaults_grid.csv
    python benchmarks/defaults.py --stage peers --seeds 5 --file benchmarks/results/defaults_peers.csv
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _data
import numpy as np
from _store import Store
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionDiagramClassifier

Table = tuple[NDArray[np.float64], NDArray[np.int64]]

SKELETONS = {
    "univariate": ("1-2-4", "1-2-4-4", "1-2-4-4-4", "1-2-4-8"),
    "multivariate": ("1", "1-2", "1-2-4"),
}
PRICES = {"univariate": (0.02, 0.01, 0.005, 0.002), "multivariate": (0.02, 0.005)}

COLUMNS = ("table", "seed", "model", "rows", "accuracy", "balanced", "nodes", "seconds")


def draw_teacher(n_rows: int, seed: int) -> Table:
    """Return normal features with labels of a diagram whose branches meet again, 8 % of them flipped."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 20))
    both = (X[:, 0] > 0.2) & (X[:, 1] > -0.3)
    y = (both | ((X[:, 2] > 0) & (X[:, 3] > 0.4))).astype(np.int64)
    return X, np.where(random.random(n_rows) < 0.08, 1 - y, y)


def draw_clusters(n_rows: int, seed: int) -> Table:
    """Return scikit-learn's clusters on the corners of a cube, with three classes and skewed columns."""
    X, y = make_classification(n_rows, 15, n_informative=6, n_classes=3, flip_y=0.05, random_state=seed)
    X[:, ::3] = np.exp(X[:, ::3])
    return X, y


def list_tables() -> dict[str, Callable[[], Table]]:
    tables: dict[str, Callable[[], Table]] = {
        name: (lambda name=name: _data.load(name)) for name in _data.dataset_names()
    }
    for n_rows in (5_000, 20_000, 100_000):
        tables[f"teacher-{n_rows}"] = lambda n_rows=n_rows: draw_teacher(n_rows, 1)
        tables[f"clusters-{n_rows}"] = lambda n_rows=n_rows: draw_clusters(n_rows, 2)
    return tables


def list_grid(seconds: float) -> dict[str, Any]:
    return {
        f"{split} {skeleton} {price:g}": OptimalDecisionDiagramClassifier(
            skeleton, node_price=price, split=split, time_limit=seconds, random_state=0
        )
        for split, skeletons in SKELETONS.items()
        for skeleton in skeletons
        for price in PRICES[split]
    }


def list_peers(seconds: float) -> dict[str, Any]:
    return {
        "oddlearn": OptimalDecisionDiagramClassifier(time_limit=seconds, random_state=0),
        "tree of depth 4": DecisionTreeClassifier(max_depth=4, random_state=0),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
    }


def divide(table: Table, seed: int) -> Iterator[NDArray[np.intp]]:
    """Return the rows that train, validate and test."""
    y = table[1]
    rare = np.bincount(y).min() < 4
    training, rest = train_test_split(
        np.arange(len(y)), test_size=0.5, random_state=seed, stratify=None if rare else y
    )
    validation, test = train_test_split(rest, test_size=0.5, random_state=seed)
    return iter((training, validation, test))


def measure(
    model: Any,  # noqa: ANN401
    table: Table,
    training: NDArray[np.intp],
    held_out: NDArray[np.intp],
) -> dict[str, Any]:
    """Train, and return what the model is worth on the rows held out."""
    X, y = table
    started = time.perf_counter()
    model.fit(X[training], y[training])
    seconds = time.perf_counter() - started
    predicted = model.predict(X[held_out])
    return {
        "rows": len(training),
        "accuracy": float((predicted == y[held_out]).mean()),
        "balanced": float(balanced_accuracy_score(y[held_out], predicted)),
        "nodes": getattr(model, "n_nodes_", ""),
        "seconds": round(seconds, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--stage", choices=["grid", "peers"], required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="time limit of each of our fits")
    parser.add_argument("--only", default="", help="models whose name contains this text")
    parser.add_argument("--file", type=Path, required=True)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    store = Store(args.file, COLUMNS, COLUMNS[:3])
    models = list_grid(args.seconds) if args.stage == "grid" else list_peers(args.seconds)
    rows = []
    for seed in range(args.seeds):
        for name, load in list_tables().items():
            table: Table | None = None
            for label, model in models.items():
                row = store.find(name, seed, label)
                if row is None and args.only in label:
                    table = table or load()
                    training, validation, test = divide(table, seed)
                    held_out = validation if args.stage == "grid" else test
                    result = measure(model, table, training, held_out)
                    row = store.add(table=name, seed=seed, model=label, **result)
                rows += [row] if row else []
    print_summary(rows)


def print_summary(rows: list[dict[str, str]]) -> None:
    """Print the means over the tables and seeds that every model has."""
    names = list(dict.fromkeys(row["model"] for row in rows))
    cells = {(row["model"], row["table"], row["seed"]): row for row in rows}
    keys = sorted({(row["table"], row["seed"]) for row in rows})
    common = [key for key in keys if all((name, *key) in cells for name in names)]
    print(f"{len(common)} pairs of table and seed")
    print(f"{'model':34} accuracy balanced seconds")
    for name in names:
        chosen = [cells[(name, *key)] for key in common]
        values = [[float(row[column]) for row in chosen] for column in ("accuracy", "balanced", "seconds")]
        accuracy, balanced, seconds = (np.mean(column) for column in values)
        print(f"{name:34} {accuracy:8.4f} {balanced:8.4f} {seconds:7.2f}")


if __name__ == "__main__":
    main()
