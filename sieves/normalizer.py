"""The pipeline stage: every chemical mention of an article gets its concepts, or `-`, and the reason why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.model.document import Evidence, Mention, definitions, mentions, set_identifiers
from sieves.article.context import context_of
from sieves.article.continuation import continue_mention
from sieves.cascade import DEFAULT_ORDER, Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import Article, Candidate

if TYPE_CHECKING:
    from sieves.dense.fallback import DenseFallback

__all__ = ["Normalizer", "article_of"]


class Normalizer:
    """A stage that gives each chemical mention its concepts by the sieve cascade, one surface one meaning.

    Mentions that carry an `identifier` already, `-` among them, are left as they are, and teach the article's others
    nothing. Definitions are those that the document holds (`corpora.model.document.definitions`): the abbreviation
    stage runs before. Nothing is kept from one article to the next but answers that depend on no article.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        order: str | Sequence[str] = DEFAULT_ORDER,
        dense: DenseFallback | None = None,
        context: bool = True,
    ) -> None:
        """`dense` answers where no sieve does (`sieves.dense.fallback.DenseFallback`). `context`: whether the
        article's other mentions count (`sieves.article.context`, `sieves.article.continuation`)."""
        self._lexicon = lexicon
        self._cascade = Cascade(lexicon, order)
        self._context = context
        self._dense = dense

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        chunk = [self._sieved(document) for document in documents]
        unresolved = {text for held, answers in chunk for text in held if text not in answers}
        # Once for the chunk: an answer of the dense fallback does not depend on what else it is asked.
        near = self._dense(unresolved) if self._dense is not None else {}
        for held, answers in chunk:
            for text, found in held.items():
                for mention in found:
                    _write(mention, answers.get(text) or near.get(text))
        self._lexicon.check()

    def _sieved(self, document: BioCDocument) -> tuple[dict[str, list[Mention]], dict[str, Candidate]]:
        """The mentions to be written, by surface, and what the sieves say of these."""
        held: dict[str, list[Mention]] = {}
        for mention in mentions(document):
            if not mention.sought:
                held.setdefault(tidy(mention.text), []).append(mention)
        return held, self._first_answers(set(held), article_of(document))

    def answers(self, surfaces: set[str], article: Article) -> dict[str, Candidate]:
        """The concepts of an article's distinct surfaces (tidied); those without any are left out."""
        resolved = self._first_answers(surfaces, article)
        if self._dense is not None:
            resolved.update(self._dense(surfaces - resolved.keys()))
        return resolved

    def _first_answers(self, surfaces: set[str], article: Article) -> dict[str, Candidate]:
        """What the sieves and the article's other mentions say; the dense fallback is not asked."""
        told = {text: self._cascade.candidates(text, article) for text in sorted(surfaces)}
        found = {text: candidates for text, candidates in told.items() if candidates}
        if not self._context:
            return {text: candidates[0] for text, candidates in found.items()}
        return self._continued(surfaces, self._settled(found, article))

    def _settled(self, found: Mapping[str, Sequence[Candidate]], article: Article) -> dict[str, Candidate]:
        """What surfaces mean by what the article names beyond doubt."""
        context = context_of(found)
        settled = {text: context.settle(text, told, self._everything(text, article)) for text, told in found.items()}
        return {text: candidate for text, candidate in settled.items() if candidate is not None}

    def _everything(self, text: str, article: Article) -> Iterator[Candidate]:
        for _, candidates in self._cascade.explain(text, article):
            yield from candidates

    def _continued(self, surfaces: set[str], found: Mapping[str, Candidate]) -> dict[str, Candidate]:
        """What surfaces mean, those that failed alone by the others."""
        # A guess, which has a score, is no ground for another.
        first_hand = {text: known for text, known in found.items() if known.score is None}
        resolved = dict(found)
        for text in sorted(surfaces - found.keys()):
            candidate = continue_mention(text, first_hand)
            if candidate is not None:
                resolved[text] = candidate
        return resolved


def article_of(document: BioCDocument) -> Article:
    """What sieves may know of a document."""
    longs: dict[str, dict[str, None]] = {}
    for definition in definitions(document):
        longs.setdefault(tidy(definition.short_form), {})[tidy(definition.long_form)] = None
    surfaces = frozenset(tidy(mention.text) for mention in mentions(document))
    return Article({short: tuple(forms) for short, forms in longs.items()}, surfaces)


def _write(mention: Mention, candidate: Candidate | None) -> None:
    if candidate is None:
        set_identifiers(mention, ())
        return
    known = mention.evidence
    # What a foreign mention says stays; a mention's score stays that of whoever found it.
    evidence = Evidence(
        sieve=candidate.sieve if known.sieve is None else None,
        score=candidate.score if mention.annotation.infons.get("score") is None else None,
        matched_name=candidate.matched_name if known.matched_name is None else None,
    )
    set_identifiers(mention, candidate.identifiers, evidence)
