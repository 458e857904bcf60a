"""A fitted model that predicts: diagram, encoding, labels and certificate; numpy is all it needs.

Exporters and the command line take it in place of an estimator, which derives from it.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import SampleRoutes
from oddlearn.model.batch_predictions import is_in_parts, predict_parts, write_predictions
from oddlearn.model.model_file import ModelRecord, parse_model
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.events import history
from oddlearn.table.column_table import read_columns
from oddlearn.table.encoded_rows import encode_table
from oddlearn.table.encoding import Encoding


class FittedAttributesMixin:
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


class DiagramPredictor(FittedAttributesMixin):
    """A model whose fitted attributes are set: those of a model file, or of a fit."""

    classes_: NDArray[Any]
    metadata_: ModelMetadata
    encoding_: Encoding | None
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def predict(self, X: Any) -> Any:  # noqa: ANN401
        """Return the label of each row of X (n, n_features), shape (n,).

        Files, given by their path or as a ``pyarrow.dataset``, are read in batches. Of a Dask collection the
        labels are a lazy one, with its partitions.
        """
        if is_in_parts(X):
            return predict_parts(self, X, "predict")
        predicted = self._route(X).predicted  # first: it refuses a model that is not fitted
        return np.asarray(self.classes_[predicted])

    def predict_proba(self, X: Any) -> Any:  # noqa: ANN401
        """Return class probabilities of each row of X, shape (n, n_classes).

        They are the class frequencies of the training samples that took the same final arc, shrunk towards
        those of the node it leaves, which count for five samples, and so on up to the root. With class
        weights, the frequencies are of weights. X is as in ``predict``.
        """
        if is_in_parts(X):
            return predict_parts(self, X, "predict_proba")
        final_arc = self._route(X).final_arc
        return self.metadata_.probabilities(self.diagram_)[final_arc]

    def predict_to(
        self,
        source: Any,  # noqa: ANN401
        output: str | PathLike[str],
        *,
        proba: bool = False,
        overwrite: bool = False,
    ) -> int:
        """Classify the rows of files in batches and write the labels to a file; return the number of rows.

        Parameters
        ----------
        source : path or pyarrow.dataset.Dataset
            A Parquet or CSV file, or a folder of them, with the columns that the diagram asks about.
        output : path
            Of a Parquet or CSV file with the column ``prediction``, in the order of the rows. It is written
            completely or not at all.
        proba : bool
            True to add the probability of each class, ``probability_<label>``.
        overwrite : bool
            True to replace a file that is there.
        """
        return write_predictions(self, source, Path(output), proba=proba, overwrite=overwrite)

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the final arc of each row of X, ``2 * node + side`` with side 1 the positive one."""
        return self._route(X).final_arc

    def decision_path(self, X: ArrayLike) -> Any:  # noqa: ANN401
        """Return the nodes on the path of each row of X: a sparse CSR array of bool, ``(n, n_nodes_)``."""
        return self._route(X).reached

    def encode(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the rows of a table as the diagram's splits read them, one column per feature.

        X has the columns of the training table, in their order; those that no split uses may be left out.
        """
        return encode_table(self, read_columns(X))

    def _route(self, X: ArrayLike) -> SampleRoutes:
        rows = self.encode(X)
        return self.diagram_.route(rows)

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


def read_predictor(content: str) -> DiagramPredictor:
    """Return the model of a JSON text written by ``to_json``, without the parameters of its estimator."""
    predictor = DiagramPredictor()
    predictor._restore(parse_model(content))
    return predictor
