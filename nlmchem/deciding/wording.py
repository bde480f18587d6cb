"""The features of a decision in words, for readers of pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexing.learning.linear import Floats

FACTS = {
    "marked": ("the tagger marked exactly this text", "the tagger did not mark exactly this text"),
    "in larger": ("a longer mention contains it", "no longer mention contains it"),
    "has smaller": ("it contains a shorter mention", "it contains no shorter mention"),
    "known": ("the lexicon has it", "the lexicon does not have it"),
    "guessed": ("only a sieve that is often wrong links it", "no sieve that is often wrong links it"),
    "unknown": ("no sieve links it", "a sieve links it"),
    "chemical": ("it means a chemical", "it does not mean a chemical"),
    "protein": ("it means a protein or a nucleic acid", "it does not mean a protein or a nucleic acid"),
    "role": ("it means a role of substances", "it does not mean a role of substances"),
    "other kind": ("it means something else than a chemical", "it means nothing else than a chemical"),
    "elsewhere": ("the lexicon has it with another meaning", "the lexicon does not have it with another meaning"),
    "named": ("it is exactly a name of the lexicon", "it is not exactly a name of the lexicon"),
    "in named": ("a longer name of the lexicon contains it", "no longer name of the lexicon contains it"),
    "has named": ("it contains a name of the lexicon", "it contains no name of the lexicon"),
    "short form": ("the article defines it as a short form", "the article does not define it as a short form"),
    "long form chemical": ("its long form is a chemical", "it has no long form that is a chemical"),
    "slash": ("it has a slash", "it has no slash"),
    "conjunction": ("it has a conjunction", "it has no conjunction"),
    "formula": ("it is written as a formula", "it is not written as a formula"),
    "code": ("it is written as a code", "it is not written as a code"),
    "abbreviation": ("it is written as an abbreviation", "it is not written as an abbreviation"),
    "ends with digit": ("it ends with a digit", "it does not end with a digit"),
    "protein follows": ("a protein is named after it", "no protein is named after it"),
    "hyphen before": ("there is a hyphen before it", "there is no hyphen before it"),
    "hyphen after": ("there is a hyphen after it", "there is no hyphen after it"),
    "bracket before": ("there is a bracket before it", "there is no bracket before it"),
    "bracket after": ("there is a bracket after it", "there is no bracket after it"),
    "number after": ("there is a number after it", "there is no number after it"),
}
"""Feature that is a fact -> the words if it holds, and if it does not."""
NUMBERS = {
    "score": "the score of the tagger",
    "inside": "how sure the tagger is of its words",
    "least": "how sure the tagger is of its least certain word",
    "begin": "how sure the tagger is that a name begins here",
    "before": "how sure the tagger is of the word before it",
    "after": "how sure the tagger is of the word after it",
    "cut": "how sure the tagger is that another name begins inside it",
    "places": "how often the article has this text",
    "share marked": "how many of its places the tagger marked",
    "surface inside": "how sure the tagger is of this text in the whole article",
    "surface least": "how sure the tagger is of its least certain word in the whole article",
    "surface most": "how sure the tagger is of its best place",
    "part known": "how many of its words are chemicals",
    "length": "its length",
    "words": "its number of words",
    "digits": "its share of digits",
    "capitals": "its share of capitals",
    "brackets": "its brackets",
    "hyphens": "its hyphens",
    "common word": "how common it is as an English word",
    "common first word": "how common its first word is in English",
    "common last word": "how common its last word is in English",
    "article unknown": "how many texts of the article have no meaning",
    "article sure": "how sure the tagger is in the whole article",
    "article density": "how many chemicals the article has",
}
"""Feature that is a number -> what it is about."""


def arguments(features: Sequence[str], values: Floats, added: Floats, number: int) -> str:
    """The `number` features that changed the log-odds most, as what is for a mention and what is against it.

    `values`: those of the features; `added`: what each added to the log-odds.
    """
    shown = [at for at in strongest(features, added)[:number] if added[at]]
    return "; ".join(_sides([(_words(features[at], values[at]), bool(added[at] > 0)) for at in shown]))


def strongest(features: Sequence[str], added: Floats) -> list[int]:
    """The positions of the features, the greatest change first."""
    return sorted(range(len(features)), key=lambda at: (-abs(added[at]), features[at]))


def _words(feature: str, value: float) -> str:
    if feature in FACTS:
        holds, does_not = FACTS[feature]
        return holds if value > 0 else does_not
    return NUMBERS.get(feature, feature)


def _sides(shown: Sequence[tuple[str, bool]]) -> Iterator[str]:
    for side, raises in (("for it", True), ("against it", False)):
        if words := [text for text, up in shown if up is raises]:
            yield f"{side}: {', '.join(words)}"
