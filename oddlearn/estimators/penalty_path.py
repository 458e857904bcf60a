"""Fits from large to small penalty on each fold, warm-started from the previous diagram."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit, check_cv

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, OddlearnWarning, SearchInterruptedWarning, ShortTimeWarning
from oddlearn.estimators.classifiers import OptimalDecisionDiagramClassifier
from oddlearn.estimators.progress_line import text_progress
from oddlearn.problem import defaults
from oddlearn.solve.budget import Budget
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.samples import LabelledSamples

# minimum time limit of a fit: it then returns the diagram of its first steps
MIN_SECONDS = 1e-3

# a mean time per fit below this is too short for a sound choice
MIN_USEFUL_SECONDS = 0.2

Fold = tuple[IntArray, IntArray]
PenaltyName = Literal["alpha", "node_price"]


@dataclass(frozen=True)
class FoldScore:
    """Validation score, number of nodes and seconds of one fit."""

    score: float
    n_nodes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class PenaltyPath:
    """All penalties on one skeleton and one fold."""

    template: OptimalDecisionDiagramClassifier  # classifier whose other parameters are used
    samples: LabelledSamples
    fold: Fold
    skeleton: Skeleton
    penalty: PenaltyName  # parameter that is tried
    values: tuple[float, ...]  # its values
    scorer: Callable[..., float]  # (estimator, X, y, ...) -> float
    warm_start: bool = True  # start each search from the diagram of the next larger value

    def run(self, seconds: float | None = None) -> tuple[FoldScore, ...]:
        """Fit and score every penalty within ``seconds``; results are in the order of ``values``."""
        budget = Budget.of(seconds)
        training, validation = (self.samples.rows(places) for places in self.fold)
        start: DecisionDiagram | None = None
        results: dict[int, FoldScore] = {}
        order = sorted(range(len(self.values)), key=lambda place: -self.values[place])
        for done, place in enumerate(order):
            part = budget.remaining() / (len(order) - done)
            begun = time.perf_counter()
            model, found = self._fit_model(training, place, part, start)
            taken = time.perf_counter() - begun
            start = found if self.warm_start else None
            results[place] = FoldScore(self._score(model, validation), model.n_nodes_, taken)
        return tuple(results[place] for place in range(len(order)))

    def _fit_model(
        self, training: LabelledSamples, place: int, seconds: float, start: DecisionDiagram | None
    ) -> tuple[OptimalDecisionDiagramClassifier, DecisionDiagram]:
        limit = max(seconds, MIN_SECONDS) if math.isfinite(seconds) else None
        model = clone(self.template).set_params(
            skeleton=self.skeleton, time_limit=limit, **{self.penalty: self.values[place]}
        )
        model.cost_matrix = _select_costs(model.cost_matrix, self.samples, training)
        given = (training.X, training.y, training.sample_weight, training.sensitive_features)
        return model, model._fit_from(start, *given)

    def _score(self, model: OptimalDecisionDiagramClassifier, validation: LabelledSamples) -> float:
        weight = validation.sample_weight
        options = {} if weight is None else {"sample_weight": weight}
        return float(self.scorer(model, validation.X, validation.y, **options))


def run_penalty_paths(
    paths: Sequence[PenaltyPath], n_jobs: int | None, budget: Budget, verbose: int = 0
) -> list[tuple[FoldScore, ...]]:
    """Run paths in parallel; each starts with an equal share of the remaining time.

    The paths are fold by fold, each with all skeletons; ``verbose`` shows which one was tried.
    They run in threads: the search releases Python's lock, and processes would take seconds to start.
    ``joblib.parallel_config`` selects another back end.
    """
    workers = effective_n_jobs(n_jobs)

    def calls() -> Iterator[Any]:
        for place, path in enumerate(paths):
            rounds = math.ceil((len(paths) - place) / workers)
            seconds = budget.remaining() / rounds
            yield delayed(path.run)(seconds if math.isfinite(seconds) else None)

    with warnings.catch_warnings():
        # a fold may lack a category; warnings about all rows are issued by the last fit
        warnings.simplefilter("ignore", OddlearnWarning)
        warnings.simplefilter("error", SearchInterruptedWarning)
        try:
            # a call is made when a worker is free, so that it sees the remaining time
            parallel = Parallel(
                n_jobs=n_jobs,
                prefer="threads",
                pre_dispatch="n_jobs",
                batch_size=1,
                return_as="generator",
            )
            results = []
            with text_progress(verbose) as show:
                for scores in parallel(calls()):
                    results.append(scores)
                    show(_progress_text(paths, results))
            return results
        except SearchInterruptedWarning:
            raise KeyboardInterrupt from None


def _progress_text(paths: Sequence[PenaltyPath], results: Sequence[Sequence[FoldScore]]) -> str:
    """Return the fold and the skeleton that was tried last, its best score, and how many are done."""
    n_skeletons = len({path.skeleton for path in paths})
    done = len(results)
    fold = f"fold {(done - 1) // n_skeletons + 1} of {len(paths) // n_skeletons}"
    best = max(cell.score for cell in results[-1])
    return f"{fold}, skeleton {paths[done - 1].skeleton}: best score {best:.4f} ({done} of {len(paths)} done)"


def warn_of_short_time(scored: Sequence[Sequence[FoldScore]], budget: Budget, limit: float | None) -> None:
    """Warn if the time ran out and each fit had too little for a meaningful score."""
    seconds = [cell.seconds for cells in scored for cell in cells]
    mean = sum(seconds) / len(seconds)
    if budget.expired and mean < MIN_USEFUL_SECONDS:
        warnings.warn(
            f"time_limit={limit} left {mean:.2f} s for each of {len(seconds)} fits, and the choice may be "
            'random: give more time, fewer skeletons, penalties or folds, or cv="holdout".',
            ShortTimeWarning,
            stacklevel=4,
        )


def _select_costs(cost_matrix: Any, samples: LabelledSamples, training: LabelledSamples) -> Any:  # noqa: ANN401
    """Return the rows and columns of the cost matrix for the classes of the training rows."""
    classes = np.unique(samples.y)
    present = np.flatnonzero(np.isin(classes, np.unique(training.y)))
    if cost_matrix is None or present.size == classes.size:
        return cost_matrix
    return np.asarray(cost_matrix)[np.ix_(present, present)]


def build_folds(cv: Any, samples: LabelledSamples, validation_fraction: object, seed: int) -> list[Fold]:  # noqa: ANN401
    """Return the training and the validation rows of every fold."""
    if isinstance(cv, str):
        splitter = _holdout(cv, validation_fraction, seed)
    else:
        splitter = check_cv(defaults.N_FOLDS if cv is None else cv, samples.y, classifier=True)
    X = np.zeros((samples.y.size, 1)) if isinstance(samples.X, ColumnTable) else samples.X
    folds = list(splitter.split(X, samples.y))
    if not folds:
        raise InvalidInputError(f"cv is {cv!r}, which gives no fold: give a number of folds or a splitter.")
    for place, (_, validation) in enumerate(folds, start=1):
        if samples.sample_weight is not None and not samples.sample_weight[validation].any():
            raise InvalidInputError(
                f"The validation rows of fold {place} all have weight 0: leave rows of weight 0 out, or give "
                "other folds, such as cv=StratifiedKFold(5, shuffle=True)."
            )
    return folds


def _holdout(cv: str, validation_fraction: Any, seed: int) -> Any:  # noqa: ANN401
    if cv != "holdout":
        raise InvalidInputError(
            f'cv is {cv!r}: give None, a number of folds, a splitter of scikit-learn, or "holdout".'
        )
    is_number = isinstance(validation_fraction, (float, np.floating))
    if not is_number or not 0 < validation_fraction < 1:
        raise InvalidInputError(
            f"validation_fraction is {validation_fraction!r}: give a share of the rows above 0 and below 1."
        )
    return StratifiedShuffleSplit(1, test_size=validation_fraction, random_state=seed)
