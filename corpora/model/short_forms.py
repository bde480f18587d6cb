"""Short forms with several long forms: what each means at a place of an article; long forms of a dictionary.

A long form that a dictionary gives to a short form without definition is one annotation of type ABBR without a
relation, so that `corpora.model.document.definitions` does not read it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.model.document import (
    ABBREVIATION,
    SHORT_FORM,
    Definition,
    Mention,
    Span,
    add_mention,
    every_annotation,
    remove_annotations,
    set_identifiers,
)

DICTIONARY = "Dictionary"
"""The `strategy` of a long form that comes from a dictionary, not from the article."""

_BETWEEN = " | "
_ALTERNATIVE = re.compile(r"(.*) \((\d\.\d{4})\)", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
_TREATED = re.compile(r"[-‐‑–][a-z]+ed(?![^\W_])")
"""`silicon-incubated`, `eugenol-treated sample`."""
SIMILAR = 0.85
"""The least similarity of two spellings of one long form."""


@dataclass(frozen=True, slots=True)
class Scopes:
    """The short forms that an article defines with several meanings, each with its long forms and their places.

    The last definition before a place counts; before the first definition, the first. An occurrence that is annotated
    with its long form counts as a definition at its place.
    """

    _places: Mapping[str, tuple[tuple[int, ...], tuple[str, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, definitions: Iterable[Definition]) -> Scopes:
        """The scopes of the definitions of one article, given in any order."""
        defined: dict[str, list[tuple[int, str]]] = {}
        for definition in definitions:
            place = min(definition.short_span[0], definition.long_span[0])
            defined.setdefault(definition.short_form, []).append((place, definition.long_form))
        first_long = {short: min(places)[1] for short, places in defined.items()}
        several = {
            short: sorted(places) for short, places in defined.items() if _has_several(short, places, first_long)
        }
        return cls(
            {
                short: (tuple(at for at, _ in places), tuple(long for _, long in places))
                for short, places in several.items()
            }
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def short_form(self, text: str) -> str | None:
        """The short form with several meanings that a text is, perhaps with a plural s; None for other texts."""
        return next((form for form in (text, text.removesuffix("s")) if form in self._places), None)

    def long_forms(self, text: str) -> tuple[str, ...]:
        """All long forms of a text, in the order of the article; empty if it is not one of these short forms."""
        short = self.short_form(text)
        return tuple(dict.fromkeys(self._places[short][1])) if short is not None else ()

    def long_form(self, text: str, offset: int) -> str | None:
        """The long form of a text at an offset (code points); None if the text is not one of these short forms."""
        short = self.short_form(text) if self._places else None
        if short is None:
            return None
        starts, longs = self._places[short]
        return longs[max(0, bisect_right(starts, offset) - 1)]


def same_meaning(first: str, other: str) -> bool:
    """Whether two long forms are variants of each other: but for case, punctuation and number, one ends the other.

    Two spellings of one name count as well, and what was treated with it.

    >>> same_meaning("free-fatty acids", "Free fatty acid"), same_meaning("[3H]dopamine", "dopamine")
    (True, True)
    >>> same_meaning("silicon-incubated", "Silicon"), same_meaning("fatty acid-binding protein", "fatty acid")
    (True, False)
    >>> same_meaning("malonyl-dihaldehyde", "malondialdehyde"), same_meaning("fatty acids", "fatty acid synthase")
    (True, False)
    """
    shorter, longer = sorted((_letters(first), _letters(other)), key=len)
    treated = [long[: sign.start()] for long in (first, other) if (sign := _TREATED.search(long)) is not None]
    if any(_letters(name) == shorter for name in treated):
        return True
    return longer.endswith(shorter) or SequenceMatcher(None, shorter, longer).ratio() >= SIMILAR


def _has_several(short: str, places: Iterable[tuple[int, str]], first_long: Mapping[str, str]) -> bool:
    """Whether long forms differ when the short forms in them are written out: `hydroxy PAHs`."""

    def written_out(word: re.Match[str]) -> str:
        form = next((form for form in (word[0], word[0].removesuffix("s")) if form in first_long), short)
        return word[0] if form == short else first_long[form]

    longs = dict.fromkeys(long for _, long in places)
    if len(longs) == 1:
        return False
    (first, *others) = dict.fromkeys(_WORD.sub(written_out, long) for long in longs)
    return not all(same_meaning(first, other) for other in others)


def _letters(long_form: str) -> str:
    """The small letters of the words without the plural s; the long form itself if it has none."""
    words = re.findall(r"[^\W\d_]+", long_form.casefold())
    return "".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words) or long_form


# -- long forms of a dictionary ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inferred:
    """A long form from a dictionary, at one place of its short form."""

    short_form: str
    long_form: str
    span: Span
    score: float
    """Its probability."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """The next long forms with their probabilities."""
    articles: int = 0
    """How many articles behind the dictionary define it; 0 if the file does not state it."""
    identifier: str = ""
    """Of the concept with this name, or empty."""


def add_inferred(passage: BioCPassage, inferred: Inferred, id: str) -> None:
    """Add an inferred long form to a passage. Raises `ArticleError` if the span is empty or outside the passage."""
    mention = add_mention(passage, [inferred.span], id=id, annotator=None, score=inferred.score, type=ABBREVIATION)
    infons = mention.annotation.infons
    infons.update({ABBREVIATION: SHORT_FORM, "strategy": DICTIONARY, "long_form": inferred.long_form})
    if inferred.identifier:
        set_identifiers(mention, [inferred.identifier])
    if inferred.articles:
        infons["articles"] = str(inferred.articles)
    if inferred.alternatives:
        infons["alternatives"] = _BETWEEN.join(
            f"{long_form.replace(_BETWEEN, ' ')} ({score:.4f})" for long_form, score in inferred.alternatives
        )


def inferred_long_forms(document: BioCDocument) -> Iterator[Inferred]:
    """The inferred long forms of a document, in the order of the file."""
    for annotation, passage in every_annotation(document):
        if passage is None or not is_inferred(annotation):
            continue
        mention, infons = Mention(annotation, passage), annotation.infons
        others = map(_ALTERNATIVE.fullmatch, str(infons.get("alternatives") or "").split(_BETWEEN))
        articles = str(infons.get("articles") or "")
        yield Inferred(
            mention.text,
            str(infons["long_form"]),
            mention.spans[0],
            mention.evidence.score or 0.0,
            tuple((match[1], float(match[2])) for match in others if match),
            int(articles) if articles.isascii() and articles.isdecimal() else 0,
            next(iter(mention.identifiers), ""),
        )


def is_inferred(annotation: BioCAnnotation) -> bool:
    infons = annotation.infons
    return (
        infons.get("type") == ABBREVIATION
        and infons.get("strategy") == DICTIONARY
        and bool(infons.get("long_form"))
        and bool(annotation.locations)
    )


def remove_inferred(document: BioCDocument) -> int:
    """Remove all inferred long forms. Returns their number."""
    return remove_annotations(document, is_inferred)
