"""What the offsets of a file can count in place of code points."""

from __future__ import annotations

BYTES, UTF16, PASSAGE, CRLF = UNITS = ("bytes", "utf16", "passage", "crlf")
"""The units that can be corrected."""


def utf8_width(character: str) -> int:
    """The number of bytes of a character in UTF-8."""
    return len(character.encode("utf-8", "surrogatepass"))


def utf16_width(character: str) -> int:
    """The number of UTF-16 code units of a character: browsers and Java count these."""
    return 2 if character > "\uffff" else 1


OFFSETS_HELP = (
    "What the offsets of annotations count, where their texts are not at them: bytes, utf16 (code units), passage "
    "(from its start) or crlf (line ends as one character, or as two); they are changed to code points."
)
