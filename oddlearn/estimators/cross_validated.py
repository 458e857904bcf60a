"""A classifier that selects its skeleton and alpha by cross-validation."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.estimators.alpha_path import (
    MIN_SECONDS,
    AlphaPath,
    build_folds,
    run_alpha_paths,
    warn_of_short_time,
)
from oddlearn.estimators.best_estimator import BestEstimatorMixin
from oddlearn.estimators.classifiers import ClassWeight, OptimalDecisionDiagramClassifier
from oddlearn.estimators.grid import Grid, build_cv_results
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.problem import defaults
from oddlearn.problem.constraint_block import Constraint
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Solver
from oddlearn.table.samples import LabelledSamples, gather_samples
from oddlearn.table.training_table import check_training_table

# share of the time limit for the last fit on all rows, which also gets the time left by the folds
REFIT_SHARE = 0.25

# parameters of the search, not of the classifiers it fits
SEARCH_PARAMETERS = ("skeletons", "alphas", "cv", "validation_fraction", "refit", "scoring", "warm_start")

Self = TypeVar("Self", bound="OptimalDecisionDiagramClassifierCV")


class OptimalDecisionDiagramClassifierCV(BestEstimatorMixin):
    """A decision diagram classifier that selects skeleton and alpha by cross-validation or on a holdout set.

    Every skeleton is trained with every alpha on every fold, by search alone; nothing is proved there. The
    cell with the highest mean score wins; of equal scores the one with fewer nodes, then the smaller
    skeleton, then the larger alpha. It is trained again on all rows, with a proof if ``exact`` asks for one.

    Parameters
    ----------
    skeletons : sequence of str, sequences of int or Skeleton
        ``Skeleton.tree(4)`` is a tree of depth 4.
    alphas : sequence of float
    cv : None, int, splitter, iterable or "holdout"
        None is 5 folds, a number so many, stratified and in the order of the rows; or a splitter of
        scikit-learn; or one part of the rows held out, drawn with ``random_state``.
    validation_fraction : float
        Share of the rows held out by ``cv="holdout"``.
    refit : bool
        False leaves out the last fit: there are results then, and no model.
    scoring : str, callable or None
        A scorer of scikit-learn; None is the accuracy, weighted by ``sample_weight``. A scorer is given
        ``sample_weight`` if the fit is.
    warm_start : bool
        Begin the search of each alpha with the diagram of the next larger one, on the same fold and skeleton.
    split, search, exact, max_iter, constraints, class_weight, cost_matrix, epsilon, random_state, verbose
        As of ``OptimalDecisionDiagramClassifier``; ``exact`` and ``verbose`` are of the last fit.
    time_limit : float or None
        Seconds for everything. The fits of the folds share three quarters of it evenly, what they leave is
        handed on, and the last fit gets the rest.
    n_jobs : int or None
        Folds and skeletons side by side, and threads of the last fit; None is 1, -1 is one per core.

    Attributes
    ----------
    best_estimator_ : OptimalDecisionDiagramClassifier
        Trained on all rows; ``diagram_``, ``metadata_`` and ``certificate_`` are its own.
    best_params_ : dict of skeleton and alpha
    best_score_ : float
        Mean score of these on the validation rows.
    best_index_ : int
        Their place in the columns of ``cv_results_``.
    cv_results_ : dict of arrays
        As of scikit-learn's GridSearchCV, and the nodes of the diagrams: ``mean_n_nodes``.
    n_splits_ : int
    classes_, n_features_in_, feature_names_in_
        As of ``OptimalDecisionDiagramClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oddlearn import OptimalDecisionDiagramClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OptimalDecisionDiagramClassifierCV(("1", "1-2-2"), (0.01, 0.5), max_iter=50, random_state=0)
    >>> model.fit(X, y).best_params_
    {'skeleton': '1-2-2', 'alpha': 0.01}
    """

    classes_: NDArray[Any]
    best_estimator_: OptimalDecisionDiagramClassifier
    best_params_: dict[str, Any]
    best_score_: float
    cv_results_: dict[str, Any]

    def __init__(
        self,
        skeletons: Sequence[str | Sequence[int] | Skeleton] = defaults.SKELETON_GRID,
        alphas: Sequence[float] = defaults.ALPHA_GRID,
        cv: Any = None,  # noqa: ANN401
        validation_fraction: float = 0.25,
        refit: bool = True,
        scoring: str | Callable[..., float] | None = None,
        warm_start: bool = True,
        split: Literal["univariate", "multivariate"] = "univariate",
        search: str | Solver = "local_search",
        exact: str | Solver | None = "auto",
        time_limit: float | None = defaults.CV_TIME_LIMIT,
        max_iter: int | None = None,
        constraints: Sequence[Constraint] = (),
        class_weight: ClassWeight = None,
        cost_matrix: ArrayLike | None = None,
        epsilon: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.skeletons = skeletons
        self.alphas = alphas
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.scoring = scoring
        self.warm_start = warm_start
        self.split = split
        self.search = search
        self.exact = exact
        self.time_limit = time_limit
        self.max_iter = max_iter
        self.constraints = constraints
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self: Self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        sensitive_features: Any = None,  # noqa: ANN401
    ) -> Self:
        """Try every skeleton with every alpha, and train the best on all rows.

        Parameters
        ----------
        X, y, sample_weight, sensitive_features
            As of ``OptimalDecisionDiagramClassifier.fit``.

        Returns
        -------
        self
        """
        started = time.perf_counter()
        # a failed fit must not change an earlier model: fit a copy and take it over at the end
        draft = copy.copy(self)
        draft.__dict__.pop("best_estimator_", None)
        grid = Grid.parse(self.skeletons, self.alphas)
        plain = self._plain()
        settings = validate_parameters(plain.get_params(deep=False), grid.skeletons[0])
        budget = Budget.since(started, settings.seconds)
        draft.classes_ = check_training_table(draft, X, y, sample_weight, sensitive_features).classes
        samples = gather_samples(X, y, sample_weight, sensitive_features)
        draft._choose(grid, plain, samples, budget)
        if self.refit:
            draft.best_estimator_ = draft._refit(plain, samples, budget)
        self.__dict__ = draft.__dict__
        return self

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of the chosen model by ``scoring``, the accuracy if that is None."""
        best = self._best()
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(check_scoring(best, scoring=self.scoring)(best, X, y, **options))

    def _plain(self) -> OptimalDecisionDiagramClassifier:
        """Return the classifier of the parameters, with one seed for all fits."""
        shared = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in SEARCH_PARAMETERS
        }
        if not isinstance(self.random_state, (int, np.integer)):
            shared["random_state"] = int(check_random_state(self.random_state).randint(2**31 - 1))
        return OptimalDecisionDiagramClassifier(**shared)

    def _choose(
        self, grid: Grid, plain: OptimalDecisionDiagramClassifier, samples: LabelledSamples, budget: Budget
    ) -> None:
        """Score all cells on all folds and set the results."""
        if isinstance(self.scoring, (list, tuple, set, dict)):
            raise InvalidInputError(f"scoring is {self.scoring!r}: give one scorer, a name or a callable.")
        template = copy.copy(plain).set_params(exact=None, n_jobs=None, verbose=0)
        scorer = check_scoring(template, scoring=self.scoring)
        folds = build_folds(self.cv, samples, self.validation_fraction, int(plain.random_state))  # type: ignore[arg-type]
        paths = [
            AlphaPath(template, samples, fold, skeleton, grid.alphas, scorer, bool(self.warm_start))
            for fold, skeleton in product(folds, grid.skeletons)
        ]
        part = budget.share(1 - REFIT_SHARE) if self.refit else budget
        scored = run_alpha_paths(paths, self.n_jobs, part)
        warn_of_short_time(scored, part, self.time_limit)
        self.cv_results_ = build_cv_results(grid, scored, len(folds))
        mean = self.cv_results_["mean_test_score"]
        self.best_index_ = grid.best(mean, self.cv_results_["mean_n_nodes"])
        self.best_params_ = grid.params[self.best_index_]
        self.best_score_ = float(mean[self.best_index_])
        self.n_splits_ = len(folds)

    def _refit(
        self, plain: OptimalDecisionDiagramClassifier, samples: LabelledSamples, budget: Budget
    ) -> OptimalDecisionDiagramClassifier:
        """Train the best cell on all rows, in the time that is left."""
        limit = None if self.time_limit is None else max(budget.remaining(), MIN_SECONDS)
        best: OptimalDecisionDiagramClassifier = plain.set_params(**self.best_params_, time_limit=limit)
        best.fit(samples.X, samples.y, samples.sample_weight, samples.sensitive_features)
        best.time_limit = self.time_limit
        return best

    def _best(self) -> OptimalDecisionDiagramClassifier:
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            raise UnsupportedError("There is no model, because of refit=False: fit with refit=True.")
        return self.best_estimator_
