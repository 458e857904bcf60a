"""Types of the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

def least_of(
    path: NDArray[np.int32],
    joined: NDArray[np.int32],
    cost: NDArray[np.int16],
    begin: NDArray[np.int16],
    few: bool,
) -> int: ...
def least_of_bins(
    bins: NDArray[np.uint8],
    samples: NDArray[np.int32],
    n_bins: int,
    common: int,
    cost: NDArray[np.int16],
    every: NDArray[np.int16],
    begin: NDArray[np.int16],
    few: bool,
) -> int: ...
