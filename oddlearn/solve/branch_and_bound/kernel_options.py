"""Threads and memory of the kernels of one solve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakSet

# of all kernels of a solve together, in bytes
MAX_MEMORY = 4 * 2**30


class MemoryLimitError(MemoryError):
    """A proof needs more memory than it may have."""


class MemoryUser(Protocol):
    """A kernel that knows how much memory it has."""

    @property
    def n_bytes(self) -> int:
        """Bytes."""
        ...

    def limit_memory(self, max_bytes: int) -> None:
        """Stop the next calls rather than have more bytes than this."""
        ...


class MemoryLimit:
    """The bytes that the kernels of a solve may have together.

    A kernel counts as long as it exists.
    """

    def __init__(self, max_bytes: int = MAX_MEMORY) -> None:
        self.max_bytes = max_bytes
        self._reserved = 0
        self._users: WeakSet[MemoryUser] = WeakSet()

    def __str__(self) -> str:
        gigabytes = self.max_bytes / 2**30
        return f"{gigabytes:.3g} GB" if gigabytes >= 0.1 else f"{self.max_bytes / 2**20:.3g} MB"

    @property
    def n_left(self) -> int:
        """Bytes that are left."""
        return max(0, self.max_bytes - self._reserved - sum(user.n_bytes for user in self._users))

    def reserve(self, n_bytes: int) -> None:
        """Set bytes aside for good."""
        self._reserved += n_bytes

    def register(self, user: MemoryUser) -> None:
        """Count the bytes of a kernel from now on."""
        self._users.add(user)

    def divide(self, users: list[MemoryUser]) -> None:
        """Let each of several kernels have an equal part of what is left."""
        part = self.n_left // len(users)
        for user in users:
            user.limit_memory(user.n_bytes + part)


@dataclass(frozen=True)
class KernelOptions:
    """The threads and the memory that the kernels of a solve have."""

    n_jobs: int = 1
    memory: MemoryLimit = field(default_factory=MemoryLimit)
