"""Types of the compiled kernel."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

class PriceArrays(Protocol):
    """The arrays of the items that the kernel reads: see `solve.branch_and_bound.price_items`."""

    @property
    def rank(self) -> NDArray[np.int32]: ...
    @property
    def order(self) -> NDArray[np.int32]: ...
    @property
    def label(self) -> NDArray[np.int32]: ...
    @property
    def gain(self) -> NDArray[np.int64]: ...
    @property
    def base(self) -> NDArray[np.int64]: ...
    @property
    def signed_gain(self) -> NDArray[np.int32]: ...
    @property
    def unit(self) -> int: ...
    @property
    def price(self) -> int: ...

class PriceTreeSolver:
    is_stopped: bool
    stop_reason: str
    work: float
    counts: tuple[int, int]

    def __init__(
        self,
        items: PriceArrays,
        hash_words: NDArray[np.uint64],
        n_classes: int,
        log_entries: int,
        max_bytes: int,
        disabled: int = 0,
    ) -> None: ...
    def stop(self) -> None: ...
    def clear_stop(self) -> None: ...
    def limit_work(self, max_work: float) -> None: ...
    def bound(self, budget: int, seconds: float) -> tuple[int, int]: ...
    def tree(self, seconds: float) -> list[tuple[int, int, int, int]]: ...
