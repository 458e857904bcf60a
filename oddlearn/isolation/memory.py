"""How much memory is free, and how much a process uses."""

from __future__ import annotations

import os
from pathlib import Path

# limit and use of the control group of a container, new and old kind
_GROUP_FILES = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)

# what a child may use unless it is told otherwise, as a share of the available memory
MEMORY_SHARE = 0.5

# taken for free where the system does not say
_UNKNOWN = 4 << 30


def available_memory() -> int:
    """Return the bytes that can be had without swapping, within the limit of a container."""
    return max(0, min([_system_memory(), *(_group_memory(*files) for files in _GROUP_FILES)]))


def allowed_memory(most_memory: int | None) -> int:
    """Return the bytes a child may use: those given, or a share of the available ones."""
    return int(MEMORY_SHARE * available_memory()) if most_memory is None else most_memory


def memory_of(pid: int) -> int:
    """Return the bytes of memory a process holds, 0 where that cannot be read."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _system_memory() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return _physical_memory()
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), _UNKNOWN)


def _physical_memory() -> int:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return _UNKNOWN
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _group_memory(limit_file: str, use_file: str) -> int:
    """Return what a control group leaves; no limit, no such group: all the system has."""
    try:
        return int(Path(limit_file).read_text()) - int(Path(use_file).read_text())
    except (OSError, ValueError):  # "max" is no number
        return _system_memory()
