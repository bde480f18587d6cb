"""Measures `nlmchem.abbreviations`: accuracy, and the gain of each addition to Ab3P.

    python -m benchmarks.scores.abbreviations ../shared/data                    # everything, about two minutes
    python -m benchmarks.scores.abbreviations ../shared/data --only accuracy sciai

Parts: `accuracy` (exact pairs on both gold corpora), `ablation` (each addition alone, and all others), `sciai` (acronym
identification). Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlmchem.abbreviations import ALL, NONE, Addition, detect
from nlmchem.abbreviations.identification import identify
from nlmchem.evaluation.abbreviations import FormPair, read_tagged, score_identification
from nlmchem.evaluation.scores import NOTHING, Counts

CORPORA = ("ab3p", "sh")


@dataclass(frozen=True, slots=True)
class Abstract:
    """A gold document: its passages and its pairs, with single spaces."""

    id: str
    passages: tuple[str, ...]
    pairs: frozenset[FormPair]


def load(data: Path, corpus: str) -> list[Abstract]:
    with gzip.open(data / "abbreviations" / f"{corpus}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Abstract(row["id"], tuple(row["passages"]), frozenset((_joined(a), _joined(b)) for a, b in row["pairs"]))
        for row in rows
    ]


def count(abstract: Abstract, additions: Collection[Addition]) -> Counts:
    found = {
        (_joined(one.short_form), _joined(one.long_form))
        for text in abstract.passages
        for one in detect(text, additions=additions)
    }
    right = len(found & abstract.pairs)
    return Counts(len(abstract.pairs), right, len(found), right)


def score(abstracts: Sequence[Abstract], additions: Collection[Addition]) -> Counts:
    return sum((count(abstract, additions) for abstract in abstracts), NOTHING)


def line(counts: Counts) -> str:
    return (
        f"P {counts.precision:.4f}  R {counts.recall:.4f}  F1 {counts.f1:.4f}  "
        f"({counts.right} correct, {counts.false} false, {counts.missed} missed)"
    )


def accuracy(data: Path) -> None:
    print("\nExact pairs, each once per document")
    for corpus in CORPORA:
        abstracts = load(data, corpus)
        print(f"  {corpus:5} Ab3P as described   {line(score(abstracts, NONE))}")
        print(f"  {corpus:5} with all additions  {line(score(abstracts, ALL))}")


def ablation(data: Path) -> None:
    print("\nEach addition: correct and false pairs that it adds to Ab3P alone | that are lost if it is left out")
    corpora = {corpus: load(data, corpus) for corpus in CORPORA}
    base = {corpus: (score(abstracts, NONE), score(abstracts, ALL)) for corpus, abstracts in corpora.items()}
    print(f"  {'':14}" + "".join(f"{corpus + ' alone':>16}{corpus + ' left out':>18}{'F1':>9}" for corpus in CORPORA))
    for addition in Addition:
        cells = ""
        for corpus, abstracts in corpora.items():
            none, everything = base[corpus]
            alone, without = score(abstracts, {addition}), score(abstracts, ALL - {addition})
            cells += f"{f'{alone.right - none.right:+d} {alone.false - none.false:+d}':>16}"
            cells += f"{f'{without.right - everything.right:+d} {without.false - everything.false:+d}':>18}"
            cells += f"{100 * (without.f1 - everything.f1):>+9.2f}"
        print(f"  {addition.name:14}{cells}")


def sciai(data: Path) -> None:
    print("\nAcronym identification, SciAI dev, rules alone (published rules: P 93.2, R 78.9, F1 85.5)")
    from corpora.datasets.acronyms import read_sciai
    from corpora.datasets.corpus_files import listing
    from corpora.reporting import log

    source = str(data / "acronyms" / "sciai" / "dev.json.gz")
    gold = read_tagged(source)
    sentences = {one.id: one.tokens for one in read_sciai({"sentences": listing(source)}, log)}
    for name, additions in (("Ab3P as described", NONE), ("with all additions", ALL)):
        predicted = {key: identify(tokens, additions=additions) for key, tokens in sentences.items()}
        result = score_identification(gold, predicted)
        means = result.mean
        print(f"  {name:19} short {line(result.short)}")
        print(f"  {'':19} long  {line(result.long)}")
        print(
            f"  {'':19} mean  P {means.precision:.4f}  R {means.recall:.4f}  F1 {means.f1:.4f}, "
            f"F1 of the means {result.f1_of_means:.4f}"
        )


def _joined(text: str) -> str:
    return " ".join(text.split())


PARTS = {part.__name__: part for part in (accuracy, ablation, sciai)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of shared data")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    for part in options.only:
        PARTS[part](options.data)


if __name__ == "__main__":
    main()
