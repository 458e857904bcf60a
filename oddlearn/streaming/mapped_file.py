"""Memory that is backed by a temporary file, for bytes that would take too much of the machine's memory."""

from __future__ import annotations

import errno
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 8


def aligned_bytes(values: NDArray[Any]) -> int:
    """Return the bytes that an array takes in a file."""
    return -(-values.nbytes // ALIGNMENT) * ALIGNMENT


class MappedFile:
    """A temporary file, mapped into memory and handed out in pieces; it vanishes with the last of them."""

    def __init__(self, n_bytes: int) -> None:
        self._file = tempfile.TemporaryFile(prefix="oddlearn-")  # noqa: SIM115, removed when it is closed
        self._file.truncate(max(1, n_bytes))
        try:
            self._memory = np.memmap(self._file, dtype=np.uint8, mode="r+", shape=(max(1, n_bytes),))
        except OSError as problem:
            if problem.errno != errno.ENOMEM:
                raise
            size = f"{n_bytes / 1e6:,.0f} MB"
            raise MemoryError(
                f"A temporary file of {size} does not fit below `ulimit -v`: raise it."
            ) from None
        self._used = 0

    def store(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of an array in the file."""
        first = self._used
        self._used += aligned_bytes(values)
        room = self._memory[first : first + values.nbytes].view(values.dtype).reshape(values.shape)
        room[...] = values
        return np.asarray(room)
