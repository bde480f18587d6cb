"""Atomic writing: a file is complete or does not exist. Write next to the target, flush to disk, rename."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing", "write_bytes"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file in the folder of `path` for writing; it replaces `path` when the block ends.

    A missing folder is created. If the block raises, `path` is not changed and the temporary file is removed. Raises
    `OSError` (no space, no permission).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Each writer has its own name, so two processes can write the same file. File systems allow 255 bytes for a name.
    begin = os.fsencode(path.name)[:220].decode(errors="ignore")
    temporary = path.with_name(f".{begin}.{secrets.token_hex(4)}.tmp")
    try:
        # Inside the `try`, so that Ctrl-C directly after the file was opened leaves no file.
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically."""
    with replacing(path) as stream:
        stream.write(content)
