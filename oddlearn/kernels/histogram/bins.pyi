from typing import Any

from numpy.typing import NDArray

MISSING_BIN: int
MAX_EDGES: int

def assign_bins(X: NDArray[Any], edges: NDArray[Any], bins: NDArray[Any]) -> None: ...
