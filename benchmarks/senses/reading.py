"""Prints answers about undefined short forms to read by eye: random confident ones, and confident ones that are wrong.

    python benchmarks/senses/reading.py ../shared/data/pmc/jats.tar.gz ../shared/data/nlmchem/bioc \
        --unseen ../shared/data/text [--least 0.8]

`answer` lines: short form, long form, probability, and the text around the first place. `error` lines come from hidden
definitions: the article defines the short form otherwise, its definition and all places of the long form are hidden.
Many errors are other spellings of the right sense. `--unseen`: articles of the dictionary are left out.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bioc import BioCDocument

from corpora.model.passages import passage_text
from corpora.reading import read
from nlmchem.abbreviations import define
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.senses.resolver import Resolver, open_resolver, words_of
from nlmchem.abbreviations.senses.words import folded, words

AROUND = 90


def main() -> None:
    given = parsed()
    resolver = open_resolver()
    seen = ids(given.unseen) if given.unseen else frozenset()
    documents = [document for document in read(given.sources) if str(document.id).removeprefix("PMC") not in seen]
    chance = random.Random(given.seed)
    found = [line for document in documents for line in answers(document, resolver, given.least)]
    print(f"{len(found)} answers in {len(documents)} articles")
    print("\n".join(chance.sample(found, min(given.answers, len(found)))))
    wrong = [line for document in documents for line in errors(document, resolver, given.least)]
    print(f"{len(wrong)} confident answers to hidden definitions with another spelling than that of the article")
    print("\n".join(chance.sample(wrong, min(given.errors, len(wrong)))))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="articles")
    parser.add_argument("--unseen", type=Path, help="the folder of the articles of the dictionary")
    parser.add_argument("--least", type=float, default=0.8, help="lowest probability")
    parser.add_argument("--answers", type=int, default=50, help="number of answers")
    parser.add_argument("--errors", type=int, default=60, help="number of errors")
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    return parser.parse_args()


def ids(folder: Path) -> frozenset[str]:
    """The ids of articles in files of JSON lines."""
    found: set[str] = set()
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            found.update(str(json.loads(line)["id"]).removeprefix("PMC") for line in lines)
    return frozenset(found)


def answers(document: BioCDocument, resolver: Resolver, least: float) -> Iterator[str]:
    for one in resolver.resolve(document, define(document)):
        if one.long_form is not None and one.score >= least:
            passage, (start, end) = one.undefined.places[0]
            text, at = passage_text(passage), start - passage.offset
            around = " ".join(text[max(0, at - AROUND) : at + end - start + AROUND].split())
            fields = ("answer", str(document.id), one.form, one.long_form, f"{one.score:.2f}", around)
            yield "\t".join(fields)


def errors(document: BioCDocument, resolver: Resolver, least: float) -> Iterator[str]:
    counts = words_of(document)
    text = " ".join(map(passage_text, document.passages)).lower()
    own: dict[str, set[str]] = {}
    for definition in define(document).definitions:
        own.setdefault(definition.short_form, set()).add(definition.long_form)
    for short, longs in own.items():
        senses = resolver.inventory.senses(short)
        if len(longs) != 1 or len(senses) < 2 or not looks_like_acronym(short):
            continue
        [long] = longs
        left = Counter(counts)
        for word in words(long):
            left[folded(word)] -= max(1, text.count(long.lower()))
        [scores] = resolver._scores([senses], {word: number for word, number in left.items() if number > 0})
        best = int(scores.argmax())
        if scores[best] >= least and key_of(senses[best].long_form) != key_of(long):
            yield "\t".join(("error", str(document.id), short, long, senses[best].long_form, f"{scores[best]:.2f}"))


if __name__ == "__main__":
    main()
