"""Splits a folder into files under 16 MiB and joins them again, for machines that only return small files.

python benchmarks/train_default/carry.py split OUT/encoder PIECES       python .../carry.py join PIECES OUT/encoder
"""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

PIECE = 15 << 20


def split(folder: Path, pieces: Path) -> None:
    """Write the files of a folder as `part-00`, `part-01`, ... of one tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        archive.add(folder, arcname=".")
    pieces.mkdir(parents=True, exist_ok=True)
    content = buffer.getvalue()
    for number, at in enumerate(range(0, len(content), PIECE)):
        (pieces / f"part-{number:02}").write_bytes(content[at : at + PIECE])


def join(pieces: Path, folder: Path) -> None:
    """Restore the folder from its parts."""
    content = b"".join(part.read_bytes() for part in sorted(pieces.glob("part-*")))
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:xz") as archive:
        archive.extractall(folder, filter="data")


if __name__ == "__main__":
    {"split": split, "join": join}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
