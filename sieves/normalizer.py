"""The pipeline stage: every chemical mention of an article gets its concepts, or `-`, and the reason why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.document import Evidence, Mention, definitions, mentions, set_identifiers
from sieves.cascade import DEFAULT_ORDER, Cascade
from sieves.continuation import continue_mention
from sieves.keys import tidy
from sieves.lexicon import Lexicon
from sieves.sieve import Article, Candidate

if TYPE_CHECKING:
    from sieves.dense import DenseFallback

__all__ = ["Normalizer", "article_of"]


class Normalizer:
    """A stage that gives each chemical mention its concepts by the sieve cascade, one surface one meaning.

    Mentions that carry an `identifier` already, `-` among them, are left as they are, and teach the article's others
    nothing. Definitions are those that the document holds (`corpora.document.definitions`): the abbreviation stage
    goes before. Nothing is kept from one article to the next but answers that depend on no article.
    """

    def __init__(
        self, lexicon: Lexicon, order: Sequence[str] = DEFAULT_ORDER, dense: DenseFallback | None = None
    ) -> None:
        """`dense`: asked about what nothing else knows (`sieves.dense.DenseFallback`)."""
        self._cascade = Cascade(lexicon, order)
        self._dense = dense

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            held = [mention for mention in mentions(document) if not mention.sought]
            answers = self.answers({tidy(mention.text) for mention in held}, article_of(document))
            for mention in held:
                _write(mention, answers.get(tidy(mention.text)))

    def answers(self, surfaces: set[str], article: Article) -> dict[str, Candidate]:
        """The concepts of an article's distinct surfaces (tidied); those without any are left out."""
        found = {text: self._cascade.resolve(text, article) for text in sorted(surfaces)}
        resolved = {text: candidate for text, candidate in found.items() if candidate is not None}
        for text in sorted(surfaces - resolved.keys()):
            candidate = continue_mention(text, _first_hand(resolved, found))
            if candidate is not None:
                resolved[text] = candidate
        if self._dense is not None:
            resolved.update(self._dense(surfaces - resolved.keys()))
        return resolved


def article_of(document: BioCDocument) -> Article:
    """What sieves may know of a document."""
    longs: dict[str, dict[str, None]] = {}
    for definition in definitions(document):
        longs.setdefault(tidy(definition.short_form), {})[tidy(definition.long_form)] = None
    surfaces = frozenset(tidy(mention.text) for mention in mentions(document))
    return Article({short: tuple(forms) for short, forms in longs.items()}, surfaces)


def _first_hand(resolved: Mapping[str, Candidate], found: Mapping[str, Candidate | None]) -> dict[str, Candidate]:
    """What the sieves have said without guessing: a guess, which has a score, is no ground for another."""
    return {text: known for text, known in resolved.items() if found.get(text) is not None and known.score is None}


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
