"""Verification of a certificate against the training data, without a solver."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from oddlearn.errors import DiagramMisfitError, ModelFileError, OddlearnWarning, VerificationError
from oddlearn.estimators.base import DiagramClassifier
from oddlearn.estimators.classifiers import load
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import ScaledProblem, scale_problem
from oddlearn.estimators.table_inputs import read_training_table
from oddlearn.model.batch_predictions import is_in_parts
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import Evaluation, constraint_statuses, evaluate
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.table.checks import list_names
from oddlearn.table.column_table import ColumnTable, is_frame
from oddlearn.table.feature_rows import check_rows
from oddlearn.table.training_table import TrainingTable

CHECKED = (
    "Checked: the data, the weights and the parameters are those of the certificate, and the diagram has the "
    "stated objective and satisfies the constraints as stated. Not checked: the lower bound, which rests on "
    "what the solvers reported; to prove it again, fit again."
)


@dataclass(frozen=True)
class VerificationResult:
    """The result of a verification.

    Attributes
    ----------
    objective : float
        Recomputed from the diagram and the raw data.
    lower_bound : float
        As the certificate states it.
    is_optimal : bool
        True if both are equal and the diagram satisfies all constraints.
    text : str
        The checks that were made, those that were not, and the certificate's explanation.
    """

    objective: float
    lower_bound: float
    is_optimal: bool
    text: str


def verify(
    model: DiagramClassifier | str | PathLike[str],
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    sensitive_features: Any = None,  # noqa: ANN401
) -> VerificationResult:
    """Check a fitted model and its certificate against the data it was trained on; no solver is needed.

    Parameters
    ----------
    model : fitted classifier, or path of a model file
    X : array-like (n, n_features)
    y : array-like (n,)
    sample_weight : array-like (n,), optional
    sensitive_features : array, Series, DataFrame or dict of columns, optional
        As they were given to ``fit``; the order of the rows does not matter.

    Raises
    ------
    VerificationError
        If the file was changed, if data, weights or parameters are not those of the certificate, or if the
        diagram does not have the stated objective or does not satisfy the constraints as stated.
    """
    fitted = _read_model(model)
    prepared, table = _rebuild_problem(fitted, X, y, sample_weight, sensitive_features)
    certificate = fitted.certificate_
    _check_problem(certificate, prepared)
    value = _value(fitted, prepared, table)
    _check_numbers(certificate, value)
    _check_requirements(certificate, fitted, prepared, table)
    text = f"{CHECKED}\n{certificate.explain()}"
    return VerificationResult(value.objective, certificate.lower_bound, certificate.is_optimal, text)


def _read_model(model: DiagramClassifier | str | PathLike[str]) -> DiagramClassifier:
    if isinstance(model, (str, PathLike)):
        try:
            return load(model)
        except ModelFileError as problem:
            raise VerificationError(f"{problem} It cannot be verified.") from None
    # a cross-validated classifier holds the chosen one
    chosen: object = getattr(model, "best_estimator_", model)
    if not isinstance(chosen, DiagramClassifier):
        raise VerificationError(
            f"A {type(chosen).__name__} cannot be verified: give a fitted oddlearn classifier, or the path "
            "of a file written by its save method."
        )
    check_is_fitted(chosen)
    return chosen


def _rebuild_problem(
    fitted: DiagramClassifier,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    sensitive_features: Any,  # noqa: ANN401
) -> tuple[ScaledProblem, TrainingTable]:
    """Rebuild the training problem from the parameters and the data."""
    # drawing a seed would change a RandomState
    unrelated = {"n_jobs": None, "random_state": None}
    settings = validate_parameters({**fitted.get_params(deep=False), **unrelated}, fitted._skeleton())
    if not is_in_parts(X):
        _check_columns(fitted, X)
        check_rows(fitted, X)
    given = (X, y, sample_weight, sensitive_features)
    table = read_training_table(copy.copy(fitted), settings, *given, encoding=fitted.encoding_)
    if not np.array_equal(table.classes, fitted.classes_):
        raise VerificationError(
            f"The labels of y are {table.classes.tolist()[:10]}, those of the model "
            f"{fitted.classes_.tolist()[:10]}: give the data it was trained on."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddlearnWarning)  # the fit issued them
        return scale_problem(table, settings), table


def _check_columns(fitted: DiagramClassifier, X: Any) -> None:  # noqa: ANN401
    """Refuse a frame that lacks columns of training: predictions may need fewer, the problem has them all."""
    if not (is_frame(X) or isinstance(X, ColumnTable)) or not hasattr(fitted, "feature_names_in_"):
        return
    given = set(X.names if isinstance(X, ColumnTable) else X.columns)
    lacking = [str(name) for name in fitted.feature_names_in_ if name not in given]
    if lacking:
        raise VerificationError(
            f"X lacks the column{'s' * (len(lacking) > 1)} {list_names(lacking)}: a certificate is about all "
            "columns of the training data."
        )


def _check_problem(certificate: Certificate, prepared: ScaledProblem) -> None:
    problem = prepared.problem
    if problem.digest != certificate.digest:
        raise VerificationError(
            "The certificate was issued for another problem: X, y, sample_weight, sensitive_features or a "
            "parameter of the model (skeleton, alpha, node_price, split, max_terms, epsilon, class_weight, "
            "cost_matrix, constraints) differs."
        )
    max_terms = None if problem.term_limit is None else problem.term_limit.max_terms
    claimed = (
        certificate.skeleton,
        certificate.node_price,
        certificate.split,
        certificate.margin,
        certificate.max_terms,
    )
    posed = (problem.skeleton, problem.node_price, problem.split, problem.margin, max_terms)
    if claimed != posed or certificate.ignored_features != prepared.ignored_features:
        raise VerificationError("The certificate describes another problem than the one it was issued for.")


def _value(fitted: DiagramClassifier, prepared: ScaledProblem, table: TrainingTable) -> Evaluation:
    try:
        return evaluate(prepared.problem, fitted.diagram_, prepared.problem.data.raw_representatives(table.X))
    except DiagramMisfitError as problem:
        raise VerificationError(
            f"The diagram does not belong to the problem of the certificate. {problem}"
        ) from None


def _check_numbers(certificate: Certificate, value: Evaluation) -> None:
    if abs(value.objective - certificate.objective) > OPTIMALITY_TOLERANCE:
        raise VerificationError(
            f"The diagram has an objective of {value.objective!r} on these data, the certificate states "
            f"{certificate.objective!r}."
        )
    if abs(value.raw_violation - certificate.violation) > OPTIMALITY_TOLERANCE:
        raise VerificationError(
            f"The diagram violates its constraints by {value.raw_violation!r}, the certificate states "
            f"{certificate.violation!r}."
        )
    if certificate.is_feasible and certificate.lower_bound > value.objective + OPTIMALITY_TOLERANCE:
        raise VerificationError(
            f"The certificate states a lower bound of {certificate.lower_bound!r}, above the objective of "
            f"its own diagram, {value.objective!r}."
        )


def _check_requirements(
    certificate: Certificate, fitted: DiagramClassifier, prepared: ScaledProblem, table: TrainingTable
) -> None:
    raw_X = prepared.problem.data.raw_representatives(table.X)
    found = constraint_statuses(prepared.problem, fitted.diagram_, raw_X)
    if found != certificate.constraints:
        stated = [f"{entry.required}: {entry.reached}" for entry in certificate.constraints]
        raise VerificationError(
            f"The diagram has {[f'{entry.required}: {entry.reached}' for entry in found]} on these data, the "
            f"certificate states {stated}."
        )
