"""What the marks of an article page refer to: concepts, details of mentions, abbreviations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from corpora.model.document import Span
from corpora.model.mesh_ids import NO_CONCEPT, bare_id, is_mesh_id
from corpora.model.passages import PassageSearch
from corpora.model.short_forms import DICTIONARY
from nlmchem.evaluation.articles import Annotation, ScoredArticle
from nlmchem.report.pages import Link
from nlmchem.report.view.marking import Mark

Namer = Callable[[str, str], str | None]
"""(identifier, matched name) -> preferred name of the concept; None if there is none."""
Linker = Callable[[str], Sequence[Link]]
"""Identifier -> links to the concept in other databases."""


def no_links(identifier: str) -> Sequence[Link]:
    """The links of a concept, where no other database is known."""
    return ()


def mesh_address(identifier: str) -> str | None:
    """The web address of a MeSH record; None if the identifier is not from MeSH."""
    return f"https://meshb.nlm.nih.gov/record/ui?ui={bare_id(identifier)}" if is_mesh_id(identifier) else None


@dataclass(slots=True)
class Details:
    """The details that mentions show on hover. Equal details are stored once; the page refers to them by number."""

    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, *entry: object) -> int:
        """The number of these details (`entry` in `article.js` names them); new details get the next number."""
        return self.numbers.setdefault(entry, len(self.numbers))


class PageConcepts:
    """The concepts of a page in the order of their first mention, with their names and mentions."""

    def __init__(self, namer: Namer) -> None:
        self._namer = namer
        self.numbers: dict[str, int] = {}
        self.mentions: defaultdict[str, list[str]] = defaultdict(list)
        """Identifier -> HTML ids of its mentions."""
        self._stated: dict[str, str] = {}
        self._matched: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def number(self, identifier: str) -> int:
        """The number of a concept; a new concept gets the next number."""
        return self.numbers.setdefault(identifier, len(self.numbers))

    def add_mention(self, identifier: str, mention: Annotation, element: str) -> None:
        """Store a mention of a concept; `element` is its HTML id."""
        self.number(identifier)
        self.mentions[identifier].append(element)
        matched = mention.evidence.matched_name or mention.text
        self._matched[identifier][matched] += 1
        if identifier not in self._stated and identifier != NO_CONCEPT:
            name = self._namer(identifier, matched)
            if name:
                self._stated[identifier] = name

    def set_name(self, identifier: str, name: str) -> None:
        """Store the name that an index term gives to a concept."""
        self._stated[identifier] = name

    def name(self, identifier: str) -> str:
        """The name of the index term, else the preferred name, else the most frequently matched text, else the id."""
        if identifier == NO_CONCEPT:
            return "no concept"
        if identifier in self._stated:
            return self._stated[identifier]
        matched = self._matched[identifier]
        return min(matched, key=lambda name: (-matched[name], name)) if matched else identifier


# -- abbreviations ----------------------------------------------------------------------------


@dataclass(slots=True)
class Abbreviation:
    """A short form and its long form. `score`: its probability, if a dictionary gives it and not the article;
    `identifier`: of the concept with this name, or empty.

    The first place of each has the HTML id `short_element` or `long_element`."""

    short_form: str
    long_form: str
    long_element: str
    score: float | None = None
    identifier: str = ""
    short_spans: dict[Span, None] = field(default_factory=dict)
    long_spans: dict[Span, None] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Where the long form comes from, if not from the article; else empty."""
        if self.score is None:
            return ""
        concept = f", {self.identifier}" if self.identifier else ""
        return f"not defined here; from a dictionary, probability {self.score:.2f}{concept}"

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


def key(short_form: str, long_form: str) -> tuple[str, str]:
    """What abbreviations have in common that are shown as one: upper case and blanks of the long form do not count."""
    return short_form, " ".join(long_form.casefold().split())


def abbreviations_of(article: ScoredArticle, prefix: str) -> list[Abbreviation]:
    """The abbreviations in the order of their first place. `prefix`: the first letter of HTML ids."""
    by_forms: dict[tuple[str, str], Abbreviation] = {}
    for definition in article.definitions:
        same = key(definition.short_form, definition.long_form)
        if same not in by_forms:
            element = f"{prefix}d{len(by_forms)}"
            by_forms[same] = Abbreviation(definition.short_form, definition.long_form, element)
        by_forms[same].short_spans[definition.short_span] = None
        by_forms[same].long_spans[definition.long_span] = None
    for expansion in article.inferred:
        same = key(expansion.short_form, f"{expansion.long_form} {DICTIONARY}")
        if same not in by_forms:
            element = f"{prefix}d{len(by_forms)}"
            by_forms[same] = Abbreviation(
                expansion.short_form, expansion.long_form, element, expansion.score, expansion.identifier
            )
        by_forms[same].short_spans[expansion.span] = None
    return list(by_forms.values())
