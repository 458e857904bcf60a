"""Seconds that a fit sets aside for the steps after its search."""

from __future__ import annotations

from oddlearn.problem.evaluate import pass_seconds
from oddlearn.problem.feature_importance import MAX_VISITS
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.single_node_check import MAX_CELLS

# what the steps after the search take at most, per sample and node, per number of the table, per weighed
# number: 300,000 x 20 with 15 univariate nodes took 0.6 s
FIRST_SECONDS = 0.01
SECONDS_PER_VISIT = 1e-7
SECONDS_PER_VALUE = 2.5e-8
SECONDS_PER_TERM = 4e-9

# of a large table: feature importances on a sample, and the digest, 0.2 s for 10 million x 20; it is
# evaluated by one pass and neither ranked nor copied
LARGE_SECONDS = 0.15
MAX_CENTRING_SHARE = 0.1
SECONDS_PER_HASHED_VALUE = 1.2e-9

# passes over values that are not in memory: importances and digest
LAST_PASSES = 2

# the check of single nodes: rows x features x nodes, and the largest share of the time
SECONDS_PER_CELL = 4e-7
MAX_CHECK_SHARE = 0.05

# importances of the columns of weighted sums: rows x nodes x columns, and the largest share of the time
SECONDS_PER_MEASURED_TERM = 3e-8
MAX_IMPORTANCE_SHARE = 0.15


def finishing_seconds(problem: TrainingProblem, budget: Budget) -> float:
    """Return the seconds to reserve for conversion, evaluation, metadata and digest.

    The thresholds of a large table are centred, and then evaluated anew, if that takes a small part of the
    time.
    """
    data, n_nodes = problem.data, problem.skeleton.n_nodes
    if not data.is_merged:
        one_pass = pass_seconds(problem)
        is_centred = one_pass < MAX_CENTRING_SHARE * budget.remaining()
        seconds = LARGE_SECONDS + _hash_seconds(problem) + (one_pass if is_centred else 0.0)
        return seconds + _importance_seconds(problem, budget)
    per_row = n_nodes * SECONDS_PER_VISIT + data.n_features * SECONDS_PER_VALUE
    seconds = FIRST_SECONDS + data.n_rows * per_row
    if problem.split == "multivariate":
        n_terms = data.n_rows * n_nodes * data.n_features
        seconds += n_terms * SECONDS_PER_TERM + _importance_seconds(problem, budget)
    return seconds


def _importance_seconds(problem: TrainingProblem, budget: Budget) -> float:
    """Return the seconds to reserve for the importances of the columns of weighted sums."""
    if problem.split == "univariate":
        return 0.0
    n_terms = problem.data.n_rows * problem.skeleton.n_nodes * problem.data.n_features
    seconds = min(n_terms, MAX_VISITS) * SECONDS_PER_MEASURED_TERM
    return min(seconds, MAX_IMPORTANCE_SHARE * budget.remaining())


def has_time_to_centre(problem: TrainingProblem, budget: Budget) -> bool:
    """Return True if a large table can be evaluated once more."""
    return budget.remaining() > pass_seconds(problem) + _hash_seconds(problem)


def check_seconds(problem: TrainingProblem, budget: Budget) -> float:
    """Return the seconds to reserve for the check of single nodes, which hyperplanes do not have."""
    n_cells = problem.data.n_rows * problem.data.n_features * problem.skeleton.n_nodes
    if not problem.data.is_merged or problem.split == "multivariate":
        return 0.0
    return min(MAX_CHECK_SHARE * budget.remaining(), min(n_cells, MAX_CELLS) * SECONDS_PER_CELL)


def _hash_seconds(problem: TrainingProblem) -> float:
    data = problem.data
    read = LAST_PASSES * data.source.pass_seconds if isinstance(data, LargeData) else 0.0
    return read + data.n_rows * data.n_features * SECONDS_PER_HASHED_VALUE
