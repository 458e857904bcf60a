from typing import Any

from numpy.typing import NDArray

def flow_totals(flow: NDArray[Any], table: NDArray[Any], total: NDArray[Any]) -> None: ...
def scan_feature(
    feature: int,
    column: NDArray[Any],
    order: NDArray[Any],
    flow: NDArray[Any],
    wanted: NDArray[Any],
    weight: NDArray[Any],
    total: NDArray[Any],
    smallest_gap: float,
    sides: NDArray[Any],
    sums: NDArray[Any],
    mass: NDArray[Any],
    chosen: NDArray[Any],
    gap: NDArray[Any],
) -> None: ...
