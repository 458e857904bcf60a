"""Types of the compiled kernel."""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

class Probe(TypedDict):
    temperature: float
    activity: NDArray[np.float64]
    penalty: float
    violation: float

class SearchThread:
    iterations: int

    def __init__(
        self,
        arrays: object,
        *,
        node_price: float,
        margin: float,
        tree_only: bool,
        oblique: bool,
        seed: int,
        constraints: object = None,
        disabled: int = 0,
    ) -> None: ...
    @property
    def objective(self) -> float: ...
    @property
    def work(self) -> float: ...
    @property
    def n_nodes(self) -> int: ...
    def stop(self) -> None: ...
    def clear_stop(self) -> None: ...
    def probe(self) -> Probe: ...
    def load(
        self,
        child: NDArray[np.integer],
        feature: NDArray[np.integer],
        threshold: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None: ...
    def diagram(
        self,
    ) -> tuple[
        NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]
    ]: ...
    def run(
        self, seconds: float, max_work: float, max_iterations: int, patience: int, target: float
    ) -> None: ...
