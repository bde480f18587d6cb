"""Sieves of short forms: the article defines them, or a dictionary gives their long forms."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sieves.sieve import DEFINITIONS, ArticleContext, Needs, PartResolver, SieveCandidate

FEWEST_ARTICLES = 3
"""A long form from a dictionary is used if at least so many articles define it. Rarer ones are often misread."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class DefinedForm:
    """A short form that the article defines has the concepts of its long form."""

    name: str
    needs: Needs = DEFINITIONS

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        if not article.definitions:
            return []
        for short in (text, text.removesuffix("s")):
            for long in article.definitions.get(short, ()):
                candidate = resolve(long, whole=True)
                if candidate is not None:
                    return [replace(candidate, sieve=self.name, via=long)]
        return []


@dataclass(frozen=True, slots=True)
class ExpandedForm:
    """A mention that contains short forms of the article (`GSH-MEE`) is resolved with their long forms."""

    name: str
    needs: Needs = DEFINITIONS

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        if not article.definitions or text in article.definitions:
            return []
        long = _WORD.sub(lambda word: _long_form(word[0], article), text)
        candidate = resolve(long, whole=True) if long != text else None
        return [] if candidate is None else [replace(candidate, sieve=self.name, via=long)]


@dataclass(frozen=True, slots=True)
class InferredLongForm:
    """A short form without definition has the concepts of the long form that the step `expand` wrote, if it ran.

    The score is the probability of the long form, so that the answer is no evidence for other mentions.
    """

    name: str
    needs: Needs = Needs(inferred=True)  # noqa: RUF009

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        for short in (text, text.removesuffix("s")):
            if short not in article.inferred or short in article.definitions:
                continue
            long, score = article.inferred[short]
            candidate = resolve(long, whole=True)
            if candidate is not None:
                return [replace(candidate, sieve=self.name, via=long, score=score)]
        return []


def _long_form(word: str, article: ArticleContext) -> str:
    return next(iter(article.definitions.get(word) or article.definitions.get(word.removesuffix("s")) or ()), word)
