"""The pipeline stage of normalization: every chemical mention gets its concepts, or `-`, with the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.model.document import (
    Evidence,
    Mention,
    defined_forms,
    definitions,
    joined_names,
    mentions,
    set_identifiers,
)
from corpora.model.inferred import inferred_long_forms
from corpora.model.passages import passage_text
from corpora.model.short_forms import Scopes, same_meaning
from sieves.article.apposition import appositions, names_before, whole_chemicals
from sieves.article.context import context_of
from sieves.article.continuation import continue_mention
from sieves.cascade import Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.definitions import FEWEST_ARTICLES
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

    See `sieves.article.context` and `sieves.article.continuation`.
    """
    every = {text: cascade.candidates(text, article) for text in sorted(surfaces)}
    winning = {text: candidates for text, candidates in every.items() if candidates}
    return _continued(surfaces, _settled(cascade, winning, surfaces, article))


def _settled(
    cascade: Cascade, winning: Mapping[str, Sequence[SieveCandidate]], surfaces: Set[str], article: ArticleContext
) -> dict[str, SieveCandidate]:
    """The concepts of surfaces, chosen by the unambiguous mentions of the article."""
    context = context_of(winning)
    settled = {
        text: context.apposed(article.appositions.get(text, ()), _everything(cascade, text, article))
        or (context.spelt_out(text, article.names_before.get(text, ())) if _is_doubtful(candidates[0]) else None)
        or context.settle(text, candidates, _everything(cascade, text, article))
        for text, candidates in winning.items()
    }
    for text in article.names_before.keys() & surfaces - winning.keys():
        settled[text] = context.spelt_out(text, article.names_before[text])
    return {text: candidate for text, candidate in settled.items() if candidate is not None}


def _is_doubtful(candidate: SieveCandidate) -> bool:
    """Whether a name before a short form is better evidence. A mixture (`TBST`) is more than the name."""
    return facts(candidate.sieve).doubted and len(candidate.identifiers) == 1


def _everything(cascade: Cascade, text: str, article: ArticleContext) -> Iterator[SieveCandidate]:
    for _, candidates in cascade.explain(text, article):
        yield from candidates


def _continued(surfaces: set[str], settled: Mapping[str, SieveCandidate]) -> dict[str, SieveCandidate]:
    """The concepts of surfaces; those without an answer can take the concept of another surface."""
    # A candidate with a score is a guess. It is not evidence for others.
    first_hand = {text: known for text, known in settled.items() if known.score is None}
    resolved = dict(settled)
    for text in sorted(surfaces - settled.keys()):
        candidate = continue_mention(text, first_hand)
        if candidate is not None:
            resolved[text] = candidate
    return resolved


def article_of(document: BioCDocument, surfaces: Iterable[str] | None = None) -> ArticleContext:
    """The definitions, the surfaces and the inferred long forms of a document, for sieves.

    `surfaces`: the texts of spans that are not mentions yet, instead of the mentions; the inferred long forms are then
    left out.
    """
    longs: dict[str, dict[str, None]] = {}
    for short, long in defined_forms(document):
        longs.setdefault(tidy(short), {})[tidy(long)] = None
    shorts = {short: tuple(forms) for short, forms in longs.items()}
    if surfaces is not None:
        return ArticleContext(shorts, frozenset(map(tidy, surfaces)))
    inferred = {
        tidy(inference.short_form): (tidy(inference.long_form), inference.score)
        for inference in inferred_long_forms(document)
        if inference.articles >= FEWEST_ARTICLES
    }
    surfaces = frozenset(tidy(mention.text) for mention in mentions(document))
    passages = [(passage_text(passage), whole_chemicals(passage)) for passage in document.passages]
    return ArticleContext(shorts, surfaces, inferred, appositions(passages), names_before(passages))


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
