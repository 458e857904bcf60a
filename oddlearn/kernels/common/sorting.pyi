import numpy as np
from numpy.typing import NDArray

def sort_arrays(keys: NDArray[np.float64], ids: NDArray[np.int32]) -> None: ...
