"""Fits from large to small alpha on each fold, each from the last one's diagram."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit, check_cv

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, OddlearnWarning, SearchInterruptedWarning, ShortTimeWarning
from oddlearn.estimators.classifiers import OptimalDecisionDiagramClassifier
from oddlearn.solve.budget import Budget
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.samples import Samples

# a fit gets at least so many seconds, whatever is left: it then hands back what its first steps find
LEAST_SECONDS = 1e-3

# fits that were cut short and took less than this on average are warned of
LITTLE_SECONDS = 0.2

DEFAULT_FOLDS = 5

Fold = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class Scored:
    """One fit of a chain: its score on the validation rows, its nodes, and how long it took."""

    score: float
    n_nodes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Chain:
    """All alphas on one skeleton and one fold.

    Attributes
    ----------
    template : OptimalDecisionDiagramClassifier
        Its other parameters are used.
    samples : Samples
    fold : training and validation places
    skeleton : Skeleton
    alphas : tuple of float
    scorer : callable (estimator, X, y, ...) -> float
    is_warm : bool
        Begin each search with the diagram of the next larger alpha.
    """

    template: OptimalDecisionDiagramClassifier
    samples: Samples
    fold: Fold
    skeleton: Skeleton
    alphas: tuple[float, ...]
    scorer: Callable[..., float]
    is_warm: bool = True

    def run(self, seconds: float | None = None) -> tuple[Scored, ...]:
        """Fit and score every alpha, in the order they are given in; ``seconds`` for all together."""
        budget = Budget.of(seconds)
        training, validation = (self.samples.rows(places) for places in self.fold)
        start: DecisionDiagram | None = None
        results: dict[int, Scored] = {}
        order = sorted(range(len(self.alphas)), key=lambda place: -self.alphas[place])
        for done, place in enumerate(order):
            part = budget.remaining() / (len(order) - done)
            begun = time.perf_counter()
            model, found = self._fitted(training, place, part, start)
            taken = time.perf_counter() - begun
            start = found if self.is_warm else None
            results[place] = Scored(self._score(model, validation), model.n_nodes_, taken)
        return tuple(results[place] for place in range(len(order)))

    def _fitted(
        self, training: Samples, place: int, seconds: float, start: DecisionDiagram | None
    ) -> tuple[OptimalDecisionDiagramClassifier, DecisionDiagram]:
        limit = max(seconds, LEAST_SECONDS) if math.isfinite(seconds) else None
        model = clone(self.template).set_params(
            skeleton=self.skeleton, alpha=self.alphas[place], time_limit=limit
        )
        model.cost_matrix = _fitting_costs(model.cost_matrix, self.samples, training)
        given = (training.X, training.y, training.sample_weight, training.sensitive_features)
        return model, model._train_from(start, *given)

    def _score(self, model: OptimalDecisionDiagramClassifier, validation: Samples) -> float:
        weight = validation.sample_weight
        options = {} if weight is None else {"sample_weight": weight}
        return float(self.scorer(model, validation.X, validation.y, **options))


def run_chains(chains: Sequence[Chain], n_jobs: int | None, budget: Budget) -> list[tuple[Scored, ...]]:
    """Run chains side by side; each begins with a fair share of the time that is left then.

    They run in threads, as the search does without Python's lock: processes would take seconds to begin.
    ``joblib.parallel_config`` chooses otherwise.
    """
    workers = effective_n_jobs(n_jobs)

    def calls() -> Iterator[Any]:
        for place, chain in enumerate(chains):
            rounds = math.ceil((len(chains) - place) / workers)
            seconds = budget.remaining() / rounds
            yield delayed(chain.run)(seconds if math.isfinite(seconds) else None)

    with warnings.catch_warnings():
        # a fold may lack a category, and what is wrong with all rows, the last fit says
        warnings.simplefilter("ignore", OddlearnWarning)
        warnings.simplefilter("error", SearchInterruptedWarning)
        try:
            # calls are made when a worker is free, not before: they see how much time is left
            working = Parallel(n_jobs=n_jobs, prefer="threads", pre_dispatch="n_jobs", batch_size=1)
            return list(working(calls()))
        except SearchInterruptedWarning:
            raise KeyboardInterrupt from None


def warn_of_short_time(scored: Sequence[Sequence[Scored]], budget: Budget, limit: float | None) -> None:
    """Warn if the time ran out and was so little for each fit that the scores say hardly anything."""
    seconds = [cell.seconds for cells in scored for cell in cells]
    mean = sum(seconds) / len(seconds)
    if budget.expired and mean < LITTLE_SECONDS:
        warnings.warn(
            f"time_limit={limit} left {mean:.2f} s for each of {len(seconds)} fits, and the choice may be by "
            'chance: give more time, fewer skeletons, alphas or folds, or cv="holdout".',
            ShortTimeWarning,
            stacklevel=4,
        )


def _fitting_costs(cost_matrix: Any, samples: Samples, training: Samples) -> Any:  # noqa: ANN401
    """Return the costs of the classes that the training rows have."""
    classes = np.unique(samples.y)
    present = np.flatnonzero(np.isin(classes, np.unique(training.y)))
    if cost_matrix is None or present.size == classes.size:
        return cost_matrix
    return np.asarray(cost_matrix)[np.ix_(present, present)]


def folds_of(cv: Any, samples: Samples, validation_fraction: object, seed: int) -> list[Fold]:  # noqa: ANN401
    """Return the rows to train on and those to validate on, once for every fold."""
    if isinstance(cv, str):
        splitter = _holdout(cv, validation_fraction, seed)
    else:
        splitter = check_cv(DEFAULT_FOLDS if cv is None else cv, samples.y, classifier=True)
    X = np.zeros((samples.y.size, 1)) if isinstance(samples.X, ColumnTable) else samples.X
    return list(splitter.split(X, samples.y))


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
