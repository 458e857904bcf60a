"""The table of results, laid out as scikit-learn's searches do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.tuning.chain import Scored
from oddlearn.tuning.grid import Grid, ranked


def results_of(grid: Grid, chains: Sequence[Sequence[Scored]], n_folds: int) -> dict[str, Any]:
    """Return columns of one entry per cell of the grid.

    Parameters
    ----------
    grid : Grid
    chains : results of all alphas, for every skeleton, for every fold
    n_folds : int
    """
    score, seconds, n_nodes = (_table(chains, name, n_folds) for name in ("score", "seconds", "n_nodes"))
    params = grid.params
    results: dict[str, Any] = {
        "mean_fit_time": seconds.mean(axis=0),
        "std_fit_time": seconds.std(axis=0),
        "param_skeleton": _objects([cell["skeleton"] for cell in params]),
        "param_alpha": np.array([cell["alpha"] for cell in params]),
        "params": params,
    }
    results |= {f"split{fold}_test_score": row for fold, row in enumerate(score)}
    results |= {"mean_test_score": score.mean(axis=0), "std_test_score": score.std(axis=0)}
    results["rank_test_score"] = ranked(results["mean_test_score"])
    results |= {f"split{fold}_n_nodes": row.astype(int) for fold, row in enumerate(n_nodes)}
    return {**results, "mean_n_nodes": n_nodes.mean(axis=0)}


def _table(chains: Sequence[Sequence[Scored]], name: str, n_folds: int) -> FloatArray:
    """Return one row per fold, one column per cell."""
    values = [getattr(cell, name) for cells in chains for cell in cells]
    return np.array(values, dtype=np.float64).reshape(n_folds, -1)


def _objects(values: list[Any]) -> Any:  # noqa: ANN401
    # a skeleton may be a list of widths, which numpy would turn into a row
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
