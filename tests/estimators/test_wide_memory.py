"""Wide tables: the memory of a fit beyond the table, as numpy's allocations are counted."""

import tracemalloc
import warnings

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier

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


# one copy of X in the units of the search, one by columns with its orders, and the arrays of the search, for
# univariate splits of a sample and of all rows; it was 7.9 and 17 times X
@pytest.mark.parametrize(("split", "most"), [("univariate", 6.0), ("multivariate", 4.5)])
def test_a_fit_of_a_wide_table_holds_few_copies_of_it(split, most):
    X, y = draw()
    model = OptimalDecisionDiagramClassifier(
        "1-2-2", alpha=0.01, split=split, exact=None, max_iter=20, random_state=0, n_jobs=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:50, :20], y[:50])  # imports are not counted
        assert peak_share(lambda: model.fit(X, y), X) < most
