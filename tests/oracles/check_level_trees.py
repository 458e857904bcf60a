"""Trees of given depth against all trees on many random problems, as in test_trees.py.

    python -m tests.oracles.check_level_trees --problems 10000 --first 0

Every problem is asked with several cutoffs, with a random choice of parts of the kernel turned off; half
have 4 to 8 classes. It ends at the first error.
"""

import numpy as np

from tests.kernels.test_ablation_switches import PROOF_SWITCHES
from tests.oracles.run_checks import run_checks
from tests.solve.branch_and_bound.drawn import build_kernel, drawn_problem, many_classes_problem, varies
from tests.solve.branch_and_bound.test_trees import check_bounds, draw, settings


def check_problem(seed: int) -> str:
    """Check one problem; return its kind, or "nothing to split"."""
    switches = np.random.default_rng([seed, 2028])
    draw_problem = drawn_problem if switches.random() < 0.5 else many_classes_problem
    random, problem, prices, single = draw(seed, draw_problem)
    if not varies(problem):
        return "nothing to split"
    share = switches.choice([0.0, 0.2, 0.5])
    disabled = sum(bit for bit in PROOF_SWITCHES.values() if switches.random() < share)
    items, kernel = build_kernel(problem, prices.size, **settings(random), disabled=disabled)
    try:
        check_bounds(problem, items, kernel, prices, single, random)
    except AssertionError as error:
        raise AssertionError(f"problem {seed}, disabled {disabled}") from error
    return f"{prices.size} levels, {'up to 4' if draw_problem is drawn_problem else '4 to 8'} classes"


if __name__ == "__main__":
    run_checks(check_problem, __doc__)
