"""Finds the short forms that an article uses and does not define."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bioc import BioCDocument, BioCPassage

from corpora.model.document import Span
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import AUTH_CONT, REF
from nlmchem.abbreviations.article.glossary import Glossary
from nlmchem.abbreviations.identification import looks_like_acronym

__all__ = ["Place", "Undefined", "places", "undefined"]

_SKIPPED = frozenset({REF, AUTH_CONT})
# A capital among the first characters, because most words of a text have none.
_TOKEN = re.compile(r"(?<![\w])(?=[a-z0-9]{0,4}[A-Z])[A-Za-z0-9](?:[A-Za-z0-9&/+-]*[A-Za-z0-9])?(?!\w)")
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


def undefined(document: BioCDocument, glossary: Glossary, known: Callable[[str], bool]) -> list[Undefined]:
    """The short forms of an article that its glossary does not contain, in the order of their first place.

    `known` returns whether a dictionary contains a form. Other forms count if they look like an acronym. A plural s and
    parts at hyphens and slashes are considered: `FFAs`, `DHA-rich`. References and author contributions are skipped.
    """
    defined = set(glossary)
    defined |= {form.removesuffix("s") for form in defined} | {form + "s" for form in defined}
    found: dict[str, Undefined] = {}
    for passage in document.passages:
        if section_type(passage) in _SKIPPED:
            continue
        for form, span in places(passage_text(passage), known, defined.__contains__):
            entry = found.setdefault(form, Undefined(form))
            entry.places.append((passage, (span[0] + passage.offset, span[1] + passage.offset)))
    return list(found.values())


def places(text: str, known: Callable[[str], bool], defined: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The forms without definition in a text, with their spans, in text order."""
    for token in _TOKEN.finditer(text):
        whole = token[0]
        if defined(whole):
            continue
        form = _form(whole, known)
        if form is not None:
            yield form, token.span()
        elif "-" in whole or "/" in whole:
            for part in _PART.finditer(whole):
                form = None if defined(part[0]) else _form(part[0], known)
                if form is not None:
                    yield form, (token.start() + part.start(), token.start() + part.end())


def _form(token: str, known: Callable[[str], bool]) -> str | None:
    """The form of the dictionary for a token, the token itself if it looks like an acronym, else None."""
    if len(token) < 2 or not looks_like_acronym(token):
        return None
    if known(token):
        return token
    if token.endswith("s") and known(token[:-1]):
        return token[:-1]
    return token if "-" not in token and "/" not in token else None
