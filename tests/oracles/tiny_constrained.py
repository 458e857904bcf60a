"""Random tiny problems under constraints of every kind."""

import numpy as np

from oddlearn.constraints import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    MaxDepth,
    MaxNodes,
    MaxNodesPerLayer,
    MinFlow,
    MinFlowPerArc,
    OverallAccuracyEquality,
    PredictiveEquality,
)
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import pose
from oddlearn.table.groups import People, SensitiveColumn

SKELETONS = ("1", "1-1", "1-2", "1-2", "1-1-1")

LIMITS = (MaxNodes(1), MaxNodes(2), MaxDepth(1), MaxDepth(2), MaxNodesPerLayer(1))

FLOWS = (MinFlow(2), MinFlow(0.4), MinFlowPerArc(1), MinFlowPerArc(2), MinFlowPerArc(0.3))

FAIR = (DemographicParity, EqualOpportunity, PredictiveEquality, EqualizedOdds, OverallAccuracyEquality)


def constrained_problem(seed, split="univariate", kinds=("limits", "flows", "fair", "soft")):
    """Return the random tiny problem of this seed, with one or two constraints of these kinds."""
    random = np.random.default_rng(seed)
    data = _data(random)
    skeleton = Skeleton.parse(str(random.choice(SKELETONS))).widths
    drawn = [_constraint(random, str(random.choice(kinds))) for _ in range(random.integers(1, 3))]
    alpha = float(random.choice([0.0, 0.1, 0.3, 1.0]))
    is_tree = bool(random.random() < 0.3)
    return pose(data, Skeleton(skeleton, is_tree), alpha, split, 1e-3, constraints=drawn)


def _data(random):
    """Rows on a coarse grid; both groups have samples of classes 0 and 1."""
    n_classes, d = int(random.choice([2, 2, 3])), int(random.integers(1, 3))
    n = 4 if n_classes == 3 else int(random.integers(4, 6))
    X = random.integers(0, 4, (n, d)) / 3.0 + random.choice([0.0, 0.0, 0.0012], (n, d))
    codes = np.concatenate([[0, 0, 1, 1], random.integers(0, n_classes, n - 4)])
    group = np.concatenate([[0, 1, 0, 1], random.integers(0, 2, n - 4)])
    weight = random.integers(1, 4, n).astype(float) if random.random() < 0.5 else np.ones(n)
    column = SensitiveColumn("group", ("a", "b"), group)
    people = People(codes, weight, tuple(range(n_classes)), (column,))
    return TrainingData.collect(X, codes, n_classes, weight, people)


def _constraint(random, kind):
    if kind == "limits":
        return LIMITS[random.integers(len(LIMITS))]
    if kind == "flows":
        return FLOWS[random.integers(len(FLOWS))]
    made = FAIR[random.integers(len(FAIR))]
    favourable = {} if made is OverallAccuracyEquality else {"favourable": int(random.integers(2))}
    asked = {"ratio": 0.9} if random.random() < 0.6 else {"difference": 0.1}
    return made(**asked, **favourable, weight=0.4 if kind == "soft" else None)
