from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

class RowPass:
    def __init__(
        self,
        bins: Sequence[NDArray[Any]],
        child: NDArray[Any],
        column: NDArray[Any],
        low: NDArray[Any],
        high: NDArray[Any],
        active: NDArray[Any],
        n_classes: int,
    ) -> None: ...
    def add_sums(
        self,
        first: int,
        last: int,
        end: int,
        begin: int,
        slot_group: NDArray[Any],
        arc_group: NDArray[Any],
        targets: NDArray[Any],
        cost: NDArray[Any],
        codes: NDArray[Any],
        weight: NDArray[Any],
        flow: NDArray[Any],
        columns: NDArray[Any],
        sums: NDArray[Any],
    ) -> None: ...
    def find_classes(self, first: int, last: int, classes: NDArray[Any]) -> None: ...
    def list_rows(
        self,
        first: int,
        last: int,
        slot: int,
        lowest: int,
        highest: int,
        slot_group: NDArray[Any],
        arc_group: NDArray[Any],
        rows: NDArray[Any],
        classes: NDArray[Any],
    ) -> int: ...
