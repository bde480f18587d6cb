"""Small articles: about cells, where ER means endoplasmic reticulum, or tumours, where it means estrogen receptor."""

from __future__ import annotations

import random

from bioc import BioCDocument

from corpora.datasets.articles import article

ENDINGS = ("", "al", "ic", "in", "or", "um")
CELLS = [word + ending for word in ("protein", "fold", "lumen", "ribosom", "secret", "vesicl") for ending in ENDINGS]
TUMOURS = [word + ending for word in ("breast", "hormon", "patien", "surviv", "therap", "ligan") for ending in ENDINGS]
COMMON = [word + ending for word in ("measur", "observ", "contr", "sampl", "result", "method") for ending in ENDINGS]
FUNCTION_WORDS = ("the", "of", "and", "in", "to", "with", "for", "by", "on")


def text(topic: list[str], seed: int, sentences: int = 3) -> str:
    """English-looking sentences about a topic."""
    chance = random.Random(seed)
    made = []
    for _ in range(sentences):
        words = [chance.choice(topic if number % 3 else COMMON) for number in range(9)]
        made.append(" ".join(f"{chance.choice(FUNCTION_WORDS)} {word}" for word in words) + ".")
    return " ".join(made)


def defining(number: int, short: str = "ER", cells: str = "endoplasmic reticulum") -> BioCDocument:
    """An article that defines ER. Even numbers are about cells, and a few odd ones; the others are about tumours."""
    is_cell = number % 2 == 0 or number % 7 == 0
    topic, long = (CELLS, cells) if is_cell else (TUMOURS, "estrogen receptor")
    lines = [f"We saw the {long} ({short}) here.", text(topic, number), f"The {short} was seen in all of the samples."]
    return article(str(number), [(line, None, "paragraph") for line in lines])


def using(topic: list[str], number: int, *lines: str) -> BioCDocument:
    """An article that uses ER without a definition."""
    parts = lines or ("The ER was seen in all of the samples.",)
    return article(str(number), [(line, None, "paragraph") for line in (*parts, text(topic, number))])


def articles(number: int = 80) -> list[BioCDocument]:
    """Articles that define ER."""
    return [defining(index) for index in range(number)]
