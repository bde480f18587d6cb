"""Measures the sieve cascade on gold spans: document-level strict P, R, F as the track has it, and mention accuracy.

    python -m benchmarks.scores.identifiers --as-of 2021 --gold ../shared/data/nlmchem/bioc \
        [--sieves default,-edit] [--expand 0.8] [--table] [--ablation]
    python -m benchmarks.scores.identifiers --as-of 2021 --lists FOLDER [--table]

`--lists`: the mentions of the training and development articles of NLM-Chem without their texts, so without definitions
(the files `.concept` of traindev-mentions.tar.gz, unpacked).

Gold mentions keep their spans and are normalized again without their ids; abbreviations are those that nlmchem finds in
the text. Strict: the set of ids per article, micro-averaged; a composite contributes each of its ids. Accuracy: the
share of mentions whose set of ids is right. Nothing here is learned from the gold that is measured on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import corpora
import nlmchem
from corpora.model.document import mentions
from corpora.model.mesh_ids import mesh_ids
from nlmchem.abbreviations.stage import AbbreviationStage
from nlmchem.evaluation.scores import NOTHING, Counts
from sieves.article import article_of
from sieves.cascade import DEFAULT_ORDER, Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer
from sieves.registry import checked_order
from sieves.sieve import ArticleContext, SieveCandidate


@dataclass(frozen=True, slots=True)
class Scores:
    """Counts of identifiers as sets of an article, and mentions with the right set of all mentions."""

    counts: Counts
    right: int
    mentions: int

    def __str__(self) -> str:
        c = self.counts
        return (
            f"P {c.precision:.4f}  R {c.recall:.4f}  F {c.f1:.4f}  (tp {c.right}, fp {c.false}, fn {c.missed})"
            f"  mention accuracy {self.right / self.mentions:.4f}"
        )


Gold = list[tuple[str, frozenset[str]]]
Held = tuple[str, ArticleContext, Gold]


def read(paths: Sequence[str], threshold: float | None = None) -> list[Held]:
    """Articles as (id, article for the sieves, (text, ids) of every mention).

    `threshold`: short forms without definition are expanded from this probability on, for the sieve `inferred`.
    """
    expand = None if threshold is None else nlmchem.load(steps="expand", expand_threshold=threshold)
    held = []
    for document in corpora.read(paths):
        AbbreviationStage()([document])
        if expand is not None:
            expand(document)
        gold = [(tidy(mention.text), frozenset(mesh_ids(mention.identifiers))) for mention in mentions(document)]
        held.append((str(document.id), article_of(document), gold))
    return held


def read_lists(folder: Path) -> list[Held]:
    """The mentions of files `PMCID.concept`, `pmcid||0||0||mention||ids` a line; mentions without ids are left out."""
    held = []
    for path in sorted(folder.rglob("*.concept")):
        rows = [line.split("||") for line in path.read_text(encoding="utf-8").splitlines()]
        gold = [(tidy(row[-2]), frozenset(mesh_ids([row[-1]]))) for row in rows]
        named = [(text, ids) for text, ids in gold if ids]
        held.append((path.stem, ArticleContext(surfaces=frozenset(text for text, _ in gold)), named))
    return held


def answers(articles: Sequence[Held], normalizer: Normalizer) -> Iterator[dict[str, SieveCandidate]]:
    for _, article, gold in articles:
        yield normalizer.answers({text for text, _ in gold}, article)


def score(articles: Sequence[Held], normalizer: Normalizer) -> Scores:
    counts, right, number = NOTHING, 0, 0
    for (_, _, gold), resolved in zip(articles, answers(articles, normalizer), strict=True):
        wanted = {id for _, ids in gold for id in ids}
        given = {id for text, _ in gold if text in resolved for id in resolved[text].identifiers}
        both = len(wanted & given)
        counts += Counts(len(wanted), both, len(given), both)
        right += sum(frozenset(resolved[text].identifiers if text in resolved else ()) == ids for text, ids in gold)
        number += len(gold)
    return Scores(counts, right, number)


def by_sieve(articles: Sequence[Held], normalizer: Normalizer) -> dict[str, tuple[int, int]]:
    """For each sieve: the mentions that it answered, and those that it answered correctly."""
    rows: dict[str, tuple[int, int]] = {}
    for (_, _, gold), resolved in zip(articles, answers(articles, normalizer), strict=True):
        for text, ids in gold:
            name = resolved[text].sieve if text in resolved else "-"
            won, right = rows.get(name, (0, 0))
            given = frozenset(resolved[text].identifiers) if text in resolved else frozenset()
            rows[name] = won + 1, right + (given == ids)
    return rows


def print_table(articles: Sequence[Held], lexicon: Lexicon, sieves: str | Sequence[str]) -> None:
    order = checked_order(sieves)
    rows = by_sieve(articles, Normalizer(lexicon, order))
    left = sum(won for won, _ in rows.values())
    print("sieve\treached\tanswered\tprecision")
    for name in (*order, *(name for name in rows if name not in order)):
        won, right = rows.get(name, (0, 0))
        print(f"{name}\t{left}\t{won}\t{f'{right / won:.3f}' if won else '-'}")
        left -= won


def print_ablation(articles: Sequence[Held], lexicon: Lexicon) -> None:
    whole = score(articles, Normalizer(lexicon)).counts.f1
    print(f"without\tF\tchange (with all: {whole:.4f})")
    for name in DEFAULT_ORDER:
        without = score(articles, Normalizer(lexicon, [sieve for sieve in DEFAULT_ORDER if sieve != name])).counts.f1
        print(f"{name}\t{without:.4f}\t{without - whole:+.4f}")
    with patch("sieves.normalizer.answers_of", by_sieves_alone):
        without = score(articles, Normalizer(lexicon)).counts.f1
    print(f"article\t{without:.4f}\t{without - whole:+.4f}")


def by_sieves_alone(cascade: Cascade, surfaces: set[str], article: ArticleContext) -> dict[str, SieveCandidate]:
    """The concepts of surfaces without the evidence of other mentions."""
    every = {text: cascade.candidates(text, article) for text in surfaces}
    return {text: candidates[0] for text, candidates in every.items() if candidates}


def report(articles: Sequence[Held], lexicon: Lexicon, options: argparse.Namespace) -> None:
    print(score(articles, Normalizer(lexicon)))
    if options.sieves:
        print(options.sieves, score(articles, Normalizer(lexicon, options.sieves)))
    if options.table:
        print_table(articles, lexicon, options.sieves or DEFAULT_ORDER)
    if options.ablation:
        print_ablation(articles, lexicon)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon")
    parser.add_argument("--as-of", type=int)
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--gold", nargs="+")
    asked.add_argument("--lists", type=Path)
    parser.add_argument("--sieves", help="another order; --table then has its rows, all others have the default order")
    parser.add_argument("--expand", type=float, metavar="THRESHOLD", help="run the step expand, for the sieve inferred")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--ablation", action="store_true")
    options = parser.parse_args()
    articles = read_lists(options.lists) if options.lists else read(options.gold, options.expand)
    with Lexicon.open(options.lexicon, options.as_of) as lexicon:
        report(articles, lexicon, options)


if __name__ == "__main__":
    main()
