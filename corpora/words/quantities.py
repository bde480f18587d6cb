"""Numbers of things in messages: `1 article`, `2 articles`."""

from __future__ import annotations


def quantity(number: int, singular: str, plural: str | None = None) -> str:
    """A number with the words for one thing, or for another number of them (`plural`; None: with an s).

    >>> quantity(1, "article"), quantity(2, "article"), quantity(1, "article was", "articles were")
    ('1 article', '2 articles', '1 article was')
    """
    words = singular if number == 1 else plural if plural is not None else f"{singular}s"
    return f"{number} {words}"
