"""Types of the compiled kernel."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MAX_CLASSES: int
MAX_LEVELS: int
MAX_WIDTH: int

class ItemArrays(Protocol):
    """The arrays of the items that the kernel reads: see `solve.branch_and_bound.weighted_items`."""

    @property
    def rank(self) -> NDArray[np.int32]: ...
    @property
    def order(self) -> NDArray[np.int32]: ...
    @property
    def label(self) -> NDArray[np.int32]: ...
    @property
    def gain(self) -> NDArray[np.float64]: ...
    @property
    def base(self) -> NDArray[np.float64]: ...
    @property
    def narrow(self) -> tuple[NDArray[np.generic], NDArray[np.generic]]: ...

class DiagramSolver:
    is_stopped: bool
    work: float
    sweeps: int
    n_choices: int
    cost: float
    n_bytes: int
    is_out_of_memory: bool
    root_key: tuple[float, int, int, int]

    def __init__(
        self,
        items: ItemArrays,
        hash_words: NDArray[np.uint64],
        n_classes: int,
        levels: int,
        log_entries: int,
        side_slack: float,
        tolerance: float,
        disabled: int = 0,
        max_bytes: int = ...,
    ) -> None: ...
    def stop(self) -> None: ...
    def clear_stop(self) -> None: ...
    def clear_bounds(self) -> None: ...
    def limit_work(self, max_work: float) -> None: ...
    def limit_memory(self, max_bytes: int) -> None: ...
    def set_part(self, part: int, n_parts: int) -> None: ...
    def bound(
        self, prices: NDArray[np.float64], max_one_child: NDArray[np.int32], cutoff: float, seconds: float
    ) -> tuple[float, bool]: ...
    def tree(self, value: float, seconds: float) -> list[tuple[int, int] | None]: ...
    def search(
        self,
        widths: NDArray[np.int32],
        tree_only: bool,
        budget: float,
        seconds: float,
        finished: NDArray[np.int32],
    ) -> list[list[tuple[int, int, int, int]]] | None: ...
    def finished_root_splits(self) -> list[tuple[int, int, int]]: ...
