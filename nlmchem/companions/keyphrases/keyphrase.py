"""Keyphrases of an article, as annotations of the first passage without location, and the stage that adds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bioc import BioCAnnotation, BioCDocument

from corpora.errors import Argument, ArticleError
from corpora.model.document import Span, every_annotation, fresh_ids, number_in, remove_of_type
from nlmchem.api.attributes import Attribute

if TYPE_CHECKING:
    from nlmchem.companions.keyphrases.model import KeyphraseRanker

KEYPHRASE = "Keyphrase"
"""The infon `type` of a keyphrase."""


@dataclass(frozen=True, slots=True)
class Keyphrase:
    """A phrase that states what the article is about.

    `phrase`: as it is most often written. `stem`: its words without endings. `rank`: 1 for the best. `score`: 0..1.
    `places`: where it occurs, as spans of the document; empty where the file does not state it.
    """

    phrase: str
    stem: str
    rank: int
    score: float | None = None
    places: tuple[Span, ...] = ()


def add_keyphrases(document: BioCDocument, phrases: Iterable[Keyphrase]) -> None:
    """Add keyphrases to the first passage. Raises `ArticleError` for a document without passages."""
    ids = fresh_ids(document, "KP")
    for keyphrase in phrases:
        if not document.passages:
            raise ArticleError(f"document {document.id!r} has no passage that could contain its keyphrases; add one")
        annotation = BioCAnnotation()
        annotation.id = next(ids)
        annotation.text = keyphrase.phrase
        annotation.infons = {"type": KEYPHRASE, "rank": str(keyphrase.rank), "stem": keyphrase.stem}
        if keyphrase.score is not None:
            annotation.infons["score"] = f"{keyphrase.score:.4f}"
        if keyphrase.places:
            annotation.infons["places"] = " ".join(f"{start}-{end}" for start, end in keyphrase.places)
        document.passages[0].add_annotation(annotation)


def keyphrases(document: BioCDocument) -> Iterator[Keyphrase]:
    """The keyphrases of a document, in the order of the file. One without a valid rank gets its number in the file."""
    number = 0
    for annotation, _ in every_annotation(document):
        infons = annotation.infons
        if infons.get("type") != KEYPHRASE:
            continue
        number += 1
        rank, score = str(infons.get("rank") or ""), number_in(str(infons.get("score")))
        pairs = (part.partition("-") for part in str(infons.get("places") or "").split())
        yield Keyphrase(
            str(annotation.text or ""),
            str(infons.get("stem") or ""),
            int(rank) if rank.isdecimal() else number,
            score if score is not None and 0 <= score <= 1 else None,
            tuple((int(start), int(end)) for start, _, end in pairs if start.isdecimal() and end.isdecimal()),
        )


ATTRIBUTE = Attribute(keyphrases)
"""`article.keyphrases`: the phrases that state what the article is about. Empty without the step `keyphrases`."""


def remove_keyphrases(document: BioCDocument) -> int:
    """Remove all keyphrases. Returns their number."""
    return remove_of_type(document, KEYPHRASE)


class KeyphraseStage:
    """A stage that adds the keyphrases of each article to its first passage.

    `existing` controls keyphrases in the input. `keep`: they stay, and the article gets no others, because two
    rankings in one article cannot be compared. `replace`: they are removed first. `error`: the article fails.
    """

    def __init__(self, ranker: KeyphraseRanker, existing: str = "keep") -> None:
        self._ranker = ranker
        self._existing = existing

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        """Raises `ArticleError` for an article with keyphrases if `existing` is `error`."""
        for document in documents:
            there = sum(1 for _ in keyphrases(document))
            if there and self._existing == "error":
                raise ArticleError(
                    f"document {document.id!r} has {there} keyphrases already; use ",
                    Argument("existing", "keep"),
                    " or ",
                    Argument("existing", "replace"),
                )
            if there and self._existing == "keep":
                continue
            remove_keyphrases(document)
            add_keyphrases(document, self._ranker(document))
