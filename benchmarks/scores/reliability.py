"""Whether the probabilities of mentions hold on articles that tagger and decision did not see, and targets as well.

    python -m benchmarks.retrain.record --data ../shared/data --out NEW --sets articles,biored-test,bc5cdr-test
    python -m benchmarks.scores.reliability NEW --sets articles,biored-test,bc5cdr-test [--model MODEL]

Prints for each set: by probability, the mentions, their mean probability, and the share of right ones (strict spans);
then for some targets, as `annotate --target-precision`: the share of mentions that is kept, the mean probability of
these, their precision (in brackets the middle 95% of a bootstrap over articles), and recall without and with the
target. Time: 1 minute for 500 abstracts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.retrain.records import read, ruled
from indexing.learning.linear import Flags, Floats
from nlmchem.deciding.calibration import lowest_for
from nlmchem.deciding.decision import Decision, read_model
from nlmchem.evaluation.scores import reliability
from sieves.lexicon.lexicon import Lexicon

SHIPPED = Path(__file__).parents[2] / "nlmchem" / "deciding" / "default.json"
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
TARGETS = (0.9, 0.95)
SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Answers:
    """Of the mentions of an article the probability, as it is written, and whether it is right; all gold mentions."""

    probabilities: Floats
    right: Flags
    gold: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--rules", default="default")
    given = parser.parse_args()
    model = read_model(given.model)
    if model.calibration is None:
        raise SystemExit(f"{given.model} has no calibration")
    with Lexicon.open(None) as lexicon:
        decide = Decision(lexicon, model)
        for name in given.sets.split(","):
            articles = list(answers(given.records / f"{name}.jsonl.gz", given.rules, decide))
            print_set(name, articles)


def print_set(name: str, articles: Sequence[Answers]) -> None:
    probabilities = np.concatenate([article.probabilities for article in articles])
    right = np.concatenate([article.right for article in articles])
    gold = sum(article.gold for article in articles)
    print(
        f"{name}\t{len(right)} mentions\tmean {probabilities.mean():.3f}\tright {right.mean():.3f}"
        f"\tcalibration error {error(probabilities, right):.3f}\tlog loss {loss(probabilities, right):.3f}"
    )
    for part in reliability(probabilities, right, EDGES):
        print(f"  {part.low:g}-{part.high:g}\t{part.answers}\t{part.probability:.3f}\t{part.right:.3f}")
    for target in TARGETS:
        of_articles = [article.probabilities >= lowest_for(target, article.probabilities) for article in articles]
        kept = np.concatenate(of_articles)
        low, high = interval([article.right[own] for article, own in zip(articles, of_articles, strict=True)])
        recall = f"\trecall {right.sum() / gold:.3f} to {right[kept].sum() / gold:.3f}" if gold else ""
        print(
            f"  target {target:g}\tkept {kept.mean():.3f}\texpected {probabilities[kept].mean():.3f}"
            f"\tprecision {right[kept].mean():.3f} ({low:.3f} to {high:.3f}){recall}",
            flush=True,
        )


def interval(kept: Sequence[Flags]) -> tuple[float, float]:
    """The middle 95% of the precision in a bootstrap over articles. `kept`: of each, which mentions are right."""
    kept = [flags for flags in kept if len(flags)]
    if not kept:
        return float("nan"), float("nan")
    right, number = (np.array([count(flags) for flags in kept], dtype=np.float64) for count in (np.sum, len))
    draws = np.random.default_rng(7).integers(0, len(kept), (SAMPLES, len(kept)))
    low, high = np.quantile(right[draws].sum(1) / number[draws].sum(1), [0.025, 0.975])
    return float(low), float(high)


def answers(path: Path, rules: str, decide: Decision) -> Iterator[Answers]:
    for record in read(path):
        passages = ruled(record, rules)
        decide(record.document, passages)
        scores = {
            ((passage.offset + span.start, passage.offset + span.end),): round(span.score, 4)
            for passage, own in zip(record.document.passages, passages, strict=True)
            for span in own.spans
        }
        right = np.array([span in record.gold for span in scores], dtype=bool)
        yield Answers(np.array(list(scores.values()), dtype=np.float64), right, len(record.gold))


def loss(probabilities: Floats, right: Flags) -> float:
    limited = np.clip(probabilities, 1e-3, 1 - 1e-3)
    return float(-np.log(np.where(right, limited, 1 - limited)).mean())


def error(probabilities: Floats, right: Flags) -> float:
    """The mean distance of probability and share of right ones over the bins, by their mentions."""
    bins = reliability(probabilities, right, EDGES)
    return sum(part.answers * abs(part.probability - part.right) for part in bins) / len(right)


if __name__ == "__main__":
    main()
