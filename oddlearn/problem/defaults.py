"""Default parameters of the estimators and of the command line."""

from __future__ import annotations

SKELETON = "1-2-4-4-4"
MAX_DEPTH = 4

# chosen with the skeleton on validation rows of 60 tables: benchmarks/defaults.py
NODE_PRICE = 0.01

# with class weights of ten and more a smaller price, which ranks rows of a rare class more finely: the weight
# of two such rows, at least this (benchmarks/rare_classes.py)
RARE_CLASS_WEIGHT = 10.0
MIN_NODE_PRICE = 0.003
TIME_LIMIT = 10.0

# of the cross-validated classifier: the grid of the paper
SKELETON_GRID = ("1-2-4-8", "1-2-4-4-4", "1-2-3-3-3-3", "1-2-2-2-2-2-2-2")
ALPHA_GRID = (0.01, 0.1, 0.2, 0.5, 1.0)
N_FOLDS = 5
CV_TIME_LIMIT = 60.0


def choose_node_price(class_weight: float, total_weight: float) -> float:
    """Return the price per node for the largest class weight and the sum of all weights of a table."""
    if class_weight < RARE_CLASS_WEIGHT:
        return NODE_PRICE
    return min(max(2 * class_weight / total_weight, MIN_NODE_PRICE), NODE_PRICE)
