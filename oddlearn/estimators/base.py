"""The base class of the classifiers: fit, predict, fitted attributes."""

from __future__ import annotations

import copy
import time
from abc import ABCMeta, abstractmethod
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, default_features
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import SampleRoutes, weights_on_arcs
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import UnsupportedError
from oddlearn.estimators.conveniences import TreeConveniencesMixin
from oddlearn.estimators.model_file import ModelRecord, dump_model
from oddlearn.estimators.parameters import validate_parameters, warn_of_unused_groups
from oddlearn.estimators.scaled_problem import (
    ScaledProblem,
    build_certificate,
    check_single_nodes,
    run_fit,
    scale_problem,
    warn_of_unpredicted,
)
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.events import history
from oddlearn.problem.feature_importance import column_importances
from oddlearn.problem.scaling import UnitScaling
from oddlearn.solve.budget import Budget
from oddlearn.solve.interrupt import handle_interrupts
from oddlearn.table.encoding import Encoding
from oddlearn.table.feature_rows import check_rows
from oddlearn.table.files import write_whole
from oddlearn.table.training_table import check_training_table

Self = TypeVar("Self", bound="DiagramClassifier")


class FittedAttributesMixin(TreeConveniencesMixin):
    """Fitted attributes that are read from the diagram and its certificate."""

    diagram_: DecisionDiagram
    certificate_: Certificate

    @property
    def objective_(self) -> float:
        """Training objective: mean cost plus complexity penalty."""
        return self.certificate_.objective

    @property
    def lower_bound_(self) -> float:
        """Lower bound on the objective of every diagram of the skeleton."""
        return self.certificate_.lower_bound

    @property
    def gap_(self) -> float:
        """Relative gap between the objective and the lower bound."""
        return self.certificate_.gap

    @property
    def is_optimal_(self) -> bool:
        """True if the diagram is proved optimal; see ``certificate_.explain()``."""
        return self.certificate_.is_optimal

    @property
    def history_(self) -> NDArray[Any]:
        """Records of seconds, objective, lower_bound and n_nodes, one per improvement."""
        return history(self.certificate_.events)

    @property
    def n_nodes_(self) -> int:
        """Number of internal nodes."""
        return self.diagram_.n_nodes

    @property
    def depth_(self) -> int:
        """Number of layers in use."""
        return self.diagram_.depth


