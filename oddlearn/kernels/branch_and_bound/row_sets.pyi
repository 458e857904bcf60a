"""Types of the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

from oddlearn.kernels.branch_and_bound.diagram_solver import ItemArrays

TRANSPOSITION_TABLE: int
SIMILARITY_CACHE: int
DOMINATED_SPLITS: int
SHARED_BATCHES: int
PAIRED_STUMPS: int
CANDIDATES: int
LARGEST_TIE: int
NEIGHBOUR_BOUNDS: int
RANGE_BOUNDS: int
WHOLE_TWO_LEVELS: int

Sums = tuple[list[int], float, int, int]  # words of the bits, base, hashes
Column = tuple[list[int], list[int], tuple[int, int]]  # items, candidates, largest tie

def gather_sets(
    items: ItemArrays,
    hash_words: NDArray[np.uint64],
    n_classes: int,
    node_of: NDArray[np.int32],
    node: int,
    feature: int,
    rank: int,
) -> tuple[list[tuple[Sums, list[float], dict[int, Column]]], list[Sums]]: ...
