"""Articles that consist of several files: a text, `NAME.txt`, and its annotations beside it.

brat has them in `NAME.ann`, the shared tasks of BioNLP in `NAME.a1` (mentions) and `NAME.a2` (relations, events). All
files of an article are one input. They are read as one stream: a first line with length and name, then the text, then
the annotations. Formats that store annotations apart from the text (standoff formats) parse this stream.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from corpora.errors import InputError

TEXT = ".txt"
ANNOTATIONS = ".ann"
OF_BIONLP = (".a1", ".a2")
MARK = b"\x1fstandoff "
"""The beginning of a joined stream. No text file begins with this control character."""

MAX_TEXT = 1 << 28

_FIRST_LINE = re.compile(re.escape(MARK) + rb"(\d{1,12}) (\S*)\n")


def annotations_of(path: str) -> tuple[Path, ...]:
    """The files with the annotations of a text; empty where `path` is not a text, or has no annotations beside it."""
    if not path.endswith(TEXT):
        return ()
    beside = Path(path).with_suffix(ANNOTATIONS)
    if beside.is_file():
        return (beside,)
    return tuple(file for suffix in OF_BIONLP if (file := Path(path).with_suffix(suffix)).is_file())


def text_of(path: str) -> str | None:
    """The text that a file of annotations belongs to; None where `path` is another file, or has no text beside it."""
    for suffix in (ANNOTATIONS, *OF_BIONLP):
        if path.endswith(suffix):
            beside = path.removesuffix(suffix) + TEXT
            # Beside NAME.ann, the files NAME.a1 and NAME.a2 are not read: they are reported as files of their own.
            return beside if Path(path) in annotations_of(beside) and Path(beside).is_file() else None
    return None


def joined_files(text: Path, annotations: Sequence[Path]) -> BinaryIO:
    """A text and the files of its annotations as one stream.

    Raises `InputError` for a text that is too large, and `OSError`.
    """
    if text.stat().st_size > MAX_TEXT:
        raise InputError(f"the text is larger than {MAX_TEXT >> 20} MB; split it, or remove the file")
    return io.BytesIO(joined(text.stem, text.read_bytes(), b"\n".join(file.read_bytes() for file in annotations)))


def joined(name: str, text: bytes, annotations: bytes) -> bytes:
    """The content of both files as one value; `name` is the file name without suffix."""
    return MARK + b"%d %s\n" % (len(text), quote(name).encode()) + text + annotations


def parted(raw: bytes) -> tuple[str, bytes, bytes]:
    """Name, text and annotations, from what `joined` returned. Raises `ValueError` for other bytes."""
    match = _FIRST_LINE.match(raw)
    if match is None:
        raise ValueError("not a text with its annotations")
    start = match.end()
    end = start + int(match[1])
    return unquote(match[2].decode("ascii", "replace")), raw[start:end], raw[end:]
