"""How the time of whatever reads plain text grows with the text, over texts that hang others.

    python benchmarks/linear_time.py

For each text the processor time of LENGTH characters and of four times as many, the best of three each: linear is 4,
quadratic 16. Ends with 1 when a growth is above LIMIT. No data is needed.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from nlmchem.abbreviations import detect
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from nlmchem.tagging.tokenization.sentences import sentences
from sieves.lexicon.lexicon import Lexicon

LENGTH = 100_000
LIMIT = 8.0
SHORTEST = 0.002
"""Seconds that a short text counts for at the least: below, the clock decides."""

BRACKETS = ["(", ")", "([", "(1)", "[12, 13] ", "((1)) ", "(1(", "= ", ", ", "1 = 2; ", "..[111 112]", "\t(2)\n"]
WORDS = ["Oil of palmitic acid (PA) and more, ", "(A", "A(", "aaaaaaaa", "(aA) aA ", "A = b ", ", AA,", "A:"]
STOPS = ["..[111 112 113 114 115 116 117 118] ", ".", "a.", "(((", " \n", ". \"'"]
NAMES = ["amino ", "2-", "poly(", "N,N'-", "Na+", "glucose-", "water" + " " * 500, "fatty\u0301 "]
FUZZ = "()[]{}0123456789.,;:=-/ '\"+<>aAb"


def main() -> int:
    tagger = LexiconTagger(Lexicon.open())
    readers: list[tuple[str, Callable[[str], object], list[str]]] = [
        ("abbreviations", detect, BRACKETS + WORDS + list(random_units(40))),
        ("sentences", sentences, STOPS + list(random_units(40))),
        ("lexicon tagger", tagger.find, NAMES + list(random_units(10))),
    ]
    steepest = 0.0
    for name, read, units in readers:
        growth, unit = max((growth_of(read, unit), unit) for unit in units)
        print(f"{name:15} {len(units):3} texts, steepest {growth:4.1f} times the time for 4 times the text: {unit!r}")
        steepest = max(steepest, growth)
    behind = growth_behind(detect)
    print(f"{'abbreviations':15} 2,000 brackets behind 5 million characters: {behind:.1f} times those alone")
    return int(max(steepest, behind) > LIMIT)


def random_units(number: int) -> Iterator[str]:
    generator = random.Random(20080925)
    for _ in range(number):
        yield "".join(generator.choices(FUZZ, k=generator.randint(1, 40)))


def growth_of(read: Callable[[str], object], unit: str) -> float:
    text = unit * (4 * LENGTH // len(unit))
    return seconds(partial(read, text)) / max(seconds(partial(read, text[:LENGTH])), SHORTEST)


def growth_behind(read: Callable[[str], object]) -> float:
    """A slice of all that stands before, for each bracket, would take a thousand times as long."""
    brackets, before = " (AB cd ef) and (g HI) in it" * 1000, "x" * 5_000_000
    behind = seconds(partial(read, before + brackets)) - seconds(partial(read, before))
    return behind / seconds(partial(read, brackets))


def seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
