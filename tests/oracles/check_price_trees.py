"""Trees by price against all trees on many random problems: see tests/kernels/test_price_trees.py.

    python -m tests.oracles.check_price_trees --problems 10000 --first 0

Every problem is asked with several budgets, with a random choice of parts turned off. Half are tiny tables,
a quarter has 20 to 60 rows and few values, and a quarter up to 30 rows, one or two features and many
values; prices are often whole numbers of rows. It ends at the first error.
"""

import numpy as np

from tests.kernels.test_price_trees import SWITCHES, build_kernel, check_bounds, draw_problem, has_splits
from tests.oracles.any_depth import AnyDepth
from tests.oracles.run_checks import run_checks

# rows, features and values of the tables: least, and one more than the most
SIZES = {
    "tiny": ((2, 12), (1, 5), (2, 6)),
    "few values": ((20, 61), (2, 4), (3, 5)),
    "many values": ((10, 31), (1, 3), (5, 12)),
}


def check_problem(seed: int) -> str:
    """Check one problem; return its kind, or "nothing to split"."""
    draw = np.random.default_rng([seed, 2026])
    kind = str(draw.choice(list(SIZES), p=[0.5, 0.25, 0.25]))
    random, problem = draw_problem([seed, 2027], *SIZES[kind])
    if not has_splits(problem):
        return "nothing to split"
    disabled = sum(bit for bit in SWITCHES.values() if draw.random() < draw.choice([0.0, 0.2, 0.5]))
    items, kernel = build_kernel(problem, random, disabled)
    try:
        check_bounds(problem, items, kernel, random, AnyDepth(problem).least_cost())
    except AssertionError as error:
        raise AssertionError(f"problem {seed}, disabled {disabled}") from error
    return f"{kind}, {'two' if problem.data.n_classes == 2 else 'more'} classes"


if __name__ == "__main__":
    run_checks(check_problem, __doc__)
