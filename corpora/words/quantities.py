"""Numbers of things in messages: `1 article`, `2 articles`."""

from __future__ import annotations


def quantity(number: int, one: str, many: str | None = None) -> str:
    """A number with the words for one thing, or for another number of them (`many`; None: with an s).

    >>> quantity(1, "article"), quantity(2, "article"), quantity(1, "article was", "articles were")
    ('1 article', '2 articles', '1 article was')
    """
    words = one if number == 1 else many if many is not None else f"{one}s"
    return f"{number} {words}"