class DiagramClassifier(FittedAttributesMixin, ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base class of the classifiers whose model is a decision diagram."""

    classes_: NDArray[Any]
    diagram_: DecisionDiagram
    metadata_: ModelMetadata
    encoding_: Encoding | None
    certificate_: Certificate
    n_iter_: int

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        """Return scikit-learn's tags: missing values and sparse matrices are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def _skeleton(self) -> Skeleton:
        """Return the skeleton that the parameters describe."""

    def fit(
        self: Self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        sensitive_features: Any = None,  # noqa: ANN401
    ) -> Self:
        """Train a diagram.

        Parameters
        ----------
        X : array-like or frame (n, n_features)
            Numbers, also as a sparse matrix, or a pandas or polars frame whose columns may also be booleans,
            text, categories, dates and times. None, NaN, NaT and NA are missing values.
        y : array-like (n,)
            Labels of at least two classes.
        sample_weight : array-like (n,), optional
            Weights of 0 or more; a row of weight 2 counts as two rows.
        sensitive_features : array, Series, DataFrame or dict of columns, optional
            The group of every row, by one or more columns, for constraints that compare groups. They are not
            features of the model: ``predict`` does not need them.

        Returns
        -------
        self

        Raises
        ------
        InfeasibleError
            If it is proved that no diagram satisfies the constraints.
        NoFeasibleDiagramError
            If none was found within the time limit.
        """
        self._fit_from(None, X, y, sample_weight, sensitive_features)
        return self

    def _fit_from(
        self,
        start: DecisionDiagram | None,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        sensitive_features: Any = None,  # noqa: ANN401
        scaling: UnitScaling | None = None,
    ) -> DecisionDiagram:
        """Fit, starting the search from a diagram in unit coordinates; return the best one in the same units.

        The unit box is that of X unless a scaling is given.
        """
        started = time.perf_counter()
        settings = validate_parameters(self.get_params(deep=False), self._skeleton())
        budget = Budget.since(started, settings.seconds, settings.max_iter)
        # a failed fit must not change an earlier model: fit a copy and take it over at the end
        draft = copy.copy(self)
        table = check_training_table(draft, X, y, sample_weight, sensitive_features)
        warn_of_unused_groups(table.sample_groups.columns, settings.constraints)
        prepared = scale_problem(table, settings, scaling)
        with handle_interrupts():
            result = run_fit(prepared, settings, budget, start)
            result, is_checked = check_single_nodes(prepared, result, budget)
            raw_X = prepared.problem.data.raw_representatives(table.X)
            diagram = prepared.to_raw_units(result.state.diagram, raw_X)
            draft.classes_ = table.classes
            draft.encoding_ = table.encoding
            draft.diagram_ = diagram
            draft.certificate_ = build_certificate(
                prepared, result, diagram, raw_X, table, is_checked
            )
            draft.metadata_ = draft._metadata(prepared, raw_X, is_weighted=table.is_weighted)
            draft.n_iter_ = result.state.iterations
            warn_of_unpredicted(prepared, draft.certificate_, has_class_weight=self.class_weight is not None)
            self.__dict__ = draft.__dict__
        return result.state.diagram

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each row of X (n, n_features), shape (n,)."""
        predicted = self._route(X).predicted
        return np.asarray(self.classes_[predicted])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities of each row of X, shape (n, n_classes).

        They are the class frequencies of the training samples that took the same final arc, with one
        pseudo-sample spread evenly over the classes.
        """
        final_arc = self._route(X).final_arc
        return self.metadata_.probabilities(self.diagram_.arc_class)[final_arc]

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the final arc of each row of X, ``2 * node + side`` with side 1 the positive one."""
        return self._route(X).final_arc

    def decision_path(self, X: ArrayLike) -> Any:  # noqa: ANN401
        """Return the nodes on the path of each row of X, a sparse CSR array of bool, shape (n, n_nodes_)."""
        return self._route(X).reached

    def encode(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the encoded rows of X, one column per feature of ``metadata_.features``.

        A category that did not occur in training is 0 in all features of its column, with a warning.
        """
        check_is_fitted(self)
        return check_rows(self, X)

    def to_json(self) -> str:
        """Return the fitted model as JSON text, which ``oddlearn.from_json`` reads.

        Parameters that JSON cannot hold (a RandomState, a user-defined constraint) are not stored, with a
        warning, and are read back as their defaults; predictions do not depend on them. Data frames are read
        back as arrays. Subclasses cannot be stored.
        """
        check_is_fitted(self)
        if DiagramClassifier not in type(self).__bases__:
            raise UnsupportedError(
                f"A model of class {type(self).__name__} cannot be written as JSON, only those of oddlearn's "
                "own classes: use joblib.dump."
            )
        # drawing a seed would change a RandomState
        validate_parameters({**self.get_params(deep=False), "random_state": None}, self._skeleton())
        return dump_model(
            ModelRecord(
                type(self).__name__,
                self.get_params(deep=False),
                self.classes_,
                self.diagram_,
                self.metadata_,
                self.certificate_,
                self.n_iter_,
                self.encoding_,
            )
        )

    def to_html(
        self,
        path: str | PathLike[str],
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        **options: Any,  # noqa: ANN401
    ) -> Path:
        """Write the model as one interactive HTML page; see ``oddlearn.export_html`` for the options."""
        from oddlearn.report import export_html  # not needed by fit

        return export_html(self, path, X, y, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to a JSON file, which ``oddlearn.load`` reads."""
        write_whole(Path(path), self.to_json())

    def _route(self, X: ArrayLike) -> SampleRoutes:
        rows = self.encode(X)
        return self.diagram_.route(rows)

    def _metadata(self, prepared: ScaledProblem, raw_X: FloatArray, is_weighted: bool) -> ModelMetadata:
        weights = weights_on_arcs(self.diagram_, raw_X, prepared.problem.data.class_weight)
        names, features = getattr(self, "feature_names_in_", None), default_features(self.diagram_.n_features)
        if self.encoding_ is not None:
            features = self.encoding_.features
            if self.encoding_.has_names or not self.encoding_.is_numeric:
                names = [feature.name for feature in features]
        given = None if names is None else tuple(names)
        importances = column_importances(prepared.problem, self.diagram_, raw_X, self._column_of(features))
        labels = tuple(self.classes_)
        return ModelMetadata(given, labels, weights, features, is_weighted, tuple(importances.tolist()))

    def _column_of(self, features: tuple[Feature, ...]) -> list[int]:
        """Return the column of X behind each feature."""
        if self.encoding_ is None:
            return list(range(len(features)))
        return [place for place, column in enumerate(self.encoding_.columns) for _ in column.features]

    def _restore(self, model: ModelRecord) -> None:
        """Set the fitted attributes from a model file."""
        self.classes_ = model.classes
        self.diagram_ = model.diagram
        self.metadata_ = model.metadata
        self.certificate_ = model.certificate
        self.n_iter_ = model.iterations
        self.encoding_ = model.encoding
        names = model.metadata.feature_names
        self.n_features_in_ = model.diagram.n_features
        if model.encoding is not None:
            names = model.encoding.names if model.encoding.has_names else None
            self.n_features_in_ = len(model.encoding.columns)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
