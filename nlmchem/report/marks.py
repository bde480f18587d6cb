"""The marks of an article page, passage by passage, for prediction and gold standard, and what they refer to.

Marks may overlap, contain each other and have several spans; the result nests correctly as HTML. They refer to
concepts, details of mentions, and abbreviations.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise

from corpora.model.chemical import CHEMICAL
from corpora.model.document import ABBREVIATION, Span
from corpora.model.mesh_ids import NO_CONCEPT, bare_id, is_mesh_id
from corpora.model.passages import PassageSearch
from corpora.model.short_forms import DICTIONARY
from nlmchem.deciding.linking import link_of, probabilities_of
from nlmchem.evaluation.articles import Annotation, ScoredArticle
from nlmchem.evaluation.matches import CoveredText, key
from nlmchem.report.pages import Link


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark at `spans` (offsets in the document); each of its pieces becomes one HTML element.

    `attributes`: HTML attributes of every piece. `first` and `last`: further attributes of its first piece (id, tab
    order) and of its last piece.
    """

    spans: tuple[Span, ...]
    attributes: Mapping[str, str]
    first: Mapping[str, str] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)

    @property
    def extent(self) -> int:
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text and the attributes of the elements around it, the outermost first."""

    text: str
    elements: tuple[Mapping[str, str], ...]


def cut(
    length: int, spans: Sequence[tuple[int, int, int]], breaks: Iterable[int] = ()
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Cut 0..`length` at the start and end of every span (start, end, number), and at `breaks`.

    Yields (start, end, numbers of the spans that cover this stretch).
    """
    edges = {0, length, *breaks}
    begins: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for start, end, number in spans:
        start, end = max(0, start), min(length, end)
        if start < end:
            edges |= {start, end}
            begins.setdefault(start, []).append(number)
            ends.setdefault(end, []).append(number)
    covering: list[int] = []
    for start, end in pairwise(sorted(edges)):
        for number in ends.get(start, []):
            covering.remove(number)
        covering += begins.get(start, [])
        yield start, end, tuple(covering)


def marked(offset: int, text: str, marks: Iterable[Mark], breaks: Iterable[int] = ()) -> list[TextPiece]:
    """The pieces of a passage. Of several marks over one piece, the longest is the outermost; ties: the first mark.

    `offset`: position of `text` in the document. `breaks`: positions in `text` before which a new piece begins, in
    addition to the ends of marks.
    """
    given = list(marks)
    spans = [(start - offset, end - offset, number) for number, mark in enumerate(given) for start, end in mark.spans]
    stretches = [
        (start, end, sorted(set(covering), key=lambda number: (-given[number].extent, number)))
        for start, end, covering in cut(len(text), spans, breaks)
    ]
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    # White space between the cells of a table is not shown: marks begin and end at visible pieces, if they have any.
    every = range(len(stretches))
    visible = [position for position in every if not text[slice(*stretches[position][:2])].isspace()]
    for found, positions in ((firsts, (*visible, *every)), (lasts, (*reversed(visible), *reversed(every)))):
        for position in positions:
            for number in stretches[position][2]:
                found.setdefault(number, position)
    pieces = []
    for position, (start, end, covering) in enumerate(stretches):
        elements = []
        for number in covering:
            mark, attributes = given[number], dict(given[number].attributes)
            attributes |= mark.first if firsts[number] == position else {}
            attributes |= mark.last if lasts[number] == position else {}
            elements.append(attributes)
        pieces.append(TextPiece(text[start:end], tuple(elements)))
    return pieces


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
    """A short form and its long form. The first place of each has the HTML id `short_element` or `long_element`."""

    short_form: str
    long_form: str
    long_element: str
    score: float | None = None
    """Its probability, if a dictionary gives it and not the article."""
    identifier: str = ""
    """Of the concept with this name, or empty."""
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


def abbreviation_key(short_form: str, long_form: str) -> tuple[str, str]:
    """What abbreviations have in common that are shown as one: upper case and blanks of the long form do not count."""
    return short_form, " ".join(long_form.casefold().split())


