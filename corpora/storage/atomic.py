"""Files that are whole or not there: write beside the target, flush to disk, rename."""

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
    """Open a temporary file in `path`'s folder for writing; it becomes `path` when the block ends well.

    The folder is made where it is missing. When the block raises, `path` stays as it was and the
    temporary file is taken away. Raises `OSError` as the system says it (no space, no permission).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own for each writer: two processes that write the same file do not meet half-way.
    # File systems take 255 bytes a name.
    begin = os.fsencode(path.name)[:220].decode(errors="ignore")
    temporary = path.with_name(f".{begin}.{secrets.token_hex(4)}.tmp")
    try:
        # Inside the `try`, so that Ctrl-C just behind the opening leaves no file either.
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
