import numpy as np
from numpy.typing import ArrayLike, NDArray

class ConflictFinder:
    n_rows: int
    n_columns: int
    operations: float
    def __init__(self, points: ArrayLike) -> None: ...
    def find(
        self, sides: NDArray[np.int8], scale: NDArray[np.float64], min_gap: float
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]: ...
