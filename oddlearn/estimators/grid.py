"""The grid of skeletons and penalties, the selection of the best cell, ``cv_results_``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.estimators.penalty_path import FoldScore, PenaltyName
from oddlearn.problem import defaults
from oddlearn.table.checks import LARGEST, check_number

# scores this close are equal: they are means of shares of samples
SAME_SCORE = 1e-12


@dataclass(frozen=True)
class Grid:
    """Skeletons, as given and as parsed, and penalties; those of a skeleton are consecutive cells.

    ``penalty`` is the parameter that holds them, "alpha" or "node_price".
    """

    given: tuple[Any, ...]
    skeletons: tuple[Skeleton, ...]
    penalty: PenaltyName
    values: tuple[float, ...]

    @classmethod
    def parse(cls, skeletons: object, alphas: object, node_prices: object = None) -> Grid:
        """Validate the parameters ``skeletons``, ``alphas`` and ``node_prices``.

        One of the last two may be given; with neither, the default grid of alphas is taken.
        """
        example = 'such as ("1-2-4", "1-2-4-8")'
        given = _check_sequence("skeletons", skeletons, f"a sequence of skeletons {example}")
        read = tuple(Skeleton.parse(skeleton) for skeleton in given)
        return cls(given, read, *_parse_penalties(alphas, node_prices))

    @property
    def params(self) -> list[dict[str, Any]]:
        """Parameters of every cell."""
        pairs = product(self.given, self.values)
        return [{"skeleton": skeleton, self.penalty: value} for skeleton, value in pairs]

    def best(self, score: FloatArray, n_nodes: FloatArray) -> int:
        """Return the cell of the highest mean score, both of shape (n_cells,).

        Of equal scores the one with fewer nodes wins, then the smaller skeleton, then the larger penalty,
        then the one given first.
        """
        if np.isnan(score).all():
            raise InvalidInputError(
                "All mean scores are NaN, as where the validation rows of a fold lack a class: give other "
                "folds, such as cv=StratifiedKFold(5), or another scoring."
            )
        equal = np.flatnonzero(score >= np.nanmax(score) - SAME_SCORE)
        return int(min(equal, key=lambda cell: (n_nodes[cell], *self._preference(int(cell)))))

    def _preference(self, cell: int) -> tuple[int, float]:
        skeleton, place = divmod(cell, len(self.values))
        return self.skeletons[skeleton].n_nodes, -self.values[place]


def _parse_penalties(alphas: object, node_prices: object) -> tuple[PenaltyName, tuple[float, ...]]:
    """Return the parameter that holds the penalty, and its values."""
    if alphas is not None and node_prices is not None:
        raise InvalidInputError("alphas and node_prices are both given: give one of the two.")
    if node_prices is not None:
        wanted = "a sequence of numbers such as (0.002, 0.005, 0.01)"
        prices = _check_sequence("node_prices", node_prices, wanted)
        return "node_price", tuple(check_number("node_prices", price, high=LARGEST) for price in prices)
    given = defaults.ALPHA_GRID if alphas is None else alphas
    values = _check_sequence("alphas", given, "a sequence of numbers such as (0.01, 0.1)")
    return "alpha", tuple(check_number("alphas", alpha, high=LARGEST) for alpha in values)


def rank_scores(score: FloatArray) -> IntArray:
    """Return ranks from 1 for the highest score, shape (n_cells,); equal scores share the better rank."""
    comparable = np.where(np.isnan(score), -np.inf, score)
    return np.asarray([1 + int((comparable > own + SAME_SCORE).sum()) for own in comparable])


def _check_sequence(name: str, given: object, wanted: str) -> tuple[Any, ...]:
    is_sequence = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str)
    if not is_sequence or len(given) == 0:  # type: ignore[arg-type]
        raise InvalidInputError(f"{name} is {given!r}: give {wanted}.")
    return tuple(given)  # type: ignore[arg-type]


def build_cv_results(grid: Grid, paths: Sequence[Sequence[FoldScore]], n_folds: int) -> dict[str, Any]:
    """Return ``cv_results_``: columns with one entry per cell of the grid.

    ``paths``: results of all penalties, for every skeleton, for every fold.
    """
    score, seconds, n_nodes = (_table(paths, name, n_folds) for name in ("score", "seconds", "n_nodes"))
    params = grid.params
    results: dict[str, Any] = {
        "mean_fit_time": seconds.mean(axis=0),
        "std_fit_time": seconds.std(axis=0),
        "param_skeleton": _objects([cell["skeleton"] for cell in params]),
        f"param_{grid.penalty}": np.array([cell[grid.penalty] for cell in params]),
        "params": params,
    }
    results |= {f"split{fold}_test_score": row for fold, row in enumerate(score)}
    results |= {"mean_test_score": score.mean(axis=0), "std_test_score": score.std(axis=0)}
    results["rank_test_score"] = rank_scores(results["mean_test_score"])
    results |= {f"split{fold}_n_nodes": row.astype(int) for fold, row in enumerate(n_nodes)}
    return {**results, "mean_n_nodes": n_nodes.mean(axis=0)}


def _table(paths: Sequence[Sequence[FoldScore]], name: str, n_folds: int) -> FloatArray:
    """Return one row per fold, one column per cell."""
    values = [getattr(cell, name) for cells in paths for cell in cells]
    return np.array(values, dtype=np.float64).reshape(n_folds, -1)


def _objects(values: list[Any]) -> Any:  # noqa: ANN401
    # a skeleton may be a list of widths, which numpy would turn into a row
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
