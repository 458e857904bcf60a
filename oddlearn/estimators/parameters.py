"""Validation of the parameters of an estimator."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import SplitKind
from oddlearn.errors import InvalidInputError, UnusedGroupsWarning
from oddlearn.problem.constraint_block import Constraint
from oddlearn.problem.training_problem import price_per_node
from oddlearn.solve.schedule import EXACT_SOLVERS, SEARCHES, AutoSchedule, Exact, build_solver, set_options
from oddlearn.solve.solver import Solver
from oddlearn.table.categories import check_pooling
from oddlearn.table.checks import check_int, check_number
from oddlearn.table.groups import SensitiveColumn

# below this, the two sides of a hyperplane cannot be told apart after rounding
MIN_HYPERPLANE_MARGIN = 1e-8

# threads any machine may run, and threads per core on large ones: more take turns past the time limit
ALWAYS_ALLOWED_JOBS = 64
JOBS_PER_CORE = 4

# a tree of this depth has a million nodes
MAX_DEPTH = 20


@dataclass(frozen=True)
class Settings:
    """Validated parameters of a fit; ``seconds`` and ``max_iter`` are None for no limit.

    ``max_terms`` is None for sums of any length.
    ``skeleton`` is None for that of the trees whose nodes can pay for themselves, ``node_price`` for one by
    the table, ``margin`` for one by the density of its rows or where
    splits have none.
    """

    skeleton: Skeleton | None
    node_price: float | None
    split: SplitKind
    margin: float | None
    max_terms: int | None
    search: Solver
    exact: Exact
    seconds: float | None
    max_iter: int | None
    constraints: tuple[Constraint, ...]
    verbose: int


def validate_parameters(parameters: Mapping[str, Any], skeleton: Skeleton | None) -> Settings:
    """Validate the parameters of an estimator."""
    split = _split(parameters["split"])
    if skeleton is None and split != "univariate":
        raise InvalidInputError(f"max_depth is None and split is {split!r}: give a depth.")
    check_pooling(parameters["max_categories"], parameters["min_frequency"])
    seed = int(check_random_state(parameters["random_state"]).randint(np.iinfo(np.int32).max))
    jobs = _jobs(parameters["n_jobs"])
    seconds, max_iter = parameters["time_limit"], parameters["max_iter"]
    if seconds is not None:
        seconds = check_number("time_limit", seconds, positive=True, other=", or None for no limit")
    return Settings(
        skeleton=skeleton,
        node_price=_node_price(parameters["alpha"], parameters["node_price"], skeleton),
        split=split,
        margin=_margin(parameters["epsilon"], split),
        max_terms=_max_terms(parameters["max_terms"], split),
        search=_search(parameters["search"], seed, jobs),
        exact=_exact(parameters["exact"], seed, jobs),
        seconds=seconds,
        max_iter=None if max_iter is None else check_int("max_iter", max_iter, low=1),
        constraints=_constraints(parameters["constraints"]),
        verbose=_verbose(parameters["verbose"]),
    )


def _node_price(alpha: Any, node_price: Any, skeleton: Skeleton | None) -> float | None:  # noqa: ANN401
    """Return the price of each node but the root; None without alpha and node_price."""
    if alpha is None and node_price is None:
        return None
    if skeleton is None:
        if alpha is not None:
            raise InvalidInputError(
                f"alpha is {alpha!r} and max_depth is None: alpha is the price of all nodes of a skeleton; "
                "give node_price, the price of each."
            )
        if check_number("node_price", node_price) <= 0:
            raise InvalidInputError(
                f"node_price is {node_price!r} and max_depth is None: nothing would limit the tree; give a "
                "price above 0, or a depth."
            )
        skeleton = Skeleton.tree(1)  # the price does not depend on it
    return price_per_node(skeleton, alpha, node_price)


def parse_depth(depth: object) -> Skeleton | None:
    """Return the skeleton of all trees of a depth; None if only the price of nodes limits them."""
    if depth is None:
        return None
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or not 1 <= depth <= MAX_DEPTH:
        raise InvalidInputError(
            f"max_depth is {depth!r}: give a whole number from 1 to {MAX_DEPTH}, or None."
        )
    return Skeleton.tree(int(depth))


def _verbose(verbose: object) -> int:
    return int(verbose) if isinstance(verbose, bool) else check_int("verbose", verbose, low=0)


def _split(split: object) -> SplitKind:
    if not isinstance(split, str) or split not in get_args(SplitKind):
        raise InvalidInputError(f'split is {split!r}: give "univariate" or "multivariate".')
    return cast(SplitKind, split)


def _margin(epsilon: object, split: SplitKind) -> float | None:
    """Return the margin of hyperplanes that is asked for; univariate splits have none."""
    if epsilon is None:
        return None
    margin = check_number("epsilon", epsilon)
    if not MIN_HYPERPLANE_MARGIN <= margin < 1:
        raise InvalidInputError(
            f"epsilon is {epsilon!r}: give a margin of at least {MIN_HYPERPLANE_MARGIN:g} and below 1, "
            "or None."
        )
    return margin if split == "multivariate" else None


def _max_terms(max_terms: object, split: SplitKind) -> int | None:
    """Return the most columns in a weighted sum; univariate splits have one."""
    if max_terms is None:
        return None
    if isinstance(max_terms, bool) or not isinstance(max_terms, (int, np.integer)) or max_terms < 1:
        raise InvalidInputError(
            f"max_terms is {max_terms!r}: give a whole number of at least 1, or None for no limit."
        )
    if split == "univariate":
        raise InvalidInputError(
            f'max_terms is {max_terms!r} and split is "univariate": max_terms limits weighted sums; leave it '
            'out, or give split="multivariate".'
        )
    return int(max_terms)


def _search(search: object, seed: int, jobs: int) -> Solver:
    if isinstance(search, str) and search in SEARCHES:
        return build_solver(SEARCHES[search], seed, jobs)
    if _is_solver(search):
        return set_options(cast(Solver, search), seed=seed, n_jobs=jobs)
    names = ", ".join(f'"{name}"' for name in SEARCHES)
    raise InvalidInputError(f"search is {search!r}: give one of {names}, or a search with its options.")


def _exact(exact: object, seed: int, jobs: int) -> Exact:
    if exact is None:
        return None
    if isinstance(exact, str) and exact == "auto":
        return AutoSchedule(seed, jobs)
    if isinstance(exact, str) and exact in EXACT_SOLVERS:
        return build_solver(EXACT_SOLVERS[exact], seed, jobs)
    if _is_solver(exact) and not hasattr(exact, "search"):
        return set_options(cast(Solver, exact), seed=seed, n_jobs=jobs)
    names = ", ".join(f'"{name}"' for name in EXACT_SOLVERS)
    raise InvalidInputError(
        f'exact is {exact!r}: give None, "auto", one of {names}, or a solver with its options such as '
        'Milp(solver="scip").'
    )


def _is_solver(value: object) -> bool:
    """Return True for a solver with options of its own."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type) and hasattr(value, "run")


