"""Length-prefixed frames on a pipe: 8 bytes for the length, then the content.

Imported by the child process before it knows where oddlearn is: use the standard library only.
"""

from __future__ import annotations

import struct
from typing import IO

_LENGTH = struct.Struct("<Q")


def write_frame(pipe: IO[bytes], content: bytes) -> None:
    """Write one frame and flush it."""
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> bytes | None:
    """Read one frame; return None if the pipe ends before the frame does."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = pipe.read(length)
    return content if len(content) == length else None
