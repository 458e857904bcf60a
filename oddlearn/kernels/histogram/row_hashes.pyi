from typing import Any

from numpy.typing import NDArray

def sum_row_hashes(X: NDArray[Any], weight: NDArray[Any], cost: NDArray[Any]) -> tuple[int, int]: ...
