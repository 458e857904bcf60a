import numpy as np
from numpy.typing import NDArray

def store_all(hashes: NDArray[np.uint64], log_entries: int) -> tuple[list[float], int]: ...
