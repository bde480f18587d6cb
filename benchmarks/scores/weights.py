"""Measures votes with estimated weights against equal weights, on simulated runs of known quality and one of ours.

    nlmchem annotate ../shared/data/nlmchem/bioc -o OURS --existing replace
    python -m benchmarks.scores.weights --data ../shared/data --ours OURS [--repeats 5]

A simulated run has each gold mention with one probability, and wrong spans up to its precision: neighbours of gold
mentions (one word more or less) and other words, from a pool that all runs share, so that runs make the same mistakes.
Each vote is scored at its best threshold, so that only the weights differ.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from statistics import mean

from bioc import BioCDocument

import corpora
from corpora.datasets import open_corpus
from corpora.model.document import add_mention, fresh_ids, mentions, remove_mentions
from corpora.model.passages import passage_text
from corpora.reporting import ignore
from ensemble.combine import Rule
from ensemble.runs import Poll, open_poll
from ensemble.weighting import DECIMALS, dawid_skene, estimated, patterns
from nlmchem.evaluation.ensembles import measure

SETS = {
    "alike": ((0.80, 0.75), (0.80, 0.75), (0.80, 0.75)),
    "one poor": ((0.85, 0.80), (0.80, 0.75), (0.40, 0.70)),
    "one good, two poor": ((0.90, 0.85), (0.45, 0.60), (0.40, 0.70)),
    "precise and complete": ((0.95, 0.50), (0.60, 0.90), (0.80, 0.75)),
}
"""Name -> precision and recall of each simulated run."""
_WORD = re.compile(r"\w[\w-]*")

Place = tuple[int, int, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    gold = list(open_corpus("nlmchem-open", given.data / "nlmchem/bioc").read("test", ignore))
    columns = ("runs", "equal", "precision by agreement", "log odds by agreement", "log odds by 5 gold articles")
    print(*columns, "estimated", "true", sep="\t")
    for name, qualities in SETS.items():
        rows = [_scored(gold, qualities, given.ours, seed) for seed in range(given.repeats)]
        scores = [f"{mean(row[column] for row, _ in rows):.4f}" for column in range(4)]
        precisions = [mean(each[run] for _, each in rows) for run in range(len(qualities))]
        known = ", ".join(f"{precision:.2f}" for precision, _ in qualities)
        print(name, *scores, ", ".join(f"{value:.2f}" for value in precisions), known, sep="\t")


def _scored(
    gold: Sequence[BioCDocument], qualities: Sequence[tuple[float, float]], ours: str, seed: int
) -> tuple[list[float], list[float]]:
    """The best F of each kind of vote, and the estimated precision of the simulated runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpora.write(gold, folder / "gold.json")
        corpora.write(gold[:5], folder / "few.json")
        chance = random.Random(seed)
        pools = [_pool(document, random.Random(f"{seed} {document.id}")) for document in gold]
        paths = []
        for number, quality in enumerate(qualities):
            paths.append(str(folder / f"run{number}.json"))
            made = [_run(document, quality, pool, chance) for document, pool in zip(gold, pools, strict=True)]
            corpora.write(made, paths[-1])
        paths.append(ours)
        with open_poll(paths, report=ignore) as poll:
            precisions = dawid_skene(patterns(poll))
            odds = [quality.weight for quality in estimated(poll)]
            simulated = [value for run, value in zip(poll.runs, precisions, strict=True) if run.path != ours]
        with open_poll(paths, gold=str(folder / "few.json"), missing="abstain", report=ignore) as poll:
            measured = [quality.weight for quality in estimated(poll)]
        with open_poll(paths, gold=str(folder / "gold.json"), report=ignore) as poll:
            plain = [max(1, round(DECIMALS * value)) for value in precisions]
            scores = [_best(poll.with_weights(weights)) for weights in ([1] * len(paths), plain, odds, measured)]
    return scores, simulated


def _best(poll: Poll) -> float:
    curve = measure(poll, Rule(("spans",), 0.0, "best", False))
    return curve.scores.f1[curve.best]


def _pool(document: BioCDocument, chance: random.Random) -> list[Place]:
    """Wrong spans of an article: gold mentions with a word more or less, and other words. Half of each."""
    gold = {(_number(document, m.passage), *m.spans[0]) for m in mentions(document)}
    near: set[Place] = set()
    other: set[Place] = set()
    for number, passage in enumerate(document.passages):
        words = [(passage.offset + w.start(), passage.offset + w.end()) for w in _WORD.finditer(passage_text(passage))]
        other.update((number, *word) for word in chance.sample(words, min(len(words), 12)))
        starts = {start: at for at, (start, _) in enumerate(words)}
        for _, start, end in (place for place in gold if place[0] == number):
            at = starts.get(start)
            if at is not None and at:
                near.add((number, words[at - 1][0], end))
    pool = sorted((near | other) - gold)
    chance.shuffle(pool)
    return pool


def _number(document: BioCDocument, passage: object) -> int:
    return next(number for number, one in enumerate(document.passages) if one is passage)


def _run(
    document: BioCDocument, quality: tuple[float, float], pool: list[Place], chance: random.Random
) -> BioCDocument:
    precision, recall = quality
    right = [(_number(document, m.passage), *m.spans[0]) for m in mentions(document) if chance.random() < recall]
    wrong = round(len(right) * (1 - precision) / precision)
    # The first spans of the pool are the mistakes that many make.
    often = pool[: 2 * wrong]
    chosen = chance.sample(often, min(wrong, len(often)))
    made = deepcopy(document)
    remove_mentions(made)
    ids = fresh_ids(made, "S")
    for number, start, end in sorted({*right, *chosen}):
        add_mention(made.passages[number], [(start, end)], id=next(ids), annotator="simulated")
    return made


if __name__ == "__main__":
    main()
