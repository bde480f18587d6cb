"""Spans and identifiers of a tagger, with the knowledge and with a decision, on its recorded outputs (record.py).

    python -m benchmarks.scores.decisions RECORDS --sets bc5cdr-test,biored-test [--model decision.json] [--rules none]
    python -m benchmarks.scores.decisions RECORDS --cross open [--train OTHER]

`--sets` scores a decision on articles that it was not trained on. `--cross` trains decisions on the records of OTHER
(default: RECORDS) without the articles of the fold and with the rules of the shipped decision, and scores them on
RECORDS after several sets of rules: spans as means over three divisions into five folds, and identifiers for one.
Identifiers are those of 2021, as sets of an article. Intervals: paired bootstrap over articles (10,000 samples).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.retrain.decision import OPTIONS, WITHOUT_LISTS, labelled
from benchmarks.retrain.records import Record, Tally, bootstrap, f1, id_tally, read, ruled, span_tally
from corpora.model.document import definitions
from nlmchem.deciding.decision import Decision, DecisionModel, read_model
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.training import Labelled, learn
from nlmchem.tagging.rules.article import follow_article
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

SHIPPED = Path("nlmchem/deciding/default.json")
RULES = ("default", WITHOUT_LISTS, "none")
FOLDS, DIVISIONS = 5, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", default="")
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--cross", default="")
    parser.add_argument("--train", type=Path)
    parser.add_argument("--rules", default="", help="with --sets: decode the spans again (default: as recorded)")
    given = parser.parse_args()
    lexicon = Lexicon.open()
    normalizer = Normalizer(Lexicon.open(as_of=2021))
    print("set\trules\twhat\tno decision F\tknowledge P\tR\tF\tlearnt P\tR\tF\tdifference of F\tinterval")
    for name in filter(None, given.sets.split(",")):
        models = [read_model(given.model)]
        compare(given.records / f"{name}.jsonl.gz", given.rules, models, lexicon, normalizer)
    if given.cross:
        known = labelled(given.train or given.records, given.cross, WITHOUT_LISTS)
        ids = list(known)
        models = [fitted(known, ids[fold::FOLDS]) for fold in range(FOLDS)]
        for rules in RULES:
            crossed(given.records, given.cross, rules, known)
            compare(given.records / f"{given.cross}.jsonl.gz", rules, models, lexicon, normalizer)


def fitted(known: dict[str, Labelled], held_out: Iterable[str]) -> DecisionModel:
    """A decision that was not trained on these articles."""
    held = set(held_out)
    rest = [article for id, article in known.items() if id not in held]
    return learn(rest, OPTIONS, report=lambda _: None, calibrated=False)


def compare(path: Path, rules: str, models: Sequence[DecisionModel], lexicon: Lexicon, normalizer: Normalizer) -> None:
    """Print spans and identifiers of the tagger, of the knowledge and of the decision.

    Article i gets model i modulo their number.
    """
    knowledge, learnt = Knowledge(lexicon), [Decision(lexicon, model) for model in models]
    spans: tuple[list[Tally], ...] = ([], [], [])
    ids: tuple[list[Tally], ...] = ([], [], [])
    for at, record in enumerate(read(path)):
        if rules:
            record.passages = ruled(record, rules)
        for way, decide in enumerate((undecided, knowledge, learnt[at % len(learnt)])):
            tally, linked = tallies(record, decide, normalizer)
            spans[way].append(tally)
            ids[way].append(linked)
    for what, (by_tagger, by_rules, by_models) in {"spans": spans, "identifiers": ids}.items():
        if any(gold for _, _, gold in by_rules):
            low, high, _ = bootstrap(by_rules, by_models)
            change = (f"{f1(by_models)[2] - f1(by_rules)[2]:+.4f}", f"{low:+.4f} to {high:+.4f}")
            figures = [f"{value:.4f}" for value in (f1(by_tagger)[2], *f1(by_rules), *f1(by_models))]
            print(path.name.partition(".")[0], rules or "as recorded", what, *figures, *change, sep="\t", flush=True)


def undecided(_: Any, __: Any) -> None:
    """The mentions of the tagger and its rules stay."""


def tallies(record: Record, decide: Callable[..., None], normalizer: Normalizer) -> tuple[Tally, Tally]:
    passages = record.copy()
    decide(record.document, passages)
    follow_article(passages, definitions(record.document))
    return span_tally(record, passages), id_tally(record, passages, normalizer)


def crossed(records: Path, name: str, rules: str, known: dict[str, Labelled]) -> None:
    """Print the spans of the knowledge and of decisions, a mean over divisions of the articles into folds."""
    articles = labelled(records, name, rules)
    rows: list[tuple[float, float, float]] = []
    for seed in range(DIVISIONS):
        fold = np.random.default_rng(seed).permutation(len(articles)) % FOLDS
        by_models: list[Tally] = []
        for number in range(FOLDS):
            held = [id for id, at in zip(sorted(articles), fold, strict=True) if at == number]
            model = fitted(known, held)
            by_models += [by_model(articles[id], model) for id in held]
        rows.append(f1(by_models))
    before = [f"{value:.4f}" for value in f1([by_knowledge(article) for article in articles.values()])]
    after = [f"{value:.4f}" for value in np.mean(rows, axis=0)]
    print(name, rules, f"spans, mean of {DIVISIONS} divisions", *before, *after, sep="\t", flush=True)


def by_knowledge(article: Labelled) -> Tally:
    marked = article.features.columns["marked"] > 0
    return int((marked & article.right).sum()), int(marked.sum()), article.gold


def by_model(article: Labelled, model: DecisionModel) -> Tally:
    chosen = model.choose(article.features).chosen
    return int(article.right[chosen].sum()), len(chosen), article.gold


if __name__ == "__main__":
    main()
