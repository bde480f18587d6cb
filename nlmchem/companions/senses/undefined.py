"""Finds the short forms that an article uses and does not define."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from bioc import BioCDocument, BioCPassage

from corpora.model.document import Span
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import WITHOUT_ABBREVIATIONS
from nlmchem.abbreviations.identification import looks_like_acronym

_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9&/+-]*[A-Za-z0-9])?(?!\w)")
# The first capital of a token that has two. It is among the first five characters, because most words have none.
_CAPITAL = re.compile(
    r"[A-Z](?=[a-z0-9&/+-]*[A-Z])(?:(?<=\W[A-Z])|(?<=\W[a-z0-9][A-Z])|(?<=\W[a-z0-9]{2}[A-Z])|(?<=\W[a-z0-9]{3}[A-Z])"
    r"|(?<=\W[a-z0-9]{4}[A-Z]))"
)
_SMALL = frozenset(string.ascii_lowercase + string.digits)
_PART = re.compile(r"[A-Za-z0-9&]+")

Place = tuple[BioCPassage, Span]
"""A passage, and a span in the document (code points)."""


@dataclass(slots=True)
class Undefined:
    """A short form without definition in its article, and the places where it stands, in text order.

    `form`: as in the dictionary; `FFA` also for the places of `FFAs`.
    """

    form: str
    places: list[Place] = field(default_factory=list)


def undefined(document: BioCDocument, defined: Iterable[str], known: Callable[[str], bool]) -> list[Undefined]:
    """The short forms of an article that are not among the defined ones, in the order of their first place.

    `known` returns whether a dictionary contains a form. Other forms count if they look like an acronym. A plural s and
    parts at hyphens and slashes are considered: `FFAs`, `DHA-rich`. References and author contributions are skipped.
    """
    excluded = set(defined)
    excluded |= {form.removesuffix("s") for form in excluded} | {form + "s" for form in excluded}
    passages = [passage for passage in document.passages if section_type(passage) not in WITHOUT_ABBREVIATIONS]
    texts = [passage_text(passage) for passage in passages]
    # One search in the whole article. No token contains a line break.
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    entries: dict[str, Undefined] = {}
    for form, span in places("\n".join(texts), known, excluded.__contains__):
        number = bisect_right(starts, span[0]) - 1
        passage, shift = passages[number], passages[number].offset - starts[number]
        entry = entries.setdefault(form, Undefined(form))
        entry.places.append((passage, (span[0] + shift, span[1] + shift)))
    return list(entries.values())


def places(text: str, known: Callable[[str], bool], defined: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The forms without definition in a text, with their spans, in text order."""
    forms: dict[str, tuple[tuple[str, Span], ...]] = {}
    for start, token in _tokens(text):
        if token not in forms:
            forms[token] = tuple(_forms(token, known, defined))
        for form, (begin, end) in forms[token]:
            yield form, (start + begin, start + end)


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """The tokens with at least two capitals, and where they begin."""
    reached = 0
    # The patterns look at the character before a token.
    text = "\n" + text
    for capital in _CAPITAL.finditer(text):
        start = capital.start()
        if start < reached:
            continue
        while text[start - 1] in _SMALL:
            start -= 1
        token = _TOKEN.match(text, start)
        if token is not None:
            reached = token.end()
            yield start - 1, token[0]


def _forms(whole: str, known: Callable[[str], bool], defined: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The form of a token, or the forms of its parts, with their spans in the token."""
    if defined(whole):
        return
    form = _form(whole, known)
    if form is not None:
        yield form, (0, len(whole))
    elif "-" in whole or "/" in whole:
        for part in _PART.finditer(whole):
            form = None if defined(part[0]) else _form(part[0], known)
            if form is not None:
                yield form, part.span()


def _form(token: str, known: Callable[[str], bool]) -> str | None:
    """The form of the dictionary for a token, the token itself if it looks like an acronym, else None."""
    if len(token) < 2 or not looks_like_acronym(token):
        return None
    if known(token):
        return token
    if token.endswith("s") and known(token[:-1]):
        return token[:-1]
    return token if "-" not in token and "/" not in token else None
