"""Sets that were solved bound similar ones."""

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from tests.solve.branch_and_bound.drawn import build_kernel


def test_similar_sets_are_looked_at_once():
    """Noise without any structure: next to nothing is gained, and all splits are alike."""
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((120, 4)), random.integers(0, 2, 120), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.1, "univariate")
    n_splits = 4 * 119
    for levels, cutoff in ((4, 28.0), (5, 22.0)):
        single = np.array([0, *[1] * (levels - 1)], dtype=np.int32)
        _, kernel = build_kernel(problem, levels)
        bound, _ = kernel.bound(np.zeros(levels), single, cutoff, 100.0)
        assert bound >= cutoff
        # pairs of splits alone would be n_splits ** 2, 16 to a sweep
        assert kernel.sweeps < 3 * n_splits
