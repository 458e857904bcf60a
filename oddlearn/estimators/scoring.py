"""The scorer of a search over parameters, by its name in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer_names

from oddlearn.errors import InvalidInputError

# scikit-learn's scorers of predicted classes and of their probabilities
SCORERS = (
    "accuracy", "average_precision", "balanced_accuracy", "d2_brier_score", "d2_log_loss_score", "f1",
    "f1_macro", "f1_micro", "f1_weighted", "jaccard", "jaccard_macro", "jaccard_micro", "jaccard_weighted",
    "matthews_corrcoef", "neg_brier_score", "neg_log_loss", "precision", "precision_macro",
    "precision_micro", "precision_weighted", "recall", "recall_macro", "recall_micro", "recall_weighted",
    "roc_auc", "roc_auc_ovo", "roc_auc_ovo_weighted", "roc_auc_ovr", "roc_auc_ovr_weighted",
    "top_k_accuracy",
)  # fmt: skip

# these score the class with the label 1, and have variants for other labels and for more classes
OF_LABEL_ONE = ("f1", "jaccard", "precision", "recall")

# these need labels 0 and 1, or -1 and 1, if there are two classes; each with one that takes any labels
OF_BINARY_NUMBERS = {
    "average_precision": "roc_auc",
    "d2_brier_score": "d2_log_loss_score",
    "neg_brier_score": "neg_log_loss",
}


def parse_scoring(estimator: Any, scoring: Any, classes: NDArray[Any]) -> Callable[..., float]:  # noqa: ANN401
    """Return the scorer ``(estimator, X, y, ...) -> float`` of a name, a callable, or None for the accuracy.

    A name that is unknown, or that does not suit the classes, raises InvalidInputError.
    """
    if isinstance(scoring, str):
        _check_name(scoring, classes.tolist())
    elif scoring is not None and not callable(scoring):
        raise InvalidInputError(f"scoring is {scoring!r}: give one scorer, a name or a callable.")
    scorer: Callable[..., float] = check_scoring(estimator, scoring=scoring)
    return scorer


def scorer_names() -> list[str]:
    """Return the names that ``scoring`` takes with this version of scikit-learn."""
    available = set(get_scorer_names())
    return [name for name in SCORERS if name in available]


def _check_name(name: str, labels: list[Any]) -> None:
    if name not in scorer_names():
        raise InvalidInputError(f"scoring is {name!r}: give one of {', '.join(scorer_names())}.")
    if name == "roc_auc" and len(labels) > 2:
        raise InvalidInputError(
            f"scoring is {name!r}, for two classes, and y has {len(labels)}: give 'roc_auc_ovr'."
        )
    if name in OF_BINARY_NUMBERS and len(labels) == 2 and labels not in ([0, 1], [-1, 1]):
        raise InvalidInputError(
            f"scoring is {name!r}, which needs the labels 0 and 1, and y has {labels}: change them, or give "
            f"'{OF_BINARY_NUMBERS[name]}'."
        )
    if name in OF_LABEL_ONE and (len(labels) > 2 or 1 not in labels):
        raise InvalidInputError(
            f"scoring is {name!r}, the {name} of the label 1 among two classes; the labels of y are "
            f"{labels[:10]}: give '{name}_macro' or '{name}_weighted'."
        )
