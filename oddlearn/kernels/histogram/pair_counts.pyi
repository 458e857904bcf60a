"""Types of the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

def count_pairs(
    one: NDArray[np.uint8],
    other: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    weight: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None: ...
