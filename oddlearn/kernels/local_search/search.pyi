"""Types of the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

class Alternation:
    heat: float
    iterations: int

    def __init__(
        self,
        columns: NDArray[np.float64],
        order: NDArray[np.integer],
        ordered: NDArray[np.float64],
        rank: NDArray[np.integer],
        joined: NDArray[np.integer],
        n_bins: NDArray[np.integer],
        bins: NDArray[np.uint8],
        bin_values: NDArray[np.float64],
        common: NDArray[np.integer],
        rare: NDArray[np.integer],
        rare_first: NDArray[np.integer],
        cost: NDArray[np.float64],
        label: NDArray[np.integer],
        weight: NDArray[np.float64],
        layer: NDArray[np.integer],
        first: NDArray[np.integer],
        price: float,
        margin: float,
        tree_only: bool,
        oblique: bool,
        seed: int,
        rules: object = None,
    ) -> None: ...
    @property
    def objective(self) -> float: ...
    @property
    def n_nodes(self) -> int: ...
    def stop(self) -> None: ...
    def rearm(self) -> None: ...
    def finds(self, since: int) -> list[tuple[float, float, int]]: ...
    def load(
        self,
        child: NDArray[np.integer],
        feature: NDArray[np.integer],
        threshold: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None: ...
    def activity(self) -> tuple[NDArray[np.float64], float, float]: ...
    def diagram(
        self,
    ) -> tuple[
        NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]
    ]: ...
    def run(
        self, seconds: float, pause: float, max_iterations: int, patience: int, target: float
    ) -> None: ...
