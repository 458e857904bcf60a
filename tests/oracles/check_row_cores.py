"""What is refuted on cores of rows against all diagrams, on many random problems.

    python -m tests.oracles.check_row_cores --problems 10000 --first 0

Several layer widths and cutoffs are asked of one core, in any order, with a random choice of parts of the
kernel turned off, one or two threads, and with or without the splits that fewer rows have refuted. It ends
at the first error.
"""

from contextlib import ExitStack
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.solve.branch_and_bound import kernel_runner, row_cores
from oddlearn.solve.branch_and_bound.decode import leaf_rows
from oddlearn.solve.branch_and_bound.kernel_options import KernelOptions
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.branch_and_bound.row_cores import RowCore
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget
from tests.kernels.test_ablation_switches import PROOF_SWITCHES
from tests.oracles.run_checks import run_checks
from tests.solve.branch_and_bound.drawn import (
    checkered_problem,
    drawn_problem,
    many_classes_problem,
    noise_of,
    varies,
)
from tests.solve.branch_and_bound.oracle import least_at_most

LAYER_WIDTHS = [(1,), (1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 2, 2), (1, 1, 2)]
LAYER_WIDTHS += [(1, 2, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1)]
MAX_ROWS = 7
N_QUESTIONS = 3


def build_core(problem, random, settings, n_jobs=1):
    """Return a core of the rows of a problem, in any order, and its items."""
    items = WeightedItems.from_problem(problem)
    build = partial(
        lambda few, options: KernelRunner(problem, 4, 0, few, 8, options),
        options=KernelOptions(n_jobs),
    )
    with patch.multiple(row_cores, **settings):
        return RowCore(problem, items, random.permutation(problem.data.n_rows), build), items


def check_core(problem, random, settings, n_jobs=1):
    """Ask a core about several layer widths and cutoffs; return how many were refuted."""
    core, items = build_core(problem, random, settings, n_jobs)
    n_refuted = 0
    for _ in range(N_QUESTIONS):
        widths = LAYER_WIDTHS[random.integers(len(LAYER_WIDTHS))]
        noise = noise_of(problem) / items.step
        least = items.to_units(least_at_most(problem, widths))
        cutoff = least + random.choice([-1e-3, 1e-3, -0.4, 0.4, -2.0, 2.0]) * max(1.0, 20 * noise)
        with patch.multiple(row_cores, **settings):
            is_refuted, found = core.refutes(widths, cutoff, Budget.of(100.0))
        assert is_refuted == (cutoff <= least), (widths, cutoff, least)
        assert (found is None) == is_refuted
        n_refuted += is_refuted
        if found is not None:
            leaves = leaf_rows(problem, items, found)
            cost = sum(float(problem.cost[rows].sum(axis=0).min()) for rows in leaves)
            assert items.to_units(cost) < cutoff + noise
            assert items.to_units(cost) == pytest.approx(max(least, items.to_units(cost)), abs=noise)
            assert np.sum(leaves, axis=0).tolist() == [1] * problem.data.n_rows
    return n_refuted


def check_problem(seed: int) -> str:
    """Check one problem; return its kind, or "nothing to split"."""
    random = np.random.default_rng([seed, 2029])
    kind = int(random.integers(3))
    problem = (
        drawn_problem(seed, MAX_ROWS),
        many_classes_problem(seed, MAX_ROWS),
        checkered_problem(seed),
    )[kind]
    if not varies(problem):
        return "nothing to split"
    share = random.choice([0.0, 0.2, 0.5])
    disabled = sum(bit for bit in PROOF_SWITCHES.values() if random.random() < share)
    settings = {
        "FIRST_ROWS": int(random.integers(1, 4)),
        "MORE_ROWS": int(random.integers(3)),
        "MAX_ROW_SHARE": 1.0,
    }
    n_jobs = 2 if random.random() < 0.1 else 1
    with ExitStack() as stack:
        solver = partial(DiagramSolver, disabled=disabled)
        stack.enter_context(patch.object(kernel_runner, "DiagramSolver", solver))
        if random.random() < 0.3:
            stack.enter_context(patch.object(row_cores, "refine_root_splits", lambda *given: []))
        try:
            n_refuted = check_core(problem, random, settings, n_jobs)
        except AssertionError as error:
            raise AssertionError(f"problem {seed}, disabled {disabled}, {settings}") from error
    return f"{('up to 4 classes', '4 to 8 classes', 'parities')[kind]}, {n_refuted} refuted"


if __name__ == "__main__":
    run_checks(check_problem, __doc__)
