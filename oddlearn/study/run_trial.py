"""One trial: load the data, split the rows, fit a model, and measure its outcome."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

from oddlearn.constraints import MinFlow
from oddlearn.datasets import Dataset, SplitIndices, load, split_indices
from oddlearn.diagram.arrays import IntArray
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning
from oddlearn.estimators.classifiers import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.scaling import UnitScaling
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import PAPER_MARGIN
from oddlearn.study.flow_text import format_flows
from oddlearn.study.trial import Outcome, Trial

Classifier = OptimalDecisionDiagramClassifier | OptimalDecisionTreeClassifier

# method of a trial -> parameters (search, exact) of the estimator
ESTIMATOR_PARAMETERS: dict[str, tuple[str, str | None]] = {
    "construct": ("construct", None),
    "local_search": ("local_search", None),
    "auto": ("local_search", "auto"),
}

# name in the results if no single bound of the evidence equals the objective
OTHER_SOLVER = "other"


def run_trial(trial: Trial, directory: Path | None = None) -> tuple[Outcome, str]:
    """Run a trial; return its outcome and the fitted model as JSON.

    ``directory``: directory of the data sets; see ``oddlearn.datasets.load``.
    Raises KeyboardInterrupt if Ctrl-C was pressed: the incumbent that the fit keeps is not the outcome of the
    trial.
    """
    dataset = load(trial.dataset, directory, trial.target)
    rows = split_indices(dataset.codes.size, trial.seed)
    started = time.perf_counter()
    model = _fit_model(trial, dataset, rows)
    fit_seconds = time.perf_counter() - started
    return _measure_outcome(model, dataset, rows, fit_seconds), model.to_json()


def _fit_model(trial: Trial, dataset: Dataset, rows: SplitIndices) -> Classifier:
    model = _build_model(trial)
    # the paper's box: from the smallest to the largest value
    scaling = UnitScaling.fit(dataset.X if trial.scaling == "all" else dataset.X[rows.training])
    with warnings.catch_warnings():
        # a warning about the table would be repeated by thousands of trials
        warnings.simplefilter("ignore", OddlearnWarning)
        warnings.simplefilter("error", SearchInterruptedWarning)
        training = (dataset.X[rows.training], dataset.codes[rows.training])
        try:
            model._fit_from(None, *training, None, scaling=scaling)
        except SearchInterruptedWarning:
            raise KeyboardInterrupt from None
    return model


def _build_model(trial: Trial) -> Classifier:
    search, exact = ESTIMATOR_PARAMETERS[trial.method]
    options: dict[str, Any] = {
        "alpha": trial.alpha,
        "split": trial.split,
        "search": search,
        "exact": exact,
        "time_limit": trial.seconds,
        "constraints": (MinFlow(trial.stability),) if trial.stability else (),
        "epsilon": PAPER_MARGIN,
        "max_terms": None,
        "n_jobs": 1,
        "random_state": trial.seed,
    }
    if trial.is_tree:
        return OptimalDecisionTreeClassifier(trial.skeleton.count("-") + 1, **options)
    return OptimalDecisionDiagramClassifier(trial.skeleton, **options)


def _measure_outcome(model: Classifier, dataset: Dataset, rows: SplitIndices, fit_seconds: float) -> Outcome:
    certificate = model.certificate_
    return Outcome(
        objective=certificate.objective,
        lower_bound=certificate.lower_bound,
        is_optimal=certificate.is_optimal,
        solver=find_proving_solver(certificate) if certificate.is_optimal else "",
        n_nodes=model.diagram_.n_nodes,
        training=_accuracy(model, dataset, rows.training),
        validation=_accuracy(model, dataset, rows.validation),
        test=_accuracy(model, dataset, rows.test),
        fit_seconds=fit_seconds,
        iterations=model.n_iter_,
        flows=format_flows(model.diagram_, dataset.X[rows.training]),
    )


def _accuracy(model: Classifier, dataset: Dataset, rows: IntArray) -> float:
    return float(model.score(dataset.X[rows], dataset.codes[rows]))


def find_proving_solver(certificate: Certificate) -> str:
    """Return the name of the first solver whose bound equals the objective."""
    enough = certificate.objective - OPTIMALITY_TOLERANCE
    return next((entry.solver for entry in certificate.evidence if entry.bound >= enough), OTHER_SOLVER)
