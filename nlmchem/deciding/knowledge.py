"""What is decided by knowledge alone: no chemicals out, joined names divided, labels trimmed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from bioc import BioCDocument

from nlmchem.deciding.meanings import Meanings, Sense, article_with
from nlmchem.deciding.roles import is_no_chemical
from nlmchem.deciding.splitting import divided
from nlmchem.deciding.trimming import trimmed
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon

__all__ = ["Knowledge", "Pieces", "reasons"]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of knowledge that are used, in the order in which they are applied."""

    labels: bool = True
    joined: bool = True
    roles: bool = True

    @classmethod
    def named(cls, names: Sequence[str]) -> Pieces:
        """Only the pieces with these names."""
        return cls(**{field.name: field.name in names for field in fields(cls)})


class Knowledge:
    """Changes the spans of an article by what the lexicon has about them. It keeps nothing between articles."""

    def __init__(self, lexicon: Lexicon, pieces: Pieces | None = None, explain: bool = False) -> None:
        """`explain`: whether the spans get reasons in words."""
        self._explain = explain
        self._lexicon = lexicon.undated()
        self.cascade = Cascade(self._lexicon)
        self._pieces = pieces or Pieces()

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
        """Change the spans of the passages of one article in place."""
        marked = {passage.text_of(span) for passage in passages for span in passage.spans}
        meanings = self.meanings(document, marked)
        for passage in passages:
            passage.spans = list(self._decided(passage, meanings, marked))

    def meanings(self, document: BioCDocument, surfaces: Iterable[str]) -> Meanings:
        """What texts mean in an article. `surfaces`: the texts of its spans."""
        return Meanings(self.cascade, self._lexicon, article_with(document, surfaces))

    def _decided(self, passage: PassageSpans, meanings: Meanings, marked: set[str]) -> Iterator[ScoredSpan]:
        text = passage.text
        for span in passage.spans:
            place = (span.start, span.end)
            if self._pieces.labels:
                place = trimmed(text, place, meanings, marked)
            for start, end in divided(text, place, meanings) if self._pieces.joined else [place]:
                sense = meanings.of(text[start:end])
                if not (self._pieces.roles and is_no_chemical(sense)):
                    why = reasons(text[span.start : span.end], text[start:end], sense) if self._explain else ""
                    yield replace(span, start=start, end=end, reasons=why)


def reasons(marked: str, text: str, sense: Sense) -> str:
    """Why a span stands, in words. `marked`: the text that the tagger marked."""
    whole = "" if marked == text else f"part of {marked!r}; "
    if not sense.candidates:
        return f"{whole}marked by the tagger; no sieve has an answer"
    identifiers = ",".join(sense.candidates[0].identifiers)
    return f"{whole}marked by the tagger; sieve {sense.sieve}: {identifiers} ({sense.kind or 'no tree numbers'})"
