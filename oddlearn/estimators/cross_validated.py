"""A classifier that selects its skeleton and penalty by cross-validation."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import product
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import UnsupportedError
from oddlearn.estimators.base import DiagramClassifier
from oddlearn.estimators.classifiers import ClassWeight, OptimalDecisionDiagramClassifier
from oddlearn.estimators.conveniences import TreeConveniencesMixin
from oddlearn.estimators.grid import Grid, build_cv_results
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.penalty_path import (
    MIN_SECONDS,
    PenaltyPath,
    build_folds,
    run_penalty_paths,
    warn_of_short_time,
)
from oddlearn.estimators.scoring import parse_scoring
from oddlearn.model.batch_predictions import is_in_parts
from oddlearn.problem import defaults
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.constraint_block import Constraint
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Solver
from oddlearn.table.categories import DEFAULT_MAX_CATEGORIES
from oddlearn.table.samples import LabelledSamples, gather_samples
from oddlearn.table.training_table import check_training_table

# share of the time limit for the last fit on all rows, which also gets the time left by the folds
REFIT_SHARE = 0.25

# parameters of the search, not of the classifiers it fits
SEARCH_PARAMETERS = (
    *("skeletons", "alphas", "node_prices", "cv", "validation_fraction", "refit", "scoring", "warm_start"),
)

Self = TypeVar("Self", bound="OptimalDecisionDiagramClassifierCV")
P = ParamSpec("P")
Result = TypeVar("Result")


def _delegate(method: Callable[Concatenate[Any, P], Result]) -> Callable[Concatenate[Any, P], Result]:
    """Return a method that calls ``method`` on the fitted ``best_estimator_``."""

    @wraps(method)
    def call(self: Any, *args: P.args, **options: P.kwargs) -> Result:  # noqa: ANN401
        return method(self._best(), *args, **options)

    return cast("Callable[Concatenate[Any, P], Result]", call)


class OptimalDecisionDiagramClassifierCV(TreeConveniencesMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision diagram classifier that selects skeleton and penalty by cross-validation or on a holdout.

    Every skeleton is trained with every penalty on every fold, by search alone; nothing is proved there. The
    cell with the highest mean score wins; of equal scores the one with fewer nodes, then the smaller
    skeleton, then the larger penalty. It is trained again on all rows, with a proof if ``exact`` asks for it.

    Parameters
    ----------
    skeletons : sequence of str, sequences of int or Skeleton
        ``Skeleton.tree(4)`` is a tree of depth 4.
    alphas, node_prices : sequence of float or None
        Penalties to try, as ``alpha`` or as ``node_price`` of ``OptimalDecisionDiagramClassifier``: give one
        of the two. Without either, the paper's grid of alphas is tried.
    cv : None, int, splitter, iterable or "holdout"
        None is 5 folds, a number so many, stratified and in the order of the rows; or a splitter of
        scikit-learn; or ``validation_fraction`` of the rows held out, drawn with ``random_state``.
    validation_fraction : float
    refit : bool
        False leaves out the last fit: results, and no model.
    scoring : str, callable or None
        Name of a scorer of scikit-learn for classification, such as "roc_auc", "balanced_accuracy" or
        "neg_log_loss", or a callable; None is the accuracy. A scorer is given ``sample_weight`` if the fit
        is; it does not see ``class_weight``.
    warm_start : bool
        Begin each search with the diagram of the next larger penalty, on the same fold and skeleton.
    split, max_terms, search, exact, max_iter, constraints, class_weight, cost_matrix, epsilon, \
max_categories, min_frequency, random_state, verbose
        As of ``OptimalDecisionDiagramClassifier``; ``exact`` and ``verbose`` are of the last fit.
    time_limit : float or None
        Seconds for everything: three quarters for the folds, the rest for the last fit.
    n_jobs : int or None
        Folds and skeletons side by side, and threads of the last fit; None is 1, -1 is one per core.

    Attributes
    ----------
    best_estimator_ : OptimalDecisionDiagramClassifier
        Trained on all rows; ``diagram_``, ``metadata_`` and ``certificate_`` are its own.
    best_params_ : dict of skeleton and alpha, or of skeleton and node_price
    best_score_ : float
        Mean score of these on the validation rows.
    best_index_ : int
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
        alphas: Sequence[float] | None = None,
        node_prices: Sequence[float] | None = None,
        cv: Any = None,  # noqa: ANN401
        validation_fraction: float = 0.25,
        refit: bool = True,
        scoring: str | Callable[..., float] | None = None,
        warm_start: bool = True,
        split: Literal["univariate", "multivariate"] = "univariate",
        max_terms: int | None = None,
        search: str | Solver = "local_search",
        exact: str | Solver | None = "auto",
        time_limit: float | None = defaults.CV_TIME_LIMIT,
        max_iter: int | None = None,
        constraints: Sequence[Constraint] = (),
        class_weight: ClassWeight = None,
        cost_matrix: ArrayLike | None = None,
        epsilon: float | None = None,
        max_categories: int | None = DEFAULT_MAX_CATEGORIES,
        min_frequency: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.skeletons = skeletons
        self.alphas = alphas
        self.node_prices = node_prices
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.scoring = scoring
        self.warm_start = warm_start
        self.split = split
        self.max_terms = max_terms
        self.search = search
        self.exact = exact
        self.time_limit = time_limit
        self.max_iter = max_iter
        self.constraints = constraints
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.epsilon = epsilon
        self.max_categories = max_categories
        self.min_frequency = min_frequency
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
        """Try every skeleton with every penalty, and train the best on all rows.

        Parameters
        ----------
        X, y, sample_weight, sensitive_features
            As of ``OptimalDecisionDiagramClassifier.fit``.

        Returns
        -------
        self
        """
        started = time.perf_counter()
        if is_in_parts(X):
            raise UnsupportedError(
                "Cross-validation needs all rows in memory: choose skeleton and penalty on a sample, then "
                "fit OptimalDecisionDiagramClassifier to all rows."
            )
        # a failed fit must not change an earlier model: fit a copy and take it over at the end
        draft = copy.copy(self)
        draft.__dict__.pop("best_estimator_", None)
        grid = Grid.parse(self.skeletons, self.alphas, self.node_prices)
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

    predict = _delegate(DiagramClassifier.predict)
    predict_proba = _delegate(DiagramClassifier.predict_proba)
    apply = _delegate(DiagramClassifier.apply)
    decision_path = _delegate(DiagramClassifier.decision_path)
    encode = _delegate(DiagramClassifier.encode)
    to_json = _delegate(DiagramClassifier.to_json)
    to_html = _delegate(DiagramClassifier.to_html)  # type: ignore[arg-type]
    save = _delegate(DiagramClassifier.save)

    @property
    def diagram_(self) -> DecisionDiagram:  # type: ignore[override]
        """Diagram of the selected model."""
        return self._best().diagram_

    @property
    def metadata_(self) -> ModelMetadata:  # type: ignore[override]
        """Names, labels and training weights of the selected model."""
        return self._best().metadata_

    @property
    def certificate_(self) -> Certificate:
        """Certificate of the selected model."""
        return self._best().certificate_

    @property
    def n_iter_(self) -> int:
        """Iterations of the last fit."""
        return self._best().n_iter_

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of the chosen model by ``scoring``, the accuracy if that is None."""
        best = self._best()
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(check_scoring(best, scoring=self.scoring)(best, X, y, **options))

    def _plain(self) -> OptimalDecisionDiagramClassifier:
        """Return the classifier of the parameters, with one seed for all fits."""
        given = self.get_params(deep=False).items()
        shared = {name: value for name, value in given if name not in SEARCH_PARAMETERS}
        if not isinstance(self.random_state, (int, np.integer)):
            shared["random_state"] = int(check_random_state(self.random_state).randint(2**31 - 1))
        return OptimalDecisionDiagramClassifier(**shared)

    def _choose(
        self, grid: Grid, plain: OptimalDecisionDiagramClassifier, samples: LabelledSamples, budget: Budget
    ) -> None:
        """Score all cells on all folds and set the results."""
        template = copy.copy(plain).set_params(exact=None, n_jobs=None, verbose=0)
        scorer = parse_scoring(template, self.scoring, self.classes_)
        folds = build_folds(self.cv, samples, self.validation_fraction, int(plain.random_state))  # type: ignore[arg-type]
        penalties, warm = (grid.penalty, grid.values), bool(self.warm_start)
        paths = [
            PenaltyPath(template, samples, fold, skeleton, *penalties, scorer, warm)
            for fold, skeleton in product(folds, grid.skeletons)
        ]
        part = budget.share(1 - REFIT_SHARE) if self.refit else budget
        scored = run_penalty_paths(paths, self.n_jobs, part, self.verbose)
        warn_of_short_time(scored, part, self.time_limit)
        self.cv_results_ = build_cv_results(grid, scored, len(folds))
        mean, n_nodes = (self.cv_results_[name] for name in ("mean_test_score", "mean_n_nodes"))
        self.best_index_ = grid.best(mean, n_nodes)
        self.best_params_, self.best_score_ = grid.params[self.best_index_], float(mean[self.best_index_])
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
