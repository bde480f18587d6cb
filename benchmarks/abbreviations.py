"""Measures `nlmchem.abbreviations`: accuracy, speed, and the gain of each addition to Ab3P.

    python benchmarks/abbreviations.py ../shared/data                    # everything, about two minutes
    python benchmarks/abbreviations.py ../shared/data --only accuracy speed

Parts: `accuracy` (exact pairs on both gold corpora), `ablation` (each addition alone, and all others),
`crossvalidation` (additions chosen on one part of the documents and scored on another, and from one corpus to the
other), `speed` (abstracts per second, growth up to 5 MB, fuzzing), `sciai` (acronym identification). Times are
processor times, the best of three. Compare only figures of one run. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nlmchem.abbreviations import ALL, NONE, Addition, detect
from nlmchem.abbreviations.identification import identify
from nlmchem.evaluation.abbreviations import FormPair, read_tagged, score_identification
from nlmchem.evaluation.scores import NOTHING, Counts

CORPORA = ("ab3p", "sh")
FOLDS = 10
SEED = 20080925


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


def crossvalidation(data: Path) -> None:
    print(f"\nAdditions chosen and scored on different documents ({FOLDS} folds, and corpus by corpus)")
    corpora = {corpus: load(data, corpus) for corpus in CORPORA}
    everything = [abstract for abstracts in corpora.values() for abstract in abstracts]
    table = {abstract.id: _counts_without(abstract) for abstract in everything}
    for corpus, abstracts in corpora.items():
        shuffled = random.Random(SEED).sample(abstracts, len(abstracts))
        totals, sizes = NOTHING, []
        for fold in range(FOLDS):
            held = shuffled[fold::FOLDS]
            kept = _paying(table, [one for one in everything if one not in held])
            totals += score(held, kept)
            sizes.append(len(kept))
        print(
            f"  {corpus:5} by folds         {line(totals)}; {min(sizes)} to {max(sizes)} of {len(ALL)} additions kept"
        )
        other = next(name for name in CORPORA if name != corpus)
        kept = _paying(table, corpora[other])
        print(f"  {corpus:5} chosen on {other:6} {line(score(abstracts, kept))}; {len(kept)} additions kept")


def _counts_without(abstract: Abstract) -> dict[Addition | None, Counts]:
    """The counts of one document with all additions (None), and without each of them."""
    return {left_out: count(abstract, ALL - {left_out}) for left_out in (None, *Addition)}


def _paying(table: dict[str, dict[Addition | None, Counts]], abstracts: Sequence[Abstract]) -> frozenset[Addition]:
    """The additions that increase F1 on these documents."""
    rows = [table[abstract.id] for abstract in abstracts]
    sums = {key: sum((row[key] for row in rows), NOTHING).f1 for key in rows[0]}
    return frozenset(addition for addition in Addition if sums[addition] < sums[None])


def speed(data: Path) -> None:
    print("\nSpeed, one core")
    for corpus in CORPORA:
        abstracts = load(data, corpus)
        times = {
            name: _seconds(partial(_detect_all, abstracts, which))
            for name, which in (("Ab3P as described", NONE), ("with all additions", ALL))
        }
        for name, seconds in times.items():
            print(f"  {corpus:5} {name:19} {len(abstracts) / seconds:8,.0f} abstracts/s")
        print(
            f"  {corpus:5} additions cost {times['with all additions'] / times['Ab3P as described']:.2f} times the time"
        )
    whole = " ".join(text for abstract in load(data, "ab3p") for text in abstract.passages)
    print("  growth of one passage:")
    for megabytes in (0.3125, 1.25, 5):
        text = (whole * 10)[: int(megabytes * 1_000_000)]
        seconds = _seconds(partial(detect, text), times=1)
        print(f"    {megabytes:6.2f} MB  {seconds:6.2f} s  {1000 * seconds / (1000 * megabytes):.4f} ms/kB")
    _fuzz(300)


def _detect_all(abstracts: Sequence[Abstract], additions: Collection[Addition]) -> None:
    for abstract in abstracts:
        for text in abstract.passages:
            detect(text, additions=additions)


def _fuzz(rounds: int) -> None:
    """Random texts of 20 kB over brackets, digits and punctuation, random and repetitive; then with letters."""
    generator = random.Random(SEED)
    for name, alphabet in (
        ("brackets, digits, punctuation", "()[]{}0123456789.,;:=-/ '\"+<>"),
        ("and letters", "()[]aAb1., "),
    ):
        worst, text_of_worst = 0.0, ""
        for round in range(rounds):
            length = 20_000 if round % 2 else generator.randint(1, 30)
            unit = "".join(generator.choices(alphabet, k=length))
            text = (unit * (20_000 // length + 1))[:20_000]
            seconds = _seconds(partial(detect, text), times=1)
            if seconds > worst:
                worst, text_of_worst = seconds, text
        # Repeat the slowest text, because a pause of the machine may have slowed it down.
        worst = min(worst, _seconds(partial(detect, text_of_worst)))
        print(f"  fuzz, {name}: worst of {rounds} texts {1000 * worst / 20:.3f} ms/kB, unit {text_of_worst[:30]!r}")


def _seconds(work: Callable[[], object], times: int = 3) -> float:
    best = float("inf")
    for _ in range(times):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


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


PARTS = {part.__name__: part for part in (accuracy, ablation, crossvalidation, speed, sciai)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of shared data")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    for part in options.only:
        PARTS[part](options.data)


if __name__ == "__main__":
    main()
