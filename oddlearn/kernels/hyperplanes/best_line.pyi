"""The best line between points in the plane."""

import numpy as np
from numpy.typing import NDArray

def find_best_line(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    cost: NDArray[np.float64],
    extra: NDArray[np.float64] | None,
    first: int,
    last: int,
    limit: float,
    tolerance: float,
    tie: float,
) -> tuple[float, tuple[int, int, NDArray[np.bool_]] | None]: ...
