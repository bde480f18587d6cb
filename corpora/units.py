"""What the offsets of a file can count in place of code points."""

from __future__ import annotations

BYTES, UTF16, PASSAGE, CRLF = UNITS = ("bytes", "utf16", "passage", "crlf")
"""The units that can be corrected."""

OFFSETS_HELP = (
    "What the offsets of annotations count, where their texts are not at them: bytes, utf16 (code units), passage "
    "(from its start) or crlf (line ends as one character, or as two); they are changed to code points."
)
