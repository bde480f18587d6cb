"""The words of an article, and whether it is in English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from bioc import BioCDocument

from corpora.model.passages import passage_text, section_type
from corpora.model.sections import WITHOUT_ABBREVIATIONS
from corpora.words.counts import counts_of
from corpora.words.english import LINKING_WORDS

FEWEST_WORDS = 100
"""A text with fewer words is short: too little is known of it."""
ENGLISH = 0.1
"""The least share of articles and prepositions among the words of an English text. It is about 0.25; in German and
French texts, 0.04 or less are equal to an English one."""


def texts_of(document: BioCDocument) -> Iterator[str]:
    """The texts of an article without its references."""
    return (
        passage_text(passage) for passage in document.passages if section_type(passage) not in WITHOUT_ABBREVIATIONS
    )


def word_counts(document: BioCDocument) -> Counter[str]:
    """The counts of the folded words of an article, without its references."""
    return counts_of(texts_of(document))


def is_english(counts: Mapping[str, int]) -> bool:
    """Whether a text is English, by its articles and prepositions. Short texts count as English."""
    total = sum(counts.values())
    return total < FEWEST_WORDS or sum(counts.get(word, 0) for word in LINKING_WORDS) >= ENGLISH * total
