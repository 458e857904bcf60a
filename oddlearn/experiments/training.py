"""One trial, carried out: the data, the split, a fit, and what it came to."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

from oddlearn.constraints import MinFlow
from oddlearn.datasets import Dataset, SplitIndices, load, split_indices
from oddlearn.diagram.arrays import IntArray
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning
from oddlearn.estimator import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier
from oddlearn.experiments.flows import flows_text
from oddlearn.experiments.trial import Outcome, Trial
from oddlearn.problem.certificate import OPTIMALITY_TOLERANCE, Certificate
from oddlearn.problem.scaling import UnitScaling

Classifier = OptimalDecisionDiagramClassifier | OptimalDecisionTreeClassifier


def carry_out(trial: Trial, directory: Path | None = None) -> tuple[Outcome, str]:
    """Run a trial; return what it came to and the fitted model as JSON.

    Parameters
    ----------
    trial : Trial
    directory : Path, optional
        Where the data sets are; see ``oddlearn.datasets.load``.

    Raises
    ------
    KeyboardInterrupt
        When it was ended from the keyboard: what a fit keeps then is no outcome of the trial.
    """
    dataset = load(trial.dataset, directory, trial.target)
    rows = split_indices(dataset.codes.size, trial.seed)
    started = time.perf_counter()
    model = _fitted(trial, dataset, rows)
    spent = time.perf_counter() - started
    return _outcome(model, dataset, rows, spent), model.to_json()


def _fitted(trial: Trial, dataset: Dataset, rows: SplitIndices) -> Classifier:
    model = _model(trial)
    scaling = UnitScaling.fit(dataset.X) if trial.scaling == "all" else None
    with warnings.catch_warnings():
        # what a fit has to say of its table belongs to no single one of thousands of trials
        warnings.simplefilter("ignore", OddlearnWarning)
        warnings.simplefilter("error", SearchInterruptedWarning)
        training = (dataset.X[rows.training], dataset.codes[rows.training])
        try:
            model._train_from(None, *training, None, scaling=scaling)
        except SearchInterruptedWarning:
            raise KeyboardInterrupt from None
    return model


def _model(trial: Trial) -> Classifier:
    options: dict[str, Any] = {
        "alpha": trial.alpha,
        "split": trial.split,
        "search": "construct" if trial.method == "construct" else "alternate",
        "exact": "auto" if trial.method == "auto" else None,
        "time_limit": trial.seconds,
        "constraints": (MinFlow(trial.stability),) if trial.stability else (),
        "n_jobs": 1,
        "random_state": trial.seed,
    }
    if trial.is_tree:
        return OptimalDecisionTreeClassifier(trial.skeleton.count("-") + 1, **options)
    return OptimalDecisionDiagramClassifier(trial.skeleton, **options)


def _outcome(model: Classifier, dataset: Dataset, rows: SplitIndices, spent: float) -> Outcome:
    certificate = model.certificate_
    return Outcome(
        objective=certificate.objective,
        lower_bound=certificate.lower_bound,
        is_optimal=certificate.is_optimal,
        prover=_prover(certificate) if certificate.is_optimal else "",
        n_nodes=model.diagram_.n_nodes,
        training=_accuracy(model, dataset, rows.training),
        validation=_accuracy(model, dataset, rows.validation),
        test=_accuracy(model, dataset, rows.test),
        spent=spent,
        iterations=model.n_iter_,
        flows=flows_text(model.diagram_, dataset.X[rows.training]),
    )


def _accuracy(model: Classifier, dataset: Dataset, rows: IntArray) -> float:
    return float(model.score(dataset.X[rows], dataset.codes[rows]))


def _prover(certificate: Certificate) -> str:
    """Return who was the first to prove a bound that meets the objective."""
    enough = certificate.objective - OPTIMALITY_TOLERANCE
    return next((proof.engine for proof in certificate.evidence if proof.bound >= enough), "search")
