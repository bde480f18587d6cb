"""The abbreviations of an article page: each short form with its long form once, and its places in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from corpora.model.document import Span
from corpora.model.inferred import DICTIONARY
from corpora.model.passage_search import PassageSearch
from nlmchem.evaluation.articles import Article
from nlmchem.report.marking import Mark

__all__ = ["Abbreviation", "abbreviations_of", "key"]

Key = tuple[str, str]


@dataclass(slots=True)
class Abbreviation:
    """A short form and its long form. `score`: its probability, if a dictionary gives it and not the article.

    The first place of each has the HTML id `short_element` or `long_element`."""

    short_form: str
    long_form: str
    long_element: str
    score: float | None = None
    short_spans: dict[Span, None] = field(default_factory=dict)
    long_spans: dict[Span, None] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Where the long form comes from, if not from the article; else empty."""
        return "" if self.score is None else f"not defined here; from a dictionary, probability {self.score:.2f}"

    @property
    def short_element(self) -> str:
        return f"{self.long_element}s"

    @property
    def count(self) -> int:
        """How often the article states the short form with this meaning."""
        return len(self.short_spans)

    def marks(self, search: PassageSearch) -> Iterator[tuple[int, Mark]]:
        """Passage and mark of each place, as far as a passage contains it."""
        meaning = f"{self.long_form} ({self.origin})" if self.origin else self.long_form
        for spans, element, title in (
            (self.long_spans, self.long_element, self.short_form),
            (self.short_spans, self.short_element, meaning),
        ):
            first = {"id": element}
            for start, end in spans:
                passage = next(iter(search.around(start, end)), None)
                if passage is not None:
                    yield passage, Mark(((start, end),), {"class": "d", "title": title}, first)
                    first = {}


def key(short_form: str, long_form: str) -> Key:
    """What abbreviations have in common that are shown as one: upper case and blanks of the long form do not count."""
    return short_form, " ".join(long_form.casefold().split())


def abbreviations_of(article: Article, prefix: str) -> list[Abbreviation]:
    """The abbreviations in the order of their first place. `prefix`: the first letter of HTML ids."""
    found: dict[Key, Abbreviation] = {}
    for definition in article.definitions:
        same = key(definition.short_form, definition.long_form)
        if same not in found:
            element = f"{prefix}d{len(found)}"
            found[same] = Abbreviation(definition.short_form, definition.long_form, element)
        found[same].short_spans[definition.short_span] = None
        found[same].long_spans[definition.long_span] = None
    for one in article.inferred:
        same = key(one.short_form, f"{one.long_form} {DICTIONARY}")
        if same not in found:
            found[same] = Abbreviation(one.short_form, one.long_form, f"{prefix}d{len(found)}", one.score)
        found[same].short_spans[one.span] = None
    return list(found.values())
