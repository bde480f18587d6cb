"""How many errors of a run lie in the passages that `nlmchem curate select` chooses, against as many random ones.

    python -m benchmarks.scores.curation GOLD RUN... [-n 25 50 100 200] [--seeds 20]

A simulated curator without training: GOLD answers what is wrong in the first RUN, and no model learns from it. An error
is a mention that one side lacks (strict spans), or one with other identifiers. `errors`: the share of all errors that
lie in the chosen passages; `text`: their share of all characters, which is what a curator reads; `gain`: errors divided
by text, 1 for a choice that is no better than reading from the beginning. The random rows are means over the seeds. Not
measured here: how much a tagger learns from the corrections.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator

from bioc import BioCDocument

import corpora
from corpora.model.document import mentions
from corpora.model.passages import passage_text
from corpora.reporting import ignore
from nlmchem.companions.curation.selection import Choice, select

Place = tuple[str, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("-n", type=int, nargs="+", default=[25, 50, 100, 200])
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    run = list(corpora.read(given.runs[0]))
    texts = {
        (article.id, passage.offset): len(passage_text(passage)) for article in run for passage in article.passages
    }
    errors = errors_of(corpora.read(given.gold), run)
    print(f"{len(run)} articles, {len(texts)} passages, {errors.total()} errors of {given.runs[0]}")
    print(f"{'passages':>8}  {'choice':8}{'errors':>8}{'text':>8}{'gain':>8}")
    for number in given.n:
        chosen = [chosen_by(given.runs, Choice(number))]
        rows = {
            "reasons": chosen,
            "random": [chosen_by(given.runs, Choice(number, seed=s)) for s in range(given.seeds)],
        }
        for name, choices in rows.items():
            share = sum(errors[place] for places in choices for place in places) / len(choices) / errors.total()
            text = sum(texts[place] for places in choices for place in places) / len(choices) / sum(texts.values())
            print(f"{number:8}  {name:8}{share:8.4f}{text:8.4f}{share / text:8.2f}")


def chosen_by(runs: list[str], choice: Choice) -> list[Place]:
    """The places of the chosen passages."""
    return [(selected.document, selected.offset) for selected in select(runs, choice, ignore)[0]]


def errors_of(gold: Iterable[BioCDocument], run: Iterable[BioCDocument]) -> Counter[Place]:
    """The number of errors in each passage."""
    wanted, given = dict(facts(gold)), dict(facts(run))
    return Counter(key[:2] for key in wanted.keys() | given.keys() if wanted.get(key) != given.get(key))


def facts(documents: Iterable[BioCDocument]) -> Iterator[tuple[tuple[str, int, object], frozenset[str]]]:
    """The identifiers of each mention, by document, offset of its passage, and spans."""
    for document in documents:
        for mention in mentions(document):
            spans = tuple(sorted(mention.spans))
            yield (document.id, mention.passage.offset, spans), frozenset(mention.identifiers)


if __name__ == "__main__":
    main()
