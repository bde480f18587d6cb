"""Measures `nlmchem.abbreviations`.

    python -m benchmarks.scores.abbreviations ../shared/data [--only accuracy]

Parts: `accuracy` (exact pairs on both gold corpora), `sciai` (acronym identification). Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlmchem.abbreviations import detect
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


def count(abstract: Abstract) -> Counts:
    pairs = {
        (_joined(definition.short_form), _joined(definition.long_form))
        for text in abstract.passages
        for definition in detect(text)
    }
    right = len(pairs & abstract.pairs)
    return Counts(len(abstract.pairs), right, len(pairs), right)


def score(abstracts: Sequence[Abstract]) -> Counts:
    return sum((count(abstract) for abstract in abstracts), NOTHING)


def line(counts: Counts) -> str:
    return (
        f"P {counts.precision:.4f}  R {counts.recall:.4f}  F1 {counts.f1:.4f}  "
        f"({counts.right} correct, {counts.false} false, {counts.missed} missed)"
    )


def accuracy(data: Path) -> None:
    print("\nExact pairs, each once per document")
    for corpus in CORPORA:
        print(f"  {corpus:5} {line(score(load(data, corpus)))}")


def sciai(data: Path) -> None:
    print("\nAcronym identification, SciAI dev, rules alone (published rules: P 93.2, R 78.9, F1 85.5)")
    from corpora.datasets.acronyms import read_sciai
    from corpora.datasets.corpus_files import listing
    from corpora.reporting import log

    source = str(data / "acronyms" / "sciai" / "dev.json.gz")
    gold = read_tagged(source)
    sentences = {sentence.id: sentence.tokens for sentence in read_sciai({"sentences": listing(source)}, log)}
    result = score_identification(gold, {key: identify(tokens) for key, tokens in sentences.items()})
    means = result.mean
    print(f"  short {line(result.short)}")
    print(f"  long  {line(result.long)}")
    print(
        f"  mean  P {means.precision:.4f}  R {means.recall:.4f}  F1 {means.f1:.4f}, "
        f"F1 of the means {result.f1_of_means:.4f}"
    )


def _joined(text: str) -> str:
    return " ".join(text.split())


PARTS = {part.__name__: part for part in (accuracy, sciai)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of shared data")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    for part in options.only:
        PARTS[part](options.data)


if __name__ == "__main__":
    main()
