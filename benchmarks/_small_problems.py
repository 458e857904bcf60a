"""Small random problems with fixed seeds, twenty for each exact solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import oddlearn

N_PROBLEMS = 20

# rows: as many as each solver proves within seconds
MAX_ROWS = {"branch_and_bound": 60, "cpsat": 16, "milp": 11, "single_hyperplane": 14}
MIN_ROWS = {"branch_and_bound": 30, "cpsat": 10, "milp": 8, "single_hyperplane": 8}
SKELETONS = {
    "branch_and_bound": ("1-2-4", "1-2-2-2", "1-2-3"),
    "cpsat": ("1-2", "1-2-2"),
    "milp": ("1-2",),
    "single_hyperplane": ("1",),
}

# features take the integers below this, so that a margin of 1e-4 in the unit box forbids no split
N_VALUES = 7


@dataclass(frozen=True)
class SmallProblem:
    """A table and the options of the estimator that is fitted on it."""

    solver: str
    X: np.ndarray
    y: np.ndarray
    sample_weight: np.ndarray | None
    sensitive_features: np.ndarray | None
    options: dict[str, Any] = field(default_factory=dict)


def small_problem(solver: str, seed: int) -> SmallProblem:
    """Build problem number ``seed`` of a solver.

    Every second problem of the MILP has hyperplanes; every third problem has weights; the last ten of a
    solver that takes constraints have some.
    """
    rng = np.random.RandomState(1000 * sorted(SKELETONS).index(solver) + seed)
    n = rng.randint(MIN_ROWS[solver], MAX_ROWS[solver] + 1)
    n_classes = 2 + seed % 3 if solver != "single_hyperplane" else 2 + seed % 2
    X = rng.randint(N_VALUES, size=(n, 2 if solver == "milp" else 2 + seed % 2)).astype(float)
    y = np.concatenate([np.arange(n_classes), rng.randint(n_classes, size=n - n_classes)])
    weight = rng.randint(1, 4, size=n) / (2.0 if seed % 2 else 1.0) if seed % 3 == 2 else None
    groups = np.where(np.arange(n) % 2, "a", "b")
    constraints = _constraints(solver, seed)
    is_multivariate = solver == "single_hyperplane" or (solver == "milp" and seed % 2 == 1)
    options = {
        "skeleton": SKELETONS[solver][seed % len(SKELETONS[solver])],
        "alpha": (0.01, 0.05, 0.1)[seed % 3],
        "split": "multivariate" if is_multivariate else "univariate",
        "constraints": constraints,
    }
    is_fair = any(isinstance(constraint, oddlearn.DemographicParity) for constraint in constraints)
    return SmallProblem(solver, X, y, weight, groups if is_fair else None, options)


def _constraints(solver: str, seed: int) -> tuple[Any, ...]:
    if seed < N_PROBLEMS // 2 or solver == "single_hyperplane":
        return ()
    limits = (oddlearn.MaxNodes(1 + seed % 3),)
    if solver == "branch_and_bound":
        return limits
    return (limits, (oddlearn.MinFlow(0.2),), (oddlearn.DemographicParity(0.7, favourable=1),))[seed % 3]
