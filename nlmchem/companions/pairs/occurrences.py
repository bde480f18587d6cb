"""Step 1 of making pairs: the mentions of a corpus in their sentences, one mention for each sentence."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from bioc import BioCDocument

from corpora.model.document import Mention, Span, mentions
from corpora.model.passages import passage_text

PER_NAME = 8
"""Maximum number of mentions kept for a name with one concept."""

Splitter = Callable[[str], Iterable[Span]]


@dataclass(frozen=True, slots=True, order=True)
class SentenceMention:
    """A mention in its sentence. `rank`: its place in the random order. `place`: its offset in the document."""

    rank: str
    term: str
    sentence: str
    span: Span
    document: str
    place: int
    concept: str


@dataclass(slots=True)
class Occurrences:
    """Mentions by name and concept. Memory grows with distinct names, not with articles.

    Only mentions with one concept, in one piece and inside one sentence are used. Of a sentence, one mention is drawn.
    Of a name with one concept, at most `PER_NAME` mentions are kept. Both choices depend on the texts and the seed, not
    on the order of the articles. `sentences`: splits a text into the spans of its sentences.
    """

    sentences: Splitter
    seed: int = 0
    found: dict[str, dict[str, list[SentenceMention]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, document: BioCDocument) -> None:
        """Add the mentions of a document, of all types."""
        drawn: dict[tuple[int, str], SentenceMention] = {}
        for occurrence in self._of(document):
            key = occurrence.place - occurrence.span[0], occurrence.sentence
            drawn[key] = min(drawn.get(key, occurrence), occurrence)
        for occurrence in drawn.values():
            self._keep(occurrence)

    def _keep(self, occurrence: SentenceMention) -> None:
        key = name_of(occurrence.term), occurrence.concept
        kept = self.found[key[0]][key[1]]
        # A sentence that several articles have is kept once: its first copy in alphabetical order.
        copies = [other for other in kept if other.sentence == occurrence.sentence]
        others = [other for other in kept if other.sentence != occurrence.sentence]
        self.found[key[0]][key[1]] = sorted([*others, min([occurrence, *copies])])[:PER_NAME]

    def _of(self, document: BioCDocument) -> Iterator[SentenceMention]:
        bounds: dict[int, list[Span]] = {}
        for mention in mentions(document, None):
            if len(mention.identifiers) != 1 or len(mention.spans) != 1:
                continue
            if id(mention.passage) not in bounds:
                bounds[id(mention.passage)] = list(self.sentences(passage_text(mention.passage)))
            occurrence = self._in_sentence(mention, bounds[id(mention.passage)], str(document.id))
            if occurrence is not None:
                yield occurrence

    def _in_sentence(self, mention: Mention, bounds: list[Span], document: str) -> SentenceMention | None:
        text, place = passage_text(mention.passage), mention.spans[0][0]
        start, end = (at - mention.passage.offset for at in mention.spans[0])
        around = next((span for span in bounds if span[0] <= start and end <= span[1]), None)
        if around is None or start >= end or text[start:end] != mention.text:
            return None
        sentence, span = text[slice(*around)], (start - around[0], end - around[0])
        rank = rank_of(self.seed, mention.text, sentence)
        return SentenceMention(rank, mention.text, sentence, span, document, place, mention.identifiers[0])


def name_of(term: str) -> str:
    """The name that is equal for equal terms. In BioWiC, `hematoma` and `hematomas` are equal."""
    folded = " ".join(term.casefold().split())
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def rank_of(seed: int, *texts: str) -> str:
    """A place in a random order that depends on the seed and the texts alone."""
    text = "\n".join((str(seed), *texts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
