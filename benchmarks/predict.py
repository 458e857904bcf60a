"""Rows predicted per second, against scikit-learn's tree of equal depth in the same run.

    python benchmarks/predict.py

Both models see the same table of 1,000,000 x 20 by default, once as float64 and once as float32; one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionDiagramClassifier

# fastest of so many runs: what the machine can do, not what else it did
RUNS = 5


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Rows predicted per second.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--skeleton", default="1-2-4-4-4")
    parser.add_argument("--split", choices=["univariate", "multivariate"], default="univariate")
    return parser.parse_args()


def table(rows: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return uniform rows and three classes that need several nodes to tell apart."""
    random = np.random.default_rng(0)
    X = random.random((rows, features))
    return X, (2 * X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] > 0.5)).astype(int).clip(0, 2)


def rows_per_second(predict: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> float:
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        predict(X)
        seconds.append(time.perf_counter() - began)
    return len(X) / min(seconds)


def main() -> None:
    options = arguments()
    X, y = table(options.rows, options.features)
    few = slice(0, 1000)
    model = OptimalDecisionDiagramClassifier(
        options.skeleton, alpha=0.0, split=options.split, max_iter=200, time_limit=5, random_state=0
    )
    model.fit(X[few], y[few])
    tree = DecisionTreeClassifier(max_depth=model.depth_, random_state=0).fit(X[few], y[few])
    depths = f"depth {model.depth_} and {tree.get_depth()}"
    print(f"{options.rows} x {options.features}, {options.split}, {depths}")
    for kind in (np.float64, np.float32):
        given = X.astype(kind)
        ours, theirs = rows_per_second(model.predict, given), rows_per_second(tree.predict, given)
        values = f"{ours:,.0f} rows/s, scikit-learn {theirs:,.0f} rows/s, {ours / theirs:.2f} x"
        print(f"{kind.__name__}: {values}")


if __name__ == "__main__":
    main()
