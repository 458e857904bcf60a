from typing import Any

from numpy.typing import NDArray

def scan_bins(
    sums: NDArray[Any],
    group: int,
    n_bins: NDArray[Any],
    has_missing: NDArray[Any],
    price: NDArray[Any],
    least: NDArray[Any],
    limit: float,
    value: NDArray[Any],
    split: NDArray[Any],
) -> None: ...
