"""The sieve of short forms that the article does not define: the concepts of a long form from a dictionary."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sieves.sieve import Article, Candidate, Needs, Resolver

__all__ = ["FEWEST_ARTICLES", "InferredLongForm"]

FEWEST_ARTICLES = 3
"""A long form from a dictionary is used if at least so many articles define it. Rarer ones are often misread."""


@dataclass(frozen=True, slots=True)
class InferredLongForm:
    """A short form without definition has the concepts of the long form that the step `expand` wrote.

    The score is the probability of the long form, so that the answer is no evidence for other mentions.
    """

    name: str
    needs: Needs = Needs(inferred=True)  # noqa: RUF009

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        for short in (text, text.removesuffix("s")):
            if short not in article.inferred or short in article.definitions:
                continue
            long, score = article.inferred[short]
            found = resolve(long, whole=True)
            if found is not None:
                return [replace(found, sieve=self.name, via=long, score=score)]
        return []