def abbreviations_of(article: ScoredArticle, prefix: str) -> list[Abbreviation]:
    """The abbreviations in the order of their first place. `prefix`: the first letter of HTML ids."""
    by_forms: dict[tuple[str, str], Abbreviation] = {}
    for definition in article.definitions:
        short, long = definition.short_form, definition.long_form
        new = Abbreviation(short, long, f"{prefix}d{len(by_forms)}")
        known = by_forms.setdefault(abbreviation_key(short, long), new)
        known.short_spans[definition.short_span] = None
        known.long_spans[definition.long_span] = None
    for expansion in article.inferred:
        short, long = expansion.short_form, expansion.long_form
        new = Abbreviation(short, long, f"{prefix}d{len(by_forms)}", expansion.score, expansion.identifier)
        known = by_forms.setdefault(abbreviation_key(short, f"{long} {DICTIONARY}"), new)
        known.short_spans[expansion.span] = None
    return list(by_forms.values())


GOLD, PREDICTION = "g", "m"
"""The first letter of all HTML ids of a side."""

STATUS = {
    "same": "same in gold and prediction",
    "concept": "same place, different concept",
    "cut": "overlap with different boundaries",
    "alone": "on this side only",
}
"""How a mention compares with the other side: CSS class without its prefix -> text of the legend."""


@dataclass(frozen=True, slots=True)
class MentionCounts:
    """How many mentions an article has, in how many concepts, and how many mentions have no concept."""

    mentions: int
    concepts: int
    unlinked: int


@dataclass(slots=True)
class MarkedSide:
    """`passages[i]`: the marks of passage i. `differing`: the passages with marks that the other side does not have."""

    name: str
    article: ScoredArticle
    prefix: str
    passages: list[list[Mark]] = field(default_factory=list)
    abbreviations: list[Abbreviation] = field(default_factory=list)
    differing: set[int] = field(default_factory=set)

    @property
    def summary(self) -> MentionCounts:
        return summary(self.article)


DEEPEST = 50
"""Marks around one place of a text. The page of marks without such a limit grows as the square of their number."""


def shown(article: ScoredArticle) -> list[Annotation]:
    """The annotations that a page shows as mentions, in the order of the file.

    Mention i has the HTML id `g<i>` on the gold side and `m<i>` on the side of the prediction.
    """
    return _shown_and_left_out(article)[0]


def too_deep(article: ScoredArticle) -> int:
    """How many mentions a page leaves out, because they begin inside of `DEEPEST` others."""
    return _shown_and_left_out(article)[1]


def _shown_and_left_out(article: ScoredArticle) -> tuple[list[Annotation], int]:
    passages = len(article.layout.passages)
    mentions = [
        item
        for item in article.annotations
        if item.passage < passages and item.locations and not item.empty and item.type != ABBREVIATION
    ]
    left_out: set[int] = set()
    ends: defaultdict[int, list[int]] = defaultdict(list)
    extents = [
        (item.passage, start, -end, number) for number, item in enumerate(mentions) for start, end in item.locations
    ]
    for passage, start, end, number in sorted(extents):
        around = ends[passage]
        while around and around[0] <= start:
            heappop(around)
        if len(around) >= DEEPEST:
            left_out.add(number)
        else:
            heappush(around, -end)
    return [item for number, item in enumerate(mentions) if number not in left_out], len(left_out)


def summary(article: ScoredArticle) -> MentionCounts:
    """The counts of an article as all pages show them."""
    mentions = shown(article)
    concepts = {identifier for item in mentions for identifier in concepts_of(item)}
    return MentionCounts(len(mentions), len(concepts), sum(not concepts_of(item) for item in mentions))


def concepts_of(mention: Annotation) -> tuple[str, ...]:
    """The concepts of a mention, without `-`."""
    return tuple(identifier for identifier in mention.identifiers if identifier.strip() not in ("", NO_CONCEPT, "-1"))


def mark_sides(
    predicted: ScoredArticle, gold: ScoredArticle | None, concepts: PageConcepts, details: dict[tuple[object, ...], int]
) -> list[MarkedSide]:
    """The sides of a page with their marks, gold first; adds to `concepts`.

    `details`: what mentions show on hover (`entry` in `article.js` names the values) -> its number, to which the page
    refers; new details get the next number.
    """
    if gold is None:
        side = MarkedSide("Text", predicted, PREDICTION)
        _mark(side, lambda mention: None, {}, concepts, details)
        return [side]
    sides = [MarkedSide("Gold", gold, GOLD), MarkedSide("Prediction", predicted, PREDICTION)]
    compare = [_comparison(predicted), _comparison(gold)]
    errors = _errors(sides, compare)
    for side, status in zip(sides, compare, strict=True):
        _mark(side, status, errors, concepts, details)
    return sides


