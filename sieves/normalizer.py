"""The pipeline stage of normalization: every chemical mention gets its concepts, or `-`, with the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.model.document import Evidence, Mention, definitions, joined_names, mentions, set_identifiers
from corpora.model.short_forms import Scopes, same_meaning
from sieves.article import article_of, context_of, continue_mention
from sieves.cascade import Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.registry import DEFAULT_ORDER, facts
from sieves.sieve import ArticleContext, SieveCandidate

if TYPE_CHECKING:
    from sieves.dense.fallback import DenseFallback


DEFINED = "defined"
"""The sieve of the definitions of the article."""


class Normalizer:
    """A stage that writes the concepts of chemical mentions. Mentions with the same text get the same concepts.

    Mentions that have an `identifier` already, also `-`, are unchanged and do not affect others. Definitions are those
    of the document (`corpora.model.document.definitions`), so the abbreviation stage runs before. Only answers that do
    not depend on an article are stored between articles.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        order: str | Sequence[str] = DEFAULT_ORDER,
        dense: DenseFallback | None = None,
    ) -> None:
        """Raises `ConfigurationError` for a wrong order (`sieves.registry.checked_order`).

        `dense`: used where no sieve has an answer.
        """
        self._lexicon = lexicon
        self._cascade = Cascade(lexicon, order)
        self._dense = dense

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        chunk = [self._sieved(document) for document in documents]
        unresolved = {text for held, answers in chunk for text in held if text not in answers}
        # Once for the chunk, because it is faster; the answers do not depend on each other.
        near = self._dense(unresolved) if self._dense is not None else {}
        for held, answers in chunk:
            for text, same_text in held.items():
                for mention in same_text:
                    _write(mention, answers.get(text) or near.get(text), self._lexicon)
        self._lexicon.check()

    def _sieved(self, document: BioCDocument) -> tuple[dict[str, list[Mention]], dict[str, SieveCandidate]]:
        """The mentions without identifiers, by surface, and the answers for these surfaces.

        Short forms with several long forms get their concepts here.
        """
        held: dict[str, list[Mention]] = {}
        for mention in mentions(document):
            if not mention.sought:
                held.setdefault(tidy(mention.text), []).append(mention)
        article, scopes = article_of(document), Scopes.of(definitions(document))
        for text in [text for text in held if scopes.short_form(text)]:
            self._write_by_place(text, held.pop(text), scopes, article)
        return held, answers_of(self._cascade, set(held), article)

    def _write_by_place(
        self, text: str, short_forms: Sequence[Mention], scopes: Scopes, article: ArticleContext
    ) -> None:
        """Give each mention of a short form the concepts of the long form that it has at its place."""
        by_long: dict[str, list[Mention]] = {}
        for mention in short_forms:
            by_long.setdefault(str(scopes.long_form(text, mention.spans[0][0])), []).append(mention)
        for long, meant in by_long.items():
            every = dict.fromkeys(tidy(form) for form in scopes.long_forms(text) if same_meaning(long, form))
            defined = {**article.definitions, str(scopes.short_form(text)): (tidy(long), *every)}
            candidates = self._cascade.candidates(text, replace(article, definitions=defined), last=DEFINED)
            for mention in meant:
                _write(mention, candidates[0] if candidates else None, self._lexicon)

    def answers(self, surfaces: set[str], article: ArticleContext) -> dict[str, SieveCandidate]:
        """The concepts of the distinct tidied surfaces of an article; surfaces without any are left out."""
        resolved = answers_of(self._cascade, surfaces, article)
        if self._dense is not None:
            resolved.update(self._dense(surfaces - resolved.keys()))
        return resolved


def answers_of(cascade: Cascade, surfaces: set[str], article: ArticleContext) -> dict[str, SieveCandidate]:
    """The concepts of the distinct tidied surfaces of an article, by the sieves and by its other mentions.

    See `sieves.article`.
    """
    every = {text: cascade.candidates(text, article) for text in sorted(surfaces)}
    winning = {text: candidates for text, candidates in every.items() if candidates}
    context = context_of(winning, article.definitions)

    def settled(text: str, candidates: Sequence[SieveCandidate]) -> SieveCandidate | None:
        """The concept that the unambiguous mentions of the article support."""

        def of_all_sieves() -> Iterator[SieveCandidate]:
            return (candidate for _, found in cascade.explain(text, article) for candidate in found)

        apposed = context.apposed(article.appositions.get(text, ()), of_all_sieves())
        if apposed is not None:
            return apposed
        # A name before a short form is better evidence than a doubted sieve. A mixture (`TBST`) is more than the name.
        if facts(candidates[0].sieve).doubted and len(candidates[0].identifiers) == 1:
            spelt_out = context.spelt_out(text, article.names_before.get(text, ()))
            if spelt_out is not None:
                return spelt_out
        return context.settle(text, candidates, of_all_sieves())

    chosen = {text: settled(text, candidates) for text, candidates in winning.items()}
    for text in surfaces - winning.keys():
        chosen[text] = context.spelt_out(text, article.names_before.get(text, ())) or context.structure(
            text, article.appositions.get(text, ()), cascade.lexicon.preferred_name
        )
    resolved = {text: candidate for text, candidate in chosen.items() if candidate is not None}
    # A candidate with a score is a guess. It is not evidence for the surfaces without an answer.
    first_hand = {text: known for text, known in resolved.items() if known.score is None}
    for text in sorted(surfaces - resolved.keys()):
        candidate = continue_mention(text, first_hand, cascade.lexicon, article.definitions)
        if candidate is not None:
            resolved[text] = candidate
    return resolved


def _write(mention: Mention, candidate: SieveCandidate | None, lexicon: Lexicon) -> None:
    if candidate is None:
        set_identifiers(mention, ())
        return
    known = mention.evidence
    # Existing evidence is kept; the score of a mention is that of its tagger.
    evidence = Evidence(
        sieve=candidate.sieve if known.sieve is None else None,
        score=candidate.score if mention.annotation.infons.get("score") is None else None,
        matched_name=candidate.matched_name if known.matched_name is None else None,
    )
    names = [lexicon.preferred_name(identifier) for identifier in candidate.identifiers]
    set_identifiers(mention, candidate.identifiers, evidence, joined_names(names))
