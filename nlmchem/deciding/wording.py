"""The features of a decision in words, for readers of pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexing.learning.linear import Floats

WORDS = {
    "marked": "whether the tagger marked exactly this text",
    "score": "the score of the tagger",
    "inside": "how sure the tagger is of its words",
    "least": "how sure the tagger is of its least certain word",
    "begin": "how sure the tagger is that a name begins here",
    "before": "how sure the tagger is of the word before it",
    "after": "how sure the tagger is of the word after it",
    "cut": "how sure the tagger is that another name begins inside it",
    "in larger": "whether a longer mention contains it",
    "has smaller": "whether it contains a shorter mention",
    "places": "how often the article has this text",
    "share marked": "how many of its places the tagger marked",
    "surface inside": "how sure the tagger is of this text in the whole article",
    "surface least": "how sure the tagger is of its least certain word in the whole article",
    "surface most": "how sure the tagger is of its best place",
    "known": "whether the lexicon has it",
    "guessed": "whether it is linked by a sieve that is often wrong",
    "unknown": "whether no sieve links it",
    "chemical": "whether it means a chemical",
    "protein": "whether it means a protein or a nucleic acid",
    "role": "whether it means a role of substances",
    "other kind": "whether it means something else than a chemical",
    "elsewhere": "whether the lexicon has it with another meaning",
    "named": "whether it is exactly a name of the lexicon",
    "in named": "whether a longer name of the lexicon contains it",
    "has named": "whether it contains a name of the lexicon",
    "part known": "how many of its words are chemicals",
    "short form": "whether the article defines it as a short form",
    "long form chemical": "whether its long form is a chemical",
    "length": "its length",
    "words": "its number of words",
    "digits": "its share of digits",
    "capitals": "its share of capitals",
    "brackets": "its brackets",
    "hyphens": "its hyphens",
    "slash": "whether it has a slash",
    "conjunction": "whether it has a conjunction",
    "formula": "whether it is written as a formula",
    "code": "whether it is written as a code",
    "abbreviation": "whether it is written as an abbreviation",
    "ends with digit": "whether it ends with a digit",
    "common word": "how common it is as an English word",
    "common first word": "how common its first word is in English",
    "common last word": "how common its last word is in English",
    "protein follows": "whether a protein is named after it",
    "hyphen before": "whether there is a hyphen before it",
    "hyphen after": "whether there is a hyphen after it",
    "bracket before": "whether there is a bracket before it",
    "bracket after": "whether there is a bracket after it",
    "number after": "whether there is a number after it",
    "article unknown": "how many texts of the article have no meaning",
    "article sure": "how sure the tagger is in the whole article",
    "article density": "how many chemicals the article has",
}
"""Feature -> what it is about, in the words of a reader."""


def arguments(features: Sequence[str], added: Floats, number: int) -> str:
    """The `number` features that changed the log-odds most (`added`), as what speaks for a mention and against it."""
    return "; ".join(_sides(features, added, strongest(features, added)[:number]))


def strongest(features: Sequence[str], added: Floats) -> list[int]:
    """The positions of the features, the greatest change first."""
    return sorted(range(len(features)), key=lambda at: (-abs(added[at]), features[at]))


def _sides(features: Sequence[str], added: Floats, shown: Sequence[int]) -> Iterator[str]:
    for side, positions in (
        ("for it", [at for at in shown if added[at] > 0]),
        ("against it", [at for at in shown if added[at] < 0]),
    ):
        if positions:
            yield f"{side}: {', '.join(WORDS.get(features[at], features[at]) for at in positions)}"
