"""Measures recall@1 of gold mentions as BELB counts it: the share of mentions whose first identifier is right.

    python -m benchmarks.scores.recall_at_one --as-of 2021 --data ../shared/data [--lexicon mesh.sqlite]

Corpora: the test parts of BC5CDR and BioRED, and the 30 open articles of NLM-Chem; chemicals only. Gold mentions keep
their spans and lose their identifiers; the steps `abbreviate` and `normalize` then run as in `nlmchem annotate`.

BELB (Garda et al. 2023) leaves mentions without an identifier out. An answer is right if it is one of the gold
identifiers of the mention: a composite needs one of them. `strict`: mentions with several identifiers in the answer
are wrong, the mode of BELB's scorer of that name. `accuracy`: all mentions, and the identifiers must be the same set.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bioc import BioCDocument

from corpora.datasets import open_corpus
from corpora.model.document import clear_identifiers, mentions
from nlmchem.abbreviations.stage import AbbreviationStage
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

CORPORA = (
    ("BC5CDR test", "bc5cdr", "bc5cdr"),
    ("BioRED test", "biored", "biored"),
    ("NLM-Chem, 30 open articles", "nlmchem-open", "nlmchem/bioc"),
)
"""Title, name in `corpora.datasets`, folder under `--data`. All are read in their split `test`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The identifiers of one mention: of the gold standard, and ours, in text order."""

    gold: tuple[str, ...]
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recall:
    """Numbers of mentions. All but `same` and `every` count mentions that have a gold identifier."""

    mentions: int
    right: int
    strict: int
    missing: int
    same: int
    every: int

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> Recall:
        every = list(answers)
        linked = [answer for answer in every if answer.gold]
        first = [answer for answer in linked if answer.given and answer.given[0] in answer.gold]
        return cls(
            mentions=len(linked),
            right=len(first),
            strict=sum(len(answer.given) == 1 for answer in first),
            missing=sum(not answer.given for answer in linked),
            same=sum(set(answer.gold) == set(answer.given) for answer in every),
            every=len(every),
        )

    def row(self) -> str:
        parts = (self.right, self.strict, self.missing, self.mentions - self.right - self.missing)
        shares = [part / self.mentions for part in parts] + [self.same / self.every]
        return "\t".join([str(self.mentions), *(f"{share:.4f}" for share in shares)])


def answers(documents: Iterable[BioCDocument], normalizer: Normalizer) -> Iterator[Answer]:
    """The answers for every gold mention. The documents lose their gold identifiers."""
    for document in documents:
        gold = [mention.identifiers for mention in mentions(document)]
        for mention in mentions(document):
            clear_identifiers(mention)
        AbbreviationStage()([document])
        normalizer([document])
        given = [mention.identifiers for mention in mentions(document)]
        yield from (Answer(*pair) for pair in zip(gold, given, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lexicon")
    parser.add_argument("--as-of", type=int)
    options = parser.parse_args()
    print("corpus\tmentions\trecall@1\tstrict\tno answer\twrong\taccuracy")
    with Lexicon.open(options.lexicon, options.as_of) as lexicon:
        normalizer = Normalizer(lexicon)
        for title, name, folder in CORPORA:
            documents = open_corpus(name, options.data / folder).read("test")
            print(title, Recall.of(answers(documents, normalizer)).row(), sep="\t")


if __name__ == "__main__":
    main()
