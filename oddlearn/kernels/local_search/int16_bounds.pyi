"""Types of the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

INT16_INF: int

def min_of_path(
    path: NDArray[np.int32],
    tied: NDArray[np.int16],
    costs: NDArray[np.int16],
    initial_sums: NDArray[np.int16],
    fits_four_lanes: bool,
) -> int: ...
def min_of_bins(
    bins: NDArray[np.uint8],
    samples: NDArray[np.int32],
    n_bins: int,
    common: int,
    costs: NDArray[np.int16],
    total: NDArray[np.int16],
    initial_sums: NDArray[np.int16],
    fits_four_lanes: bool,
) -> int: ...
