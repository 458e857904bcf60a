"""Methods that users of scikit-learn's trees expect, and the display in notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from oddlearn.diagram.arc_intervals import arc_intervals
from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata


class TreeConveniencesMixin:
    """Sizes, importances, logarithms of probabilities and intervals of a fitted diagram."""

    diagram_: DecisionDiagram
    metadata_: ModelMetadata
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        """Return scikit-learn's tags: missing values and sparse matrices are accepted."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def get_depth(self) -> int:
        """Return the number of layers of nodes; 0 for a constant."""
        check_is_fitted(self)
        return self.diagram_.depth

    def get_n_leaves(self) -> int:
        """Return the number of final arcs, each of which ends in a class; 1 for a constant."""
        check_is_fitted(self)
        return len(self.diagram_.final_arcs)

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithms of ``predict_proba``, shape (n, n_classes)."""
        return np.asarray(np.log(self.predict_proba(X)))  # type: ignore[attr-defined]

    @property
    def feature_importances_(self) -> FloatArray:
        """Importance of each column of X, ``(n_features_in_,)``: the rise of the cost without it.

        The cost is the training error, weighted if samples or classes have weights, or the mean cost of a
        cost matrix. Without a column, a univariate split on it sends all rows to the side that more training
        weight at its node takes, and in a weighted sum the column has its mean; all other splits stay as they
        are. The numbers are not normalised: 0.03 means that 3 of 100 training rows more are wrong. One below
        0 says that the training cost would fall. Of large tables (more than 20 million rows x nodes x columns
        in use) rows spread evenly over the table are counted.
        """
        check_is_fitted(self)
        return np.array(self.metadata_.column_importances, dtype=np.float64)

    @property
    def arc_intervals_(self) -> NDArray[Any]:
        """Confidence interval of the share of each class on each final arc; see ``arc_intervals``."""
        check_is_fitted(self)
        return arc_intervals(self.diagram_, self.metadata_)

    def _repr_html_inner(self) -> str:
        return str(self._repr_mimebundle_()["text/html"])

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:  # noqa: ANN401
        """Return the display in notebooks: the diagram of a fitted model, scikit-learn's box of another."""
        shown: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        is_fitted = "diagram_" in vars(self) or "best_estimator_" in vars(self)
        if is_fitted and "text/html" in shown:
            from oddlearn.report.notebook import notebook_html

            shown["text/html"] = notebook_html(self)
        return shown
