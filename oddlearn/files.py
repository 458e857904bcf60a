"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

# what a new file may be read and written by, before the user's mask
PERMISSIONS = 0o666


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside its place and move it there once it is whole; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # a name in a model may hold half a surrogate pair, which no file can
    data = content.encode(errors="replace") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, PERMISSIONS & ~_mask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mask() -> int:
    """Return the user's mask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
