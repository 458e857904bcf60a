"""Wide tables: the memory of a fit beyond the table, as numpy counts it, and what keeps it small."""

import tracemalloc
import warnings

import numpy as np
import pytest

from oddlearn import (
    BranchAndBound,
    Construct,
    DemographicParity,
    MaxDepth,
    MaxNodes,
    MaxNodesPerLayer,
    MinFlow,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
)
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.estimators import table_inputs
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.table_inputs import keeps_raw_rows
from oddlearn.solve import large_tables
from oddlearn.solve.histogram import candidates, sample_draws, wide_search
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.training_table import check_training_table
from tests.solve.histogram.raw_tables import raw_problem

N_ROWS, N_FEATURES = 100, 20_000


def draw():
    random = np.random.default_rng(0)
    X = random.standard_normal((N_ROWS, N_FEATURES))
    return X, (X[:, 3] + X[:, 70] > 0.2).astype(int)


def peak_share(fit, X):
    """Return the largest number of bytes allocated during a fit, as a multiple of X."""
    tracemalloc.start()
    try:
        fit()
        return tracemalloc.get_traced_memory()[1] / X.nbytes
    finally:
        tracemalloc.stop()


# univariate: one copy of X in the units of the search, stored by columns, its orders, and the arrays of the
# search of a sample and of all rows; it was 7.9 times X. With hyperplanes no copy; it was 17 times X
@pytest.mark.parametrize(("split", "most"), [("univariate", 4.0), ("multivariate", 1.2)])
def test_a_fit_of_a_wide_table_holds_few_copies_of_it(split, most):
    X, y = draw()
    model = OptimalDecisionDiagramClassifier(
        "1-2-2", alpha=0.01, split=split, exact=None, max_iter=20, random_state=0, n_jobs=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)  # imports are not counted: a small table does not need all of them
        assert peak_share(lambda: model.fit(X, y), X) < most


# samples of all columns for the search, and one byte a value of the columns in use; it was 2.8 times X
def test_a_search_by_columns_holds_a_part_of_the_table(monkeypatch):
    monkeypatch.setattr(large_tables, "WIDE_CELLS", N_ROWS * N_FEATURES)
    X, y = draw()
    model = OptimalDecisionDiagramClassifier("1-2-2", alpha=0.01, exact=None, max_iter=20, random_state=0)
    model.fit(X, y)  # imports are not counted
    assert peak_share(lambda: model.fit(X, y), X) < 1.5


def test_a_search_by_histograms_holds_little_beyond_its_samples(monkeypatch):
    monkeypatch.setattr(large_tables, "LARGE_ROWS", 1_000)
    monkeypatch.setattr(wide_search, "MAX_WIDE_ROWS", 1_000)
    monkeypatch.setattr(sample_draws, "MAX_SEARCHED_CELLS", 800_000)
    X = np.random.default_rng(0).standard_normal((20_000, 200))
    y = (X[:, 3] + X[:, 70] > 0.2).astype(int)
    model = OptimalDecisionDiagramClassifier(
        "1-2-2", alpha=0.01, exact=None, max_iter=20, random_state=0, n_jobs=1
    )
    model.fit(X[:1_500], y[:1_500])  # imports are not counted
    assert peak_share(lambda: model.fit(X, y), X) < 1.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_some_columns_of_rows_in_memory_are_those_of_the_rows(order):
    random = np.random.default_rng(0)
    X, codes, weight = random.random((30, 5)), random.integers(0, 3, 30), random.random(30)
    rows = MemoryRows.from_arrays(np.array(X, order=order), codes, weight)
    block = rows.take_columns(np.array([2, 7, 8]), np.array([0, 4]))
    assert np.array_equal(block.X, X[[2, 7, 8]][:, [0, 4]])
    assert (block.codes == codes[[2, 7, 8]]).all()
    assert (block.weight == weight[[2, 7, 8]]).all()


def test_the_rows_of_comparison_of_a_wide_table_have_the_columns_in_use(monkeypatch):
    monkeypatch.setattr(candidates, "MAX_COLUMNS", 2)
    problem = raw_problem(0, n_rows=400)
    search = candidates.CandidateSearch(problem, 0, 1)
    part = search._take_compared(np.array([0, 2]))
    block = problem.data.source.take(search._draws.compared)
    assert np.array_equal(part.X, block.X[:, [0, 2]])
    assert (part.codes == block.codes).all()
    assert search._take_compared(np.arange(3)) is search.sample


def test_samples_of_wide_tables_have_fewer_rows(monkeypatch):
    monkeypatch.setattr(sample_draws, "FIRST_ROWS", 20)
    monkeypatch.setattr(sample_draws, "MAX_SEARCHED_CELLS", 300)
    draws = sample_draws.SampleDraws(4_000, 3, 0)
    assert [draws.draw_searched(0, scale).size for scale in (1, 2, 4, 8)] == [20, 40, 80, 100]


def test_rows_that_differ_in_late_columns_alone_are_not_put_together():
    X = np.zeros((60_000, 60))
    X[:, 55] = np.arange(60_000)
    codes, settings = np.arange(60_000) % 2, validate_parameters(classifier().get_params(), Skeleton((1, 2)))
    table = check_training_table(classifier(), X, codes, None)
    assert keeps_raw_rows(table, settings)
    assert not keeps_raw_rows(check_training_table(classifier(), X % 7, codes, None), settings)


PARITY = DemographicParity(difference=0.2)


@pytest.mark.parametrize(
    ("options", "reason", "keeps_rows"),
    [
        ({}, None, True),
        ({"exact": None}, None, True),
        ({"constraints": [MaxNodes(2), MaxDepth(1), MaxNodesPerLayer(1)]}, None, True),
        ({"split": "multivariate"}, None, True),
        ({"split": "multivariate", "epsilon": 0.01}, "A given epsilon needs all rows", False),
        ({"search": Construct()}, "The solver that is named needs all rows", False),
        ({"exact": BranchAndBound()}, "The solver that is named needs all rows", False),
        ({"constraints": [MinFlow(5)]}, "The constraint MinFlow needs all rows", True),
        ({"constraints": [MaxNodes(2), PARITY]}, "The constraint DemographicParity needs all rows", False),
    ],
)
def test_what_needs_all_rows_in_memory_is_named(options, reason, keeps_rows, monkeypatch):
    monkeypatch.setattr(large_tables, "is_large", lambda *sizes: True)
    monkeypatch.setattr(table_inputs, "keeps_rows_of", lambda source: True)
    X, codes = np.arange(12.0).reshape(6, 2), np.arange(6) % 2
    model = OptimalDecisionDiagramClassifier("1-2", **options)
    settings = validate_parameters(model.get_params(deep=False), Skeleton((1, 2)))
    told = table_inputs.unsupported_reason(settings)
    assert told is None if reason is None else told.startswith(reason)
    assert keeps_raw_rows(check_training_table(model, X, codes, None), settings) == keeps_rows


def test_a_tree_of_any_depth_needs_all_rows_in_memory():
    model = OptimalDecisionTreeClassifier(None, node_price=0.01)
    settings = validate_parameters(model.get_params(), None)
    assert table_inputs.unsupported_reason(settings).startswith("max_depth=None needs all rows")


def classifier():
    return OptimalDecisionDiagramClassifier("1-2", alpha=0.01)
