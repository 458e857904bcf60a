from typing import Any

from numpy.typing import NDArray

def scan_single_splits(
    columns: NDArray[Any], orders: NDArray[Any], cost: NDArray[Any], sums: NDArray[Any], least: NDArray[Any]
) -> None: ...
