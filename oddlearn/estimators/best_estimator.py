"""Mixin that delegates to the best estimator of a search."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import Notes
from oddlearn.estimators.classifiers import OptimalDecisionDiagramClassifier
from oddlearn.problem.certificate import Certificate


class BestEstimatorMixin(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """A classifier that delegates to its ``best_estimator_``, an ``OptimalDecisionDiagramClassifier``."""

    @abstractmethod
    def _best(self) -> OptimalDecisionDiagramClassifier:
        """Return the fitted model."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each row of X, shape (n,)."""
        return self._best().predict(X)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities of each row of X, shape (n, n_classes)."""
        return self._best().predict_proba(X)

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the final arc of each row of X, ``2 * node + side`` with side 1 the positive one."""
        return self._best().apply(X)

    def decision_path(self, X: ArrayLike) -> Any:  # noqa: ANN401
        """Return the nodes on the path of each row of X, a sparse CSR array of bool."""
        return self._best().decision_path(X)

    def encoded(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the encoded rows of X."""
        return self._best().encoded(X)

    def to_json(self) -> str:
        """Return the chosen model as JSON text; ``oddlearn.from_json`` reads it as a plain classifier."""
        return self._best().to_json()

    def to_html(
        self,
        path: str | PathLike[str],
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        **options: Any,  # noqa: ANN401
    ) -> Path:
        """Write the chosen model as one interactive HTML page; see ``oddlearn.export_html``."""
        return self._best().to_html(path, X, y, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the chosen model to a JSON file; ``oddlearn.load`` reads it as a plain classifier."""
        self._best().save(path)

    @property
    def n_iter_(self) -> int:
        """Iterations of the last fit."""
        return self._best().n_iter_

    @property
    def diagram_(self) -> DecisionDiagram:
        """Diagram of the chosen model."""
        return self._best().diagram_

    @property
    def notes_(self) -> Notes:
        """Names, labels and training weights of the chosen model."""
        return self._best().notes_

    @property
    def certificate_(self) -> Certificate:
        """Certificate of the chosen model."""
        return self._best().certificate_