def _jobs(n_jobs: object) -> int:
    is_whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_whole or n_jobs == 0):
        raise InvalidInputError(
            f"n_jobs is {n_jobs!r}: give a number of threads, -1 for all cores or None for 1."
        )
    if is_whole and cast(int, n_jobs) > ALWAYS_ALLOWED_JOBS:
        most = max(ALWAYS_ALLOWED_JOBS, JOBS_PER_CORE * (os.cpu_count() or 1))
        if cast(int, n_jobs) > most:
            raise InvalidInputError(
                f"n_jobs is {n_jobs!r}: give at most {most} threads, best -1 for one per core."
            )
    return int(effective_n_jobs(n_jobs))


def _constraints(constraints: object) -> tuple[Constraint, ...]:
    given = tuple(constraints) if isinstance(constraints, Sequence) else (constraints,)
    for constraint in given:
        if isinstance(constraint, type):
            raise InvalidInputError(
                f"constraints holds the class {constraint.__name__}: give an instance, such as "
                f"{constraint.__name__}(...)."
            )
        if not callable(getattr(constraint, "rows", None)):
            raise InvalidInputError(
                f"constraints holds {constraint!r}: give a sequence of constraints, () for none."
            )
    return given


def warn_of_unused_groups(columns: Sequence[SensitiveColumn], constraints: Iterable[Constraint]) -> None:
    """Warn if sensitive features are given and no constraint uses them."""
    if columns and not any(getattr(constraint, "needs_groups", False) for constraint in constraints):
        warnings.warn(
            "sensitive_features were given and no constraint compares groups: they have no effect; "
            "add one to constraints, such as DemographicParity(), or leave them out.",
            UnusedGroupsWarning,
            stacklevel=4,
        )
