"""Files that are whole or not there: write beside the target, flush to disk, rename."""

from __future__ import annotations

import os
import tempfile
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
    # File systems take 255 bytes a name, of which a character may need 4.
    # A name of its own for each writer: two processes that write the same file do not meet half-way.
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fchmod(stream.fileno(), 0o666 & ~_umask())
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically."""
    with replacing(path) as stream:
        stream.write(content)


def _umask() -> int:
    # mkstemp makes private files; an output has the permissions that any new file of the user has.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
