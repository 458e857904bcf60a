"""The base class of the classifiers: fit, predict, fitted attributes."""

from __future__ import annotations

import copy
import time
from abc import ABCMeta, abstractmethod
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from oddlearn.constraints.fairness import find_favourable_class
from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, default_features
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import weights_on_arcs
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import UnsupportedError
from oddlearn.estimators.conveniences import TreeConveniencesMixin
from oddlearn.estimators.fit_callbacks import FitCallbacksMixin, fit_task
from oddlearn.estimators.fit_certificate import (
    build_certificate,
    describe_missed_classes,
    warn_of_missed_classes,
)
from oddlearn.estimators.parameter_json import encode_parameters
from oddlearn.estimators.parameters import validate_parameters, warn_of_unused_groups
from oddlearn.estimators.scaled_problem import (
    ScaledProblem,
    check_single_nodes,
    run_fit,
    scale_problem,
    warn_of_interrupt,
)
from oddlearn.estimators.table_inputs import read_training_table
from oddlearn.model.model_file import ModelRecord, dump_model
from oddlearn.model.predictor import DiagramPredictor
from oddlearn.problem.feature_importance import column_importances
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.scaling import UnitScaling
from oddlearn.solve.budget import Budget
from oddlearn.solve.interrupt import handle_interrupts
from oddlearn.solve.solver import Emit, ignore
from oddlearn.table.feature_rows import check_rows
from oddlearn.table.files import write_whole
from oddlearn.table.training_table import TrainingTable

Self = TypeVar("Self", bound="DiagramClassifier")


class DiagramClassifier(
    TreeConveniencesMixin,
    DiagramPredictor,
    FitCallbacksMixin,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    metaclass=ABCMeta,
):
    """Base class of the classifiers whose model is a decision diagram."""

    @abstractmethod
    def _skeleton(self) -> Skeleton | None:
        """Return the skeleton that the parameters describe, None if it is that of the trees that can pay."""

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
        X : array-like or frame (n, n_features), path, pyarrow.dataset.Dataset, or Dask array or frame
            Numbers, also as a sparse matrix, or a pandas or polars frame whose columns may also be booleans,
            text, categories, dates and times. None, NaN, NaT and NA are missing values. Files are given by
            the path of a Parquet or CSV file or of a folder; large ones are read in batches.
        y : array-like (n,), name of a column of the files, or Dask collection
            Labels of at least two classes.
        sample_weight : array-like (n,), name of a column of the files, or Dask collection, optional
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

        Notes
        -----
        Callbacks set by ``set_callbacks`` are called at every better diagram and bound.
        """
        with fit_task(self, X, y, sample_weight) as emit:
            self._fit_from(None, X, y, sample_weight, sensitive_features, emit=emit)
        return self

    def _fit_from(
        self,
        start: DecisionDiagram | None,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        sensitive_features: Any = None,  # noqa: ANN401
        scaling: UnitScaling | None = None,
        emit: Emit = ignore,
    ) -> DecisionDiagram:
        """Fit, starting the search from a diagram in unit coordinates; return the best one in the same units.

        The unit box is that of X unless a scaling is given.
        """
        started = time.perf_counter()
        settings = validate_parameters(self.get_params(deep=False), self._skeleton())
        budget = Budget.since(started, settings.seconds, settings.max_iter)
        # a failed fit must not change an earlier model: fit a copy and take it over at the end
        draft = copy.copy(self)
        table = read_training_table(draft, settings, X, y, sample_weight, sensitive_features)
        warn_of_unused_groups(table.sample_groups.columns, settings.constraints)
        prepared = scale_problem(table, settings, scaling)
        with handle_interrupts() as interrupt:
            result = run_fit(prepared, settings, budget, start, emit)
            is_told = result.state.interrupted
            result, is_checked = check_single_nodes(prepared, result, budget)
            prepared.problem.data.release_columns()
            raw_X = prepared.problem.data.raw_representatives(table.X)
            diagram = prepared.to_raw_units(result.state.diagram, raw_X, budget)
            draft.classes_ = table.classes
            draft.encoding_ = table.encoding
            draft.diagram_ = diagram
            draft.certificate_ = build_certificate(prepared, result, diagram, raw_X, table, is_checked)
            draft.metadata_ = draft._metadata(prepared, raw_X, table)
            # at least 1, as scikit-learn wants it: a proof may need no search
            draft.n_iter_ = max(1, result.state.iterations)
            missed = describe_missed_classes(diagram, draft.metadata_, draft.certificate_)
            draft.certificate_ = replace(draft.certificate_, missed_text=missed)
            if prepared.is_usable.any():
                warn_of_missed_classes(
                    draft.metadata_, draft.certificate_, has_class_weight=self.class_weight is not None
                )
            self.__dict__ = draft.__dict__
        if interrupt.requested and not is_told:  # after the last step: loops over fits must hear of it
            warn_of_interrupt(stacklevel=4)
        return result.state.diagram

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
                encode_parameters(self.get_params(deep=False)),
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

    def _metadata(self, prepared: ScaledProblem, raw_X: FloatArray, table: TrainingTable) -> ModelMetadata:
        data = prepared.problem.data
        if isinstance(data, LargeData):
            weights = data.arc_weights(self.diagram_)
        else:
            weights = weights_on_arcs(self.diagram_, raw_X, data.class_weight)
        names = getattr(self, "feature_names_in_", None)
        if self.encoding_ is None:
            features = default_features(self.diagram_.n_features)
        else:
            features = self.encoding_.features
            if self.encoding_.has_names or not self.encoding_.is_numeric:
                names = [feature.name for feature in features]
        given = None if names is None else tuple(names)
        constraints = [block.constraint for block in prepared.problem.constraint_blocks]
        importances = column_importances(prepared.problem, self.diagram_, raw_X, self._column_of(features))
        return ModelMetadata(
            given,
            tuple(self.classes_),
            weights,
            features,
            table.has_sample_weights,
            tuple(importances.tolist()),
            table.class_weights,
            find_favourable_class(constraints, self.classes_.tolist()),
        )

    def _column_of(self, features: tuple[Feature, ...]) -> list[int]:
        """Return the column of X behind each feature."""
        if self.encoding_ is None or len(features) == len(self.encoding_.columns):
            return list(range(len(features)))
        return list(self.encoding_.column_of)
