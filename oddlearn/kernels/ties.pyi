"""Types of the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

class Ties:
    is_stopped: bool
    sweeps: int
    choices: int
    cost: float

    def __init__(
        self,
        rank: NDArray[np.int32],
        order: NDArray[np.int32],
        label: NDArray[np.int32],
        gain: NDArray[np.float64],
        base: NDArray[np.float64],
        narrow: tuple[NDArray[np.generic], NDArray[np.generic]],
        prints: NDArray[np.uint64],
        classes: int,
        levels: int,
        log_memory: int,
        slack: float,
        tolerance: float,
    ) -> None: ...
    def stop(self) -> None: ...
    def rearm(self) -> None: ...
    def forget(self) -> None: ...
    def bound(
        self, prices: NDArray[np.float64], single: NDArray[np.int32], cutoff: float, seconds: float
    ) -> tuple[float, bool]: ...
    def tree(self, value: float, seconds: float) -> list[tuple[int, int] | None]: ...
    def search(
        self,
        widths: NDArray[np.int32],
        tree_only: bool,
        budget: float,
        seconds: float,
        settled: NDArray[np.int32],
    ) -> list[list[tuple[int, int, int, int]]] | None: ...
    def passed(self) -> list[tuple[int, int, int]]: ...
