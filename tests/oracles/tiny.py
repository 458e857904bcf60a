"""Random tiny problems: a few rows, duplicates, near-duplicates, weights and costs."""

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import pose

SKELETONS = ("1", "1-1", "1-2", "1-2-1", "1-2-2")


def tiny_problem(seed, split="univariate", most_rows=6, tree_only=False):
    """Return the random tiny problem of this seed."""
    random = np.random.default_rng(seed)
    n, d, n_classes = random.integers(3, most_rows + 1), random.integers(1, 3), random.integers(2, 5)
    X = _rows(random, n, d)
    codes = random.integers(0, n_classes, n)
    weights = [None, random.integers(1, 4, n).astype(float), random.random(n) + 0.1][random.integers(3)]
    data = TrainingData.collect(X, codes, int(n_classes), weights)
    skeleton = Skeleton(Skeleton.parse(str(random.choice(SKELETONS))).widths, tree_only=tree_only)
    alpha = float(random.choice([0.0, 0.1, 0.3, 1.0, 2.5]))
    return pose(data, skeleton, alpha, split, 1e-3, _costs(random, int(n_classes)))


def _rows(random, n, d):
    """Rows on a coarse grid, some moved by less or a little more than the margin of 0.001."""
    X = random.integers(0, 4, (n, d)) / 3.0
    return X + random.choice([0.0, 0.0, 0.0004, 0.0012], (n, d))


def _costs(random, n_classes):
    matrix = random.integers(0, 4, (n_classes, n_classes)) * random.choice([1.0, 2.0, 0.37])
    np.fill_diagonal(matrix, 0.0)
    return None if random.random() < 0.5 else matrix
