from typing import Any

from numpy.typing import NDArray

def route_univariate(
    X: NDArray[Any],
    feature: NDArray[Any],
    threshold: NDArray[Any],
    child: NDArray[Any],
    n_nodes: int,
    depth: int,
    final_arc: NDArray[Any],
) -> None: ...
def route_multivariate(
    X: NDArray[Any],
    weights: NDArray[Any],
    threshold: NDArray[Any],
    child: NDArray[Any],
    n_nodes: int,
    final_arc: NDArray[Any],
) -> None: ...