def _mark(
    side: MarkedSide,
    status_of: Callable[[Annotation], str | None],
    errors: Mapping[str, int],
    concepts: PageConcepts,
    details: dict[tuple[object, ...], int],
) -> None:
    """Add the marks of a side: definitions first, then mentions. `errors`: HTML id -> number of the error."""
    passages = side.article.layout.passages
    search = PassageSearch(passages)
    side.passages = [[] for _ in passages]
    side.abbreviations = abbreviations_of(side.article, side.prefix)
    defined: dict[str, Abbreviation] = {}
    for abbreviation in side.abbreviations:
        for passage, mark in abbreviation.marks(search):
            side.passages[passage].append(mark)
        if not abbreviation.origin:
            defined.setdefault(abbreviation.short_form, abbreviation)
    annotations = shown(side.article)
    links = [link_of(annotation.text, concepts_of(annotation), annotation.evidence) for annotation in annotations]
    right = probabilities_of(links)
    for number, (annotation, link) in enumerate(zip(annotations, links, strict=True)):
        element = f"{side.prefix}{number}"
        linked = concepts_of(annotation)
        identifiers = linked or (NO_CONCEPT,)
        for identifier in identifiers:
            concepts.add_mention(identifier, annotation, element)
        numbers = tuple(concepts.number(identifier) for identifier in identifiers)
        status = status_of(annotation)
        if status not in (None, "same"):
            side.differing.add(annotation.passage)
        definition = defined.get(annotation.text)
        entry = (
            annotation.type,
            numbers,
            annotation.evidence.sieve,
            annotation.evidence.score,
            annotation.evidence.matched_name,
            round(right[link], 2) if link in right else None,
            None if definition is None else (definition.long_form, definition.long_element),
            STATUS[status] if status else None,
            annotation.reasons,
        )
        classes = ["m"]
        classes += ["other"] if annotation.type != CHEMICAL else []
        classes += [] if linked else ["u"]
        classes += [f"s-{status}"] if status else []
        attributes = {
            "class": " ".join(classes),
            "data-c": " ".join(map(str, numbers)),
            "data-e": str(details.setdefault(entry, len(details))),
        }
        first = {"id": element, "tabindex": "0", "role": "button"}
        if element in errors:
            first["data-x"] = str(errors[element])
        # The last piece of a mention is followed by the names of its concepts, if the reader selects them.
        last = {"class": " ".join((*classes, "z"))}
        side.passages[annotation.passage].append(Mark(annotation.locations, attributes, first, last))


def _comparison(other: ScoredArticle) -> Callable[[Annotation], str]:
    """A function from an annotation to its key in STATUS, compared with the mentions of the other side."""
    mentions = shown(other)
    identifiers = {key(item): set(concepts_of(item)) for item in mentions}
    by_type: defaultdict[str, list[Annotation]] = defaultdict(list)
    for item in mentions:
        by_type[item.type].append(item)
    coverage = {type: CoveredText(items) for type, items in by_type.items()}

    def status(annotation: Annotation) -> str:
        same = identifiers.get(key(annotation))
        if same is not None:
            return "same" if same == set(concepts_of(annotation)) else "concept"
        overlaps = annotation.type in coverage and coverage[annotation.type].overlaps(annotation)
        return "cut" if overlaps else "alone"

    return status


def _errors(sides: Sequence[MarkedSide], compare: Sequence[Callable[[Annotation], str]]) -> dict[str, int]:
    """HTML id -> number of the error, from 0 in the order of the text.

    Mentions of both sides that overlap belong to the same error.
    """
    differing = sorted(
        (mention.passage, mention.locations[0][0], max(end for _, end in mention.locations), f"{side.prefix}{number}")
        for side, status_of in zip(sides, compare, strict=True)
        for number, mention in enumerate(shown(side.article))
        if status_of(mention) != "same"
    )
    numbers: dict[str, int] = {}
    error, reached = -1, (-1, 0)
    for passage, start, end, element in differing:
        if (passage, start) >= reached:
            error, reached = error + 1, (passage, end)
        else:
            reached = max(reached, (passage, end))
        numbers[element] = error
    return numbers
