"""The two public classifiers, and reading models from JSON and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import ModelFileError
from oddlearn.estimators.base import DiagramClassifier
from oddlearn.estimators.parameter_json import decode_parameters
from oddlearn.estimators.parameters import parse_depth, validate_parameters
from oddlearn.model.model_file import parse_model
from oddlearn.problem import defaults
from oddlearn.problem.constraint_block import Constraint
from oddlearn.solve.solver import Solver
from oddlearn.table.categories import DEFAULT_MAX_CATEGORIES

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None


class OptimalDecisionDiagramClassifier(DiagramClassifier):
    """An optimal decision diagram classifier.

    Local search finds a diagram; exact solvers improve it and prove lower bounds.

    Minimises ``cost / total weight + node_price * (nodes - 1)`` over all diagrams of a skeleton. The cost is
    the weight of the misclassified samples unless ``cost_matrix`` says otherwise.

    Parameters
    ----------
    skeleton : str, sequence of int or Skeleton
        Maximum number of nodes in each layer, such as ``"1-2-4-4-4"``.
    alpha : float or None
        Complexity penalty of the paper, the price of all nodes of the skeleton:
        ``node_price = alpha / (skeleton nodes - 1)``. What a node costs then depends on the skeleton.
    node_price : float or None
        Price of each node after the first, which is free: with 0.01, the default, a node must save one
        percent of the samples. It means the same on every skeleton; higher values give smaller models. Give
        one of ``alpha`` and ``node_price``. With class weights of ten and more ("balanced" and a rare class)
        the default is the weight of two rows of that class, from 0.003 to 0.01.
    split : "univariate" or "multivariate"
        Compare one feature, or a weighted sum of all, with a threshold.
    max_terms : int or None
        The most terms of a weighted sum, for splits that can be read: with 2, "3 x debts - 2 x years >= 5".
        A term is a column of X, with all its categories or its missing values. None, or more than X has
        columns, is no limit. Only for multivariate splits.
    search : "local_search", "construct", "histogram" or a search with its options
        How diagrams are found: by alternating optimisation, by the paper's construction, or by alternating
        optimisation on samples and histograms of all rows. Tables of 2 million values or more take the last
        way by themselves, those with multivariate splits unless ``epsilon`` is given; little is
        proved about them. A solver such as
        ``LocalSearch(patience=500)`` sets its options; seed and threads are still taken from here.
    exact : "auto", "branch_and_bound", "milp", "cpsat", a solver with its options, or None
        What closes the gap after the search: what suits the problem, our own branch and bound (univariate
        splits only), the paper's mixed-integer program, CP-SAT (univariate splits only), or nothing. A
        solver such as ``Milp(solver="scip")`` sets its options; seed and threads are still taken from here.
        "auto" proves nothing under ``max_iter``.
    time_limit : float or None
        Seconds for the whole fit, at most. It ends earlier when the diagram is proved optimal, or when the
        search has stalled and, with ``exact="auto"``, the proof is not going to be finished in the time left.
        A fit that ends before its limit gives the same diagram again under one ``random_state``, unless an
        external solver took part. With None a proof goes on while it makes progress: Ctrl-C ends the fit and
        keeps the best diagram.
    max_iter : int or None
        Iterations of each of the search's ``n_jobs`` threads. A fit that ends by them rather than by time,
        and whose ``exact`` is "auto" or None, gives the same diagram again under one ``random_state``.
    constraints : sequence of Constraint
        Constraints on the diagram, such as ``DemographicParity(0.8)``, ``MaxNodes(4)`` or ``MinFlow(0.05)``.
        Those that compare groups need the argument ``sensitive_features`` of ``fit``.
    class_weight : dict, "balanced" or None
        Factor on the weight of each class.
    cost_matrix : array-like (n_classes, n_classes) or None
        Cost of each [true, predicted] pair in the order of ``classes_``; None counts errors.
    epsilon : float or None
        Margin of multivariate splits: the minimum distance in the unit box between the training samples on
        the two sides of a hyperplane. The box reaches from the smallest to the largest value of a feature,
        at most 3 interquartile ranges beyond its quartiles; a margin of 1e-4 is a ten-thousandth of that
        width. None is a hundredth of the distance of the rows, at most 1e-4 and at least 1e-7;
        ``certificate_.margin`` holds it. Univariate splits have no margin.
    max_categories : int or None
        Features of a column of categories, as of scikit-learn's OneHotEncoder: the rarest categories beyond
        them share one, "is other". None is no limit.
    min_frequency : int, float or None
        Categories of fewer rows, or of a smaller share of the rows, share the feature "is other".
    n_jobs : int or None
        Threads of the search and of the exact solvers; None is 1, -1 is one per core.
    random_state : int, RandomState or None
    verbose : int
        1 shows the progress of the fit.

    Attributes
    ----------
    classes_ : (n_classes,)
    n_features_in_ : int
    feature_names_in_ : (n_features,) str
        Only when X had names.
    encoding_ : Encoding or None
        Encoding of the columns as numbers; None if X was numeric and no value needs replacing.
    diagram_ : DecisionDiagram
        The model, in the units of X.
    certificate_ : Certificate
        Objective, lower bound and their evidence; ``certificate_.explain()`` returns it as text.
    objective_, lower_bound_, gap_ : float
    is_optimal_ : bool
    history_ : records (seconds, objective, lower_bound, n_nodes)
    metadata_ : ModelMetadata
        Names, labels and the training weight on each final arc.
    n_nodes_, depth_, n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oddlearn import OptimalDecisionDiagramClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OptimalDecisionDiagramClassifier("1-2-4", random_state=0).fit(X, y)
    >>> model.n_nodes_
    3
    """

    def __init__(
        self,
        skeleton: str | Sequence[int] | Skeleton = defaults.SKELETON,
        alpha: float | None = None,
        node_price: float | None = None,
        split: Literal["univariate", "multivariate"] = "univariate",
        max_terms: int | None = None,
        search: str | Solver = "local_search",
        exact: str | Solver | None = "auto",
        time_limit: float | None = defaults.TIME_LIMIT,
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
        self.skeleton = skeleton
        self.alpha = alpha
        self.node_price = node_price
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

    def _skeleton(self) -> Skeleton:
        return Skeleton.parse(self.skeleton)


class OptimalDecisionTreeClassifier(DiagramClassifier):
    """An optimal decision tree classifier.

    Local search finds a tree; exact solvers improve it and prove lower bounds.

    Parameters
    ----------
    max_depth : int or None
        Maximum depth; all binary trees of this depth are allowed. With None the price per node alone limits
        the tree: all trees are allowed whose nodes could pay for themselves, and the proof is one over trees
        of any depth. Splits are univariate then, and ``node_price`` is above 0 and so high that at most 100
        nodes could pay.
    alpha, node_price, split, max_terms, search, exact, time_limit, max_iter, constraints, class_weight, \
