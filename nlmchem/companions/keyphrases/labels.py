"""Articles with the keyphrases that people gave them, in the form that training and measures compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.model.metadata import join_key, keyword_list
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from nlmchem.companions.keyphrases.candidates import Candidates, candidates_of
from nlmchem.companions.keyphrases.porter import stemmed
from nlmchem.companions.keyphrases.words import tokens_of, words_of

Keys = tuple[tuple[str, ...], ...]
"""Stemmed keyphrases; each is a tuple of accepted variants."""


@dataclass(frozen=True, slots=True)
class LabelledArticle:
    """The candidates of an article, and its keyphrases. Articles with the same `key` are always in the same fold."""

    key: str
    found: Candidates
    gold: Keys

    @property
    def labels(self) -> list[bool]:
        """Whether each candidate is a variant of a keyphrase."""
        wanted = {variant for variants in self.gold for variant in variants}
        return [self.found.stem(number) in wanted for number in range(len(self.found))]


def key_of(phrase: str) -> str:
    """The stems of the words of a phrase, without punctuation between words, as in `Candidates.stem`."""
    return stemmed(" ".join(token for token in tokens_of(phrase) if token[0].isalnum()))


def label_one(document: BioCDocument, keys: Iterable[Sequence[str]]) -> LabelledArticle:
    """An article with keyphrases, each given by its variants as they are written."""
    gold = dict.fromkeys(tuple(dict.fromkeys(filter(None, map(key_of, variants)))) for variants in keys)
    return LabelledArticle(
        join_key(document), candidates_of(words_of(document)), tuple(variants for variants in gold if variants)
    )


def label(documents: Iterable[BioCDocument], report: Report = log) -> list[LabelledArticle]:
    """Articles with the keywords of their authors, in the order of their keys. Articles without are counted."""
    labelled = []
    without = 0
    for document in documents:
        keywords = keyword_list(document)
        if keywords:
            labelled.append(label_one(document, [(keyword,) for keyword in keywords]))
        else:
            without += 1
    if without:
        report(f"left out: {quantity(without, 'article')} without separate keywords of the authors")
    return sorted(labelled, key=lambda article: article.key)


def label_with(
    documents: Iterable[BioCDocument], keys: Mapping[str, Sequence[Sequence[str]]], report: Report = log
) -> list[LabelledArticle]:
    """Articles with keyphrases from elsewhere, joined by document id or PMCID; the others are counted."""
    labelled = []
    without = 0
    for document in documents:
        given = keys.get(str(document.id)) or keys.get(join_key(document))
        if given:
            labelled.append(label_one(document, given))
        else:
            without += 1
    if without:
        report(f"left out: {quantity(without, 'article')} without keyphrases in the file")
    return sorted(labelled, key=lambda article: article.key)
