"""A certificate checked against the data: the objective by plain code, with no solver."""

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
from oddlearn.estimators.parameters import checked_settings
from oddlearn.estimators.scaled_problem import Prepared, prepare
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import Evaluation, evaluate, reached_requirements
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.table.feature_rows import checked_rows
from oddlearn.table.training_table import Table, checked_table

CHECKED = (
    "Checked: the data, the weights and the parameters are those of the certificate, and the diagram has the "
    "objective it states and keeps what it is said to keep. Not checked: the lower bound, which rests on the "
    "evidence below; to have it proved anew, fit again."
)


@dataclass(frozen=True)
class Verified:
    """What a model was found to be.

    Attributes
    ----------
    objective : float
        Recomputed from the diagram and the raw data.
    lower_bound : float
        As the certificate states it.
    is_optimal : bool
        True when both are equal and the diagram keeps all constraints.
    text : str
        What was checked, what was not, and the certificate's claim.
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
) -> Verified:
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
        When the file was changed, when data, weights or parameters are not those of the certificate, or when
        the diagram does not have the objective it states, or does not keep the constraints as it says.
    """
    fitted = _fitted(model)
    prepared, table = _posed_again(fitted, X, y, sample_weight, sensitive_features)
    certificate = fitted.certificate_
    _check_problem(certificate, prepared)
    value = _value(fitted, prepared, table)
    _check_numbers(certificate, value)
    _check_requirements(certificate, fitted, prepared, table)
    text = f"{CHECKED}\n{certificate.explain()}"
    return Verified(value.objective, certificate.lower_bound, certificate.is_optimal, text)


def _fitted(model: DiagramClassifier | str | PathLike[str]) -> DiagramClassifier:
    if isinstance(model, (str, PathLike)):
        try:
            return load(model)
        except ModelFileError as problem:
            raise VerificationError(f"{problem} Nothing it states can be relied on.") from None
    # a search over parameters keeps the classifier it chose
    chosen: object = getattr(model, "best_estimator_", model)
    if not isinstance(chosen, DiagramClassifier):
        raise VerificationError(
            f"A {type(chosen).__name__} cannot be verified: give a fitted oddlearn classifier, or the path "
            "of a file written by its save method."
        )
    check_is_fitted(chosen)
    return chosen


def _posed_again(
    fitted: DiagramClassifier,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    sensitive_features: Any,  # noqa: ANN401
) -> tuple[Prepared, Table]:
    """Pose the problem that the parameters and the data describe."""
    # how a diagram is found is no part of the problem, and drawing a seed would change a RandomState
    unrelated = {"search": "construct", "exact": None, "n_jobs": None, "random_state": None}
    settings = checked_settings({**fitted.get_params(deep=False), **unrelated}, fitted._skeleton())
    checked_rows(fitted, X)
    encoding = getattr(fitted, "encoding_", None)  # models pickled before there were encodings have none
    table = checked_table(copy.copy(fitted), X, y, sample_weight, sensitive_features, encoding=encoding)
    if not np.array_equal(table.classes, fitted.classes_):
        raise VerificationError(
            f"The labels of y are {table.classes.tolist()[:10]}, those of the model "
            f"{fitted.classes_.tolist()[:10]}: give the data it was trained on."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddlearnWarning)  # the fit has given them
        return prepare(table, settings), table


def _check_problem(certificate: Certificate, prepared: Prepared) -> None:
    problem = prepared.problem
    if problem.digest != certificate.digest:
        raise VerificationError(
            "The certificate was issued for another problem: X, y, sample_weight, sensitive_features or a "
            "parameter of the model (skeleton, alpha, split, epsilon, class_weight, cost_matrix, "
            "constraints) differs."
        )
    claimed = (certificate.skeleton, certificate.alpha, certificate.split, certificate.margin)
    posed = (problem.skeleton, problem.alpha, problem.split, problem.margin)
    if claimed != posed or certificate.ignored_features != prepared.ignored:
        raise VerificationError("The certificate describes another problem than the one it was issued for.")


def _value(fitted: DiagramClassifier, prepared: Prepared, table: Table) -> Evaluation:
    try:
        return evaluate(prepared.problem, fitted.diagram_, prepared.problem.data.raw_rows(table.X))
    except DiagramMisfitError as problem:
        raise VerificationError(f"The diagram is none of those the certificate is about. {problem}") from None


def _check_numbers(certificate: Certificate, value: Evaluation) -> None:
    if abs(value.objective - certificate.objective) > OPTIMALITY_TOLERANCE:
        raise VerificationError(
            f"The diagram has an objective of {value.objective!r} on these data, the certificate states "
            f"{certificate.objective!r}."
        )
    if abs(value.violation - certificate.violation) > OPTIMALITY_TOLERANCE:
        raise VerificationError(
            f"The diagram violates its constraints by {value.violation!r}, the certificate states "
            f"{certificate.violation!r}."
        )
    if certificate.is_feasible and certificate.lower_bound > value.objective + OPTIMALITY_TOLERANCE:
        raise VerificationError(
            f"The certificate states a lower bound of {certificate.lower_bound!r}, above the objective of "
            f"its own diagram, {value.objective!r}."
        )


def _check_requirements(
    certificate: Certificate, fitted: DiagramClassifier, prepared: Prepared, table: Table
) -> None:
    raw_rows = prepared.problem.data.raw_rows(table.X)
    found = reached_requirements(prepared.problem, fitted.diagram_, raw_rows)
    if found != certificate.requirements:
        stated = [f"{entry.required}: {entry.reached}" for entry in certificate.requirements]
        raise VerificationError(
            f"The diagram has {[f'{entry.required}: {entry.reached}' for entry in found]} on these data, the "
            f"certificate states {stated}."
        )