cost_matrix, epsilon, max_categories, min_frequency, n_jobs, random_state, verbose
        As of ``OptimalDecisionDiagramClassifier``, which also lists the fitted attributes.
    """

    def __init__(
        self,
        max_depth: int | None = defaults.MAX_DEPTH,
        alpha: float | None = None,
        node_price: float | None = None,
        split: Literal["univariate", "multivariate"] = "univariate",
        max_terms: int | None = None,
        search: str | Solver = "local_search",
        exact: str | Solver | None = "auto",
        time_limit: float | None = defaults.TIME_LIMIT,
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
        self.max_depth = max_depth
        self.alpha = alpha
        self.node_price = node_price
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

    def _skeleton(self) -> Skeleton | None:
        return parse_depth(self.max_depth)


CLASSIFIERS = {
    "OptimalDecisionDiagramClassifier": OptimalDecisionDiagramClassifier,
    "OptimalDecisionTreeClassifier": OptimalDecisionTreeClassifier,
}


def from_json(content: str) -> DiagramClassifier:
    """Return the fitted model written by ``to_json``; raise ModelFileError for any other text.

    No code in the text is executed.
    """
    model = parse_model(content)
    if model.estimator not in CLASSIFIERS:
        raise ModelFileError(f"The model file is damaged: {model.estimator!r} is not a classifier.")
    kind: Any = CLASSIFIERS[model.estimator]
    given = decode_parameters(model.parameters)
    unknown = sorted(set(given) - set(kind().get_params(deep=False)))
    if unknown:
        raise ModelFileError(f"The model file is damaged: {model.estimator} has no parameter {unknown[0]!r}.")
    fitted: DiagramClassifier = kind(**given)
    try:
        parameters = fitted.get_params(deep=False)
        if isinstance(parameters["n_jobs"], int) and parameters["n_jobs"] > 1:
            parameters["n_jobs"] = 1  # this machine may have fewer cores; fit will say so
        validate_parameters(parameters, fitted._skeleton())
    except (ValueError, TypeError) as problem:
        raise ModelFileError(f"The model file holds a parameter that is not allowed. {problem}") from None
    fitted._restore(model)
    return fitted


def load(path: str | PathLike[str]) -> DiagramClassifier:
    """Return the fitted model of a file written by ``save``; raise ModelFileError for any other file."""
    try:
        content = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise ModelFileError(f"The file {path} is not text, so not an oddlearn model: {problem}.") from None
    return from_json(content)
