"""Training and validation parts of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import _safe_indexing

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.encoding import ColumnTable
from oddlearn.encoding.columns import is_frame
from oddlearn.errors import InvalidInputError
from oddlearn.validation import checked_sensitive

DEFAULT_FOLDS = 5

Fold = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows, labels, weights and groups as a user gave them, checked; a row is taken with all four."""

    X: Any
    y: NDArray[Any]
    sample_weight: FloatArray | None = None
    sensitive_features: dict[str, NDArray[Any]] | None = None

    def rows(self, places: IntArray) -> Samples:
        """Return these rows only."""
        weight = None if self.sample_weight is None else self.sample_weight[places]
        X = self.X.rows(places) if isinstance(self.X, ColumnTable) else _safe_indexing(self.X, places)
        groups = self.sensitive_features
        taken = None if groups is None else {name: values[places] for name, values in groups.items()}
        return Samples(X, self.y[places], weight, taken)


def samples_of(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    sensitive_features: object = None,
) -> Samples:
    """Gather a training table that was checked."""
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    rows = X if isinstance(X, ColumnTable) or is_frame(X) else np.asarray(X)
    labels = np.asarray(y).ravel()
    sensitive = checked_sensitive(sensitive_features, labels.size)
    groups = {column.name: np.array(column.levels, dtype=object)[column.codes] for column in sensitive}
    return Samples(rows, labels, weight, groups or None)


def folds_of(cv: Any, samples: Samples, validation_fraction: object, seed: int) -> list[Fold]:  # noqa: ANN401
    """Return the rows to train on and those to validate on, once for every fold."""
    if isinstance(cv, str):
        splitter = _holdout(cv, validation_fraction, seed)
    else:
        splitter = check_cv(DEFAULT_FOLDS if cv is None else cv, samples.y, classifier=True)
    X = np.zeros((samples.y.size, 1)) if isinstance(samples.X, ColumnTable) else samples.X
    return list(splitter.split(X, samples.y))


def _holdout(cv: str, validation_fraction: Any, seed: int) -> Any:  # noqa: ANN401
    if cv != "holdout":
        raise InvalidInputError(
            f'cv is {cv!r}: give None, a number of folds, a splitter of scikit-learn, or "holdout".'
        )
    is_number = isinstance(validation_fraction, (float, np.floating))
    if not is_number or not 0 < validation_fraction < 1:
        raise InvalidInputError(
            f"validation_fraction is {validation_fraction!r}: give a share of the rows above 0 and below 1."
        )
    return StratifiedShuffleSplit(1, test_size=validation_fraction, random_state=seed)
