"""The memory that this process may still take."""

from __future__ import annotations

import os
from pathlib import Path

# a machine that does not tell
DEFAULT_BYTES = 2 * 10**9

CGROUP_FILES = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def available_bytes() -> int:
    """Return the least of what the machine has free, its control group allows and ``ulimit -v`` leaves."""
    limits = [free for free in (_machine(), _control_group(), _address_space()) if free is not None]
    return max(0, min(limits, default=DEFAULT_BYTES))


def _machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        names = os.sysconf_names if hasattr(os, "sysconf_names") else {}
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if "SC_PHYS_PAGES" in names else None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024 * int(found[0]) if found else None


def _control_group() -> int | None:
    for limit, used in CGROUP_FILES:
        try:
            most = Path(limit).read_text().strip()
            return None if most == "max" else int(most) - int(Path(used).read_text())
        except (OSError, ValueError):
            continue
    return None


def _address_space() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return int(most)
    return int(most - pages * resource.getpagesize())
