"""Numbers of things and of seconds in messages: `1 article`, `3 min`; what the offsets of a file can count."""

from __future__ import annotations


def quantity(number: int, singular: str, plural: str | None = None) -> str:
    """A number with the words for one thing, or for another number of them (`plural`; None: with an s).

    >>> quantity(1, "article"), quantity(2, "article"), quantity(1, "article was", "articles were")
    ('1 article', '2 articles', '1 article was')
    """
    words = singular if number == 1 else plural if plural is not None else f"{singular}s"
    return f"{number} {words}"


def duration(seconds: float) -> str:
    """Seconds in words: `12 s`, `3 min`, `2 h 5 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{rest} s"


BYTES, UTF16, PASSAGE, CRLF = UNITS = ("bytes", "utf16", "passage", "crlf")
"""The units that can be corrected: what the offsets of a file count in place of code points."""


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
