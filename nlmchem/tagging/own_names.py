"""Marks the names of the user (`sieves.lexicon.tables`) in articles, after any tagger and decision."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, add_mention, annotator, fresh_ids
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.gazetteer.names import NameScanner, without_overlaps
from nlmchem.tagging.lexicon_tagger import MENTION_PREFIX
from sieves.lexicon.keys import plain
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.tables import BLOCKED

ANNOTATOR = "names"


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A name of the user in a document, and its identifier: several are joined by `,`."""

    span: Span
    identifier: str

    @property
    def is_blocked(self) -> bool:
        """Whether what is marked there is no mention."""
        return self.identifier == BLOCKED


class OwnNamesMarker:
    """Makes each name of the user a mention, and removes mentions at blocked names.

    A name inside a longer mention stays a part of it. Of two names that overlap, the first and longest one counts.
    """

    def __init__(self, names: Lexicon, skip_sections: Collection[str] = frozenset()) -> None:
        """`names`: the lexicon of the names alone (`Lexicon.own`)."""
        self._skip = skip_sections
        self._annotator = annotator(ANNOTATOR, names.version)
        self._scanner = NameScanner(names, lambda text: next((match.identifier for match in names.spelt(text)), None))

    def __call__(self, document: BioCDocument, kept: Collection[int]) -> None:
        """Mark one document. `kept`: the `id` of annotations that are not changed."""
        ids = fresh_ids(document, MENTION_PREFIX)
        for passage, text, places in self.places(document):
            for place in places:
                self._apply(passage, text, place, kept, ids)

    def places(self, document: BioCDocument) -> Iterator[tuple[BioCPassage, str, list[OwnPlace]]]:
        """The passages with their texts and the names of the user in them, from left to right."""
        passages = [passage for passage in document.passages if section_type(passage) not in self._skip]
        texts = [passage_text(passage) for passage in passages]
        for passage, text, names in zip(passages, texts, self._scanner.names(list(map(plain, texts))), strict=True):
            places = [
                OwnPlace((passage.offset + start, passage.offset + end), identifier)
                for start, end, identifier in without_overlaps(names)
            ]
            if places:
                yield passage, text, places

    def _apply(
        self, passage: BioCPassage, text: str, place: OwnPlace, kept: Collection[int], ids: Iterator[str]
    ) -> None:
        start, end = place.span
        around = [
            mention
            for holder in (passage, *passage.sentences)
            for mention in holder.annotations
            if mention.infons.get("type") == CHEMICAL and id(mention) not in kept
            if any(part.offset < end and start < part.offset + part.length for part in mention.locations)
        ]
        spans = [_outer(mention) for mention in around]
        if any(first <= start and end <= last and (first, last) != (start, end) for first, last in spans):
            return
        inside = [mention for mention, span in zip(around, spans, strict=True) if start <= span[0] and span[1] <= end]
        # A mention with exactly these bounds keeps its tagger and score.
        same = [mention for mention in inside if len(mention.locations) == 1 and _outer(mention) == place.span]
        gone = set(map(id, inside if place.is_blocked else [mention for mention in around if mention not in same]))
        for holder in (passage, *passage.sentences):
            holder.annotations[:] = [annotation for annotation in holder.annotations if id(annotation) not in gone]
        if place.is_blocked or same:
            return
        add_mention(passage, [place.span], id=next(ids), annotator=self._annotator, text=text)
        # It stands before the first mention that begins behind it.
        *others, added = passage.annotations
        behind = (
            position
            for position, other in enumerate(others)
            if id(other) not in kept and other.infons.get("type") == CHEMICAL and other.locations
            if _outer(other)[0] > start
        )
        passage.annotations[:] = others
        passage.annotations.insert(next(behind, len(others)), added)


def _outer(annotation: BioCAnnotation) -> Span:
    starts = [place.offset for place in annotation.locations]
    return min(starts), max(place.offset + place.length for place in annotation.locations)
