"""Random tables: is a diagram ever worse on its training rows than what users know?

    python benchmarks/tables.py --part trees
    python benchmarks/tables.py --part hyperplanes

Each of 200 tables has 100 to 100,000 rows, 2 to 8 classes and columns of many kinds: normal, lognormal,
Cauchy, Pareto, with sentinel codes, integers up to 1e9, values 1e-12 apart, few levels, constant and copied;
two thirds of the tables have up to 40 % missing values. "trees": a tree of default options with alpha 0
beside DecisionTreeClassifier of the same depth. "hyperplanes": one multivariate node beside logistic
regression with medians, indicators of missing values and standard scaling; with more than two classes the
best of one regression for each class against the others, as one node has two sides. Training errors are
compared; seconds are those of both models. Rows are appended to a file; a run that was ended goes on where it
was.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _store import Store
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier

Array = NDArray[Any]

COLUMNS = ("seed", "rows", "features", "classes", "missing", "depth", "ours", "theirs", "optimal", "seconds")
KINDS = ("normal", "lognormal", "cauchy", "pareto", "sentinels", "integers", "close", "levels")
RESULTS = Path(__file__).parent / "results"


def draw_column(kind: str, n_rows: int, random: np.random.Generator) -> Array:
    """Return a column of a kind."""
    normal = random.normal(size=n_rows)
    columns = {
        "normal": lambda: normal,
        "lognormal": lambda: np.exp(8 + normal),
        "cauchy": lambda: random.standard_cauchy(n_rows),
        "pareto": lambda: random.pareto(1.1, n_rows),
        "sentinels": lambda: np.where(random.random(n_rows) < 0.02, -999.0, np.exp(normal)),
        "integers": lambda: random.integers(0, 10**9, n_rows).astype(float),
        "close": lambda: 1.0 + 1e-12 * random.integers(0, 2000, n_rows),
        "levels": lambda: random.integers(0, random.integers(2, 9), n_rows).astype(float),
    }
    return columns[kind]()


def rank_scores(column: Array) -> Array:
    """Return a column's ranks between -1 and 1."""
    ranks = np.unique(column, return_inverse=True)[1]
    return 2 * ranks / max(ranks.max(), 1) - 1


def draw_table(seed: int) -> tuple[Array, Array, int]:
    """Return X with missing values, y, and a depth."""
    random = np.random.default_rng(seed)
    n_rows = int(np.exp(random.uniform(np.log(100), np.log(100_000))))
    n_features, n_classes = int(random.integers(2, 21)), int(random.integers(2, 9))
    X = np.column_stack([draw_column(kind, n_rows, random) for kind in random.choice(KINDS, n_features)])
    score = random.normal(0, random.uniform(0.1, 1.0), (n_rows, n_classes))
    for place in range(n_features):
        ranks = rank_scores(X[:, place])[:, None]
        score += random.normal(0, 0.5, n_classes) * ranks + random.normal(0, 0.5, n_classes) * (ranks > 0.3)
    if random.random() < 0.5:
        X = np.column_stack([X, np.full(n_rows, random.normal()), X[:, random.integers(n_features)]])
    y = score.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)  # every class has a row
    if random.random() < 2 / 3:
        X[random.random(X.shape) < random.uniform(0, 0.4)] = np.nan
    return X, y, int(random.integers(1, 6))


def tree_errors(X: Array, y: Array, depth: int, seconds: float) -> tuple[Any, float, float]:
    """Return our tree and the training errors of both trees."""
    ours = OptimalDecisionTreeClassifier(max_depth=depth, alpha=0, time_limit=seconds, random_state=0)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return ours.fit(X, y), 1 - ours.score(X, y), 1 - theirs.fit(X, y).score(X, y)


def hyperplane_errors(X: Array, y: Array, depth: int, seconds: float) -> tuple[Any, float, float]:
    """Return our diagram of one hyperplane and the training errors of it and of logistic regression."""
    ours = OptimalDecisionDiagramClassifier(
        skeleton="1", split="multivariate", alpha=0, time_limit=seconds, random_state=0
    )
    return ours.fit(X, y), 1 - ours.score(X, y), logistic_error(X, y)


def logistic_error(X: Array, y: Array) -> float:
    """Return the least training error of the two sides of a regression, each with its commonest class."""
    errors = []
    for label in np.unique(y)[1 if y.max() == 1 else 0 :]:
        model = make_pipeline(
            SimpleImputer(strategy="median", add_indicator=True),
            StandardScaler(),
            LogisticRegression(max_iter=1000),
        )
        side = model.fit(X, y == label).predict(X)
        correct = sum(np.bincount(y[side == here]).max(initial=0) for here in (False, True))
        errors.append(1 - correct / len(y))
    return min(errors)


PARTS = {"trees": tree_errors, "hyperplanes": hyperplane_errors}


def run_table(part: str, seed: int, seconds: float, store: Store) -> None:
    """Measure one table and append its row."""
    X, y, depth = draw_table(seed)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, ours, theirs = PARTS[part](X, y, depth, seconds)
    store.add(
        seed=seed,
        rows=len(y),
        features=X.shape[1],
        classes=int(y.max()) + 1,
        missing=f"{np.isnan(X).mean():.3f}",
        depth=depth if part == "trees" else 1,
        ours=f"{ours:.6f}",
        theirs=f"{theirs:.6f}",
        optimal=model.is_optimal_,
        seconds=f"{time.perf_counter() - started:.2f}",
    )


def print_summary(store: Store) -> None:
    """Print errors by the number of rows, and every table on which ours is larger."""
    rows = store.rows
    print(
        f"{'rows':>18s} {'tables':>7s} {'ours':>8s} {'theirs':>8s} {'worse':>6s} {'equal':>6s} {'proved':>7s}"
    )
    for low in (100, 1000, 10_000, 0):
        mine = [row for row in rows if low == 0 or low <= int(row["rows"]) < 10 * low]
        if not mine:
            continue
        ours, theirs = (np.array([float(row[name]) for row in mine]) for name in ("ours", "theirs"))
        label = f"{low} to {10 * low}" if low else "all"
        proved = sum(row["optimal"] == "True" for row in mine)
        print(
            f"{label:>18s} {len(mine):7d} {ours.mean():8.4f} {theirs.mean():8.4f} "
            f"{(ours > theirs).sum():6d} {(ours == theirs).sum():6d} {proved:7d}"
        )
    for row in rows:
        if float(row["ours"]) > float(row["theirs"]):
            print("worse:", " ".join(f"{name}={row[name]}" for name in COLUMNS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", choices=list(PARTS), default="trees")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="*", help="these tables only")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--file", type=Path, help="rows; by default results/tables_PART.csv")
    options = parser.parse_args()
    path = options.file or RESULTS / f"tables_{options.part}.csv"
    store = Store(path, COLUMNS, ("seed",))
    for seed in options.seeds or range(options.tables):
        if store.find(seed) is None:
            run_table(options.part, seed, options.seconds, store)
    print_summary(store)


if __name__ == "__main__":
    main()
