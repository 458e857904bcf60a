"""Small fits through every solver: objectives, bounds, iterations, nodes and work, as stored in files.

A changed constant of effort (iterations, slices, shares) or condition shows here, though it makes no result
wrong. Nothing depends on the machine: a clock moves by the work that is counted, and no fit reaches its time
limit. After a wanted change run this file with ``ODDLEARN_UPDATE=1``, look at ``git diff``, and commit both.
"""

import time
from pathlib import Path

import numpy as np
import pytest

from oddlearn import (
    BranchAndBound,
    Construct,
    DemographicParity,
    EqualOpportunity,
    LocalSearch,
    MaxNodes,
    MaxNodesPerLayer,
    MinFlow,
    MinFlowPerArc,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
)
from oddlearn.solve.histogram import candidates
from tests.reference_runs.work_clock import count_work
from tests.solve.histogram.test_histogram_search import small_is_large  # noqa: F401
from tests.stored_texts import compare_text

HERE = Path(__file__).parent

pytestmark = pytest.mark.filterwarnings("ignore::oddlearn.errors.UnpredictedClassWarning")


def make_table(seed=0, n_rows=120, n_features=5, n_values=6, n_classes=2, noise=0.1):
    """Return rows of integers, and classes by three columns, some at random."""
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, (n_rows, n_features))
    codes = (X[:, 0] + (X[:, 1] > n_values // 2) * (1 + (X[:, 2] > 1))) % n_classes
    is_random = random.random(n_rows) < noise
    codes[is_random] = random.integers(0, n_classes, int(is_random.sum()))
    return X.astype(float), codes


def make_numbers(**table):
    """Return a table whose rows all differ, as those of a large table must."""
    X, codes = make_table(**table)
    return X + np.random.default_rng(8).integers(0, 999, X.shape) / 1000, codes


def leave_out(X, share=0.15):
    """Return rows with missing values."""
    X = X.copy()
    X[np.random.default_rng(1).random(X.shape) < share] = np.nan
    return X


def draw_groups(n_rows):
    return np.random.default_rng(2).integers(0, 2, n_rows)


def fit_diagram(skeleton="1-2-2", price=0.01, table=None, missing=0.0, weights=None, groups=False, **options):
    """Fit a diagram, or a tree if the skeleton is a depth or None."""
    X, y = (make_numbers if options.pop("differs", False) else make_table)(**(table or {}))
    X = leave_out(X, missing) if missing else X
    is_diagram = isinstance(skeleton, str)
    kind = OptimalDecisionDiagramClassifier if is_diagram else OptimalDecisionTreeClassifier
    options = {"random_state": 0, **options}
    model = kind(skeleton, node_price=price, **options)
    sensitive = draw_groups(len(y)) if groups else None
    return model.fit(X, y, sample_weight=weights, sensitive_features=sensitive)


def draw_weights(n_rows, step):
    return step * np.random.default_rng(3).integers(1, 6, n_rows)


SMALL = {"n_rows": 80, "n_features": 4, "noise": 0.15}
NOISY = {"n_rows": 60, "n_features": 4, "noise": 0.5, "n_values": 9}
THREE = {"n_rows": 200, "n_classes": 3, "n_values": 10}
NUMBERS = {"n_rows": 80, "n_features": 3, "n_classes": 3, "n_values": 50}
BITS = {"n_rows": 150, "n_features": 12, "n_values": 2, "noise": 0.2}
WIDE = {"n_rows": 2100, "n_features": 50, "n_values": 30, "noise": 0.3}

# name -> parameters of ``fit_diagram``
UNIVARIATE = {
    "diagram": {"skeleton": "1-2-4"},
    "diagram of five layers": {"skeleton": "1-2-3-3-3", "table": SMALL, "price": 0.02},
    "narrow diagram of three classes": {"skeleton": "1-2-2-2", "table": THREE},
    "wide diagram": {"skeleton": "1-2-4-4", "table": BITS, "price": 0.003},
    "diagram of noise": {"skeleton": "1-2-4", "table": NOISY},
    "diagram given up": {"skeleton": "1-2-3-3-3", "table": NOISY, "price": 0.004},
    "default diagram": {"skeleton": "1-2-4-4-4", "table": BITS},
    "tree of depth 2": {"skeleton": 2},
    "tree of depth 3": {"skeleton": 3, "table": THREE},
    "tree of depth 4": {"skeleton": 4, "table": BITS},
    "tree of depth 5": {"skeleton": 5, "table": SMALL},
    "tree of any depth": {"skeleton": None, "price": 0.03, "table": SMALL},
    "tree of any depth, noise": {"skeleton": None, "price": 0.03, "table": NOISY},
    "tree of any depth, columns of bits": {"skeleton": None, "price": 0.02, "table": BITS},
    "tree of any depth, numbers of three classes": {"skeleton": None, "price": 0.05, "table": NUMBERS},
    "tree of any depth, weights": {
        "skeleton": None,
        "price": 0.05,
        "table": SMALL,
        "weights": draw_weights(80, 0.37),
    },
    "whole weights": {"weights": draw_weights(120, 1)},
    "weights": {"weights": draw_weights(120, 0.37)},
    "costs": {"cost_matrix": [[0, 1], [3, 0]]},
    "costs of three classes": {"cost_matrix": [[0, 1, 2.5], [3, 0, 1], [1, 2, 0]], "table": THREE},
    "balanced classes": {"class_weight": "balanced"},
    "missing values": {"missing": 0.15},
    "no price": {"price": 0.0, "skeleton": "1-2", "table": SMALL},
    "at most three nodes": {"skeleton": "1-2-2-2", "constraints": [MaxNodes(3)]},
    "at most one node in a layer": {"skeleton": "1-2-2", "constraints": [MaxNodesPerLayer(1)]},
    "no memory": {"exact": BranchAndBound(max_memory=200_000)},
    "branch and bound alone": {"exact": BranchAndBound(seed=3), "table": THREE},
    "no proof": {"exact": None, "table": NOISY},
    "search with patience": {"exact": None, "search": LocalSearch(patience=200), "skeleton": "1-2-4"},
    "search of 40 iterations": {"max_iter": 40, "skeleton": "1-2-4-8", "table": NOISY},
    "search of a sample": {"max_iter": 30, "table": WIDE},
    "two searches": {"max_iter": 40, "n_jobs": 2, "table": NOISY},
    "search of a tree": {"max_iter": 40, "skeleton": 4, "table": NOISY},
    "construction": {"search": "construct", "exact": None, "max_iter": 20, "table": THREE},
    "construction until it stalls": {"search": Construct(restarts=40, feature_share=0.3), "exact": None},
    "construction and proof": {"search": Construct(restarts=10), "table": SMALL},
    "minimum flow": {"constraints": [MinFlow(20)], "max_iter": 60},
    "minimum flow on arcs": {"constraints": [MinFlowPerArc(0.1)], "max_iter": 60},
    "parity": {"constraints": [DemographicParity(0.9)], "groups": True, "max_iter": 200},
    "opportunity": {"constraints": [EqualOpportunity(0.95)], "groups": True, "max_iter": 200},
}

LARGE = {"table": {"n_rows": 400}, "differs": True}

# tables of 400 rows count as large
HISTOGRAMS = {
    "large table": LARGE,
    "large table, no proof": {**LARGE, "exact": None, "skeleton": "1-2-4"},
    "large table, bounds of groups": {**LARGE, "skeleton": "1-1", "price": 0.05},
    "large table, 20 iterations": {**LARGE, "max_iter": 20},
    "large table with missing values": {**LARGE, "missing": 0.1},
    "large table, three classes": {**LARGE, "table": {"n_rows": 400, "n_classes": 3}},
    "large table, at most three nodes": {**LARGE, "constraints": [MaxNodes(3)]},
    "large table, minimum flow": {**LARGE, "constraints": [MinFlow(30)]},
    "large table, weights": {**LARGE, "weights": draw_weights(400, 0.5)},
    "large table, tree": {**LARGE, "skeleton": 3},
    "large table, two threads": {**LARGE, "n_jobs": 2, "max_iter": 20},
}

SUMS = {"split": "multivariate", "exact": None, "max_iter": 30, "differs": True}

# sums of floats may differ in the last bit between machines: the result alone is compared, of fits that ended
# the same when all numbers were changed by 1e-13
HYPERPLANES = {
    "hyperplanes, wide diagram": {**SUMS, "skeleton": "1-2-4", "table": NOISY},
    "hyperplanes, one node": {**SUMS, "skeleton": "1", "table": THREE},
    "hyperplanes of two terms": {**SUMS, "max_terms": 2, "table": SMALL},
    "hyperplanes, minimum flow": {**SUMS, "constraints": [MinFlow(20)]},
    "hyperplanes, construction": {**SUMS, "search": "construct", "table": THREE},
}
LARGE_HYPERPLANES = {
    "large table, hyperplanes": {**SUMS, **LARGE},
}


def describe_run(name, model, work):
    """Return the course of a fit: its result, all its bounds, and what each solver did.

    Better diagrams on the way are left out: threads are asked for them from time to time.
    """
    certificate, bounds = model.certificate_, dict.fromkeys(model.history_["lower_bound"].tolist())
    lines = [
        f"{name}: {certificate.ending}",
        f"  {model.n_nodes_} nodes, objective {certificate.objective:.8g}, {model.n_iter_} iterations, "
        f"work {work:.6g}",
        f"  bounds {' '.join(f'{bound:.7g}' for bound in bounds)}",
    ]
    lines += [
        f"  {one.solver}: {one.bound:.8g}, {one.status}, {one.nodes} nodes; {one.text}"
        for one in certificate.evidence
        if one.status
    ]
    return "\n".join(lines)


def describe_result(name, model, work):
    """Return the result of a fit, rounded."""
    certificate = model.certificate_
    return (
        f"{name}: {certificate.ending}, {model.n_nodes_} nodes, objective {certificate.objective:.5f}, bound "
        f"{certificate.lower_bound:.5f}, {model.n_iter_} iterations"
    )


def run_all(cases, describe, stored):
    """Compare fits on a clock that moves by work with what is stored of them."""
    texts = []
    for name, parameters in cases.items():
        with count_work():
            started = time.perf_counter()
            model = fit_diagram(**parameters)
            texts.append(describe(name, model, time.perf_counter() - started))
    compare_text(HERE / stored, "\n".join(texts))


@pytest.fixture
def even_shorter(monkeypatch, small_is_large):  # noqa: F811
    """Let searches of samples take milliseconds."""
    monkeypatch.setattr(candidates, "FIRST_WORK", 0.002)
    monkeypatch.setattr(candidates, "ROUND_WORK", 0.001)


def test_univariate_fits_take_the_course_they_took():
    run_all(UNIVARIATE, describe_run, "univariate.txt")


def test_fits_of_large_tables_take_the_course_they_took(even_shorter):
    run_all(HISTOGRAMS, describe_run, "histograms.txt")


def test_fits_with_hyperplanes_end_where_they_ended():
    run_all(HYPERPLANES, describe_result, "hyperplanes.txt")


def test_large_fits_with_hyperplanes_end_where_they_ended(even_shorter):
    run_all(LARGE_HYPERPLANES, describe_result, "large_hyperplanes.txt")
