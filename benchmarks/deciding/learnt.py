"""Trains decisions on recorded tagger outputs and measures them on sets that they were not trained on.

    python benchmarks/deciding/learnt.py RECORDS --train chemdner-train --test chemdner-test,bc5cdr-test [-o model.json]
        [--ablation] [--calibration] [--thresholds 0.2,0.3,0.4] [--floors 0.01,0.7]
    python benchmarks/deciding/learnt.py RECORDS --cross open [--folds 5] [--train chemdner-train] [--ablation]
        [--calibration]

`knowledge` is the tagger with the pieces of knowledge. `--cross` trains and tests on one set, cross-validated by
article; with `--train` the articles of that set are added to every training. RECORDS/features has the evidence, so
that it is computed once. The interval is a paired bootstrap over articles.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rules import tagged
from scoring import Tally, bootstrap, f1, read

from nlmchem.deciding.decision import chosen_of, log_odds_of
from nlmchem.deciding.evidence import FEATURES, GROUPS
from nlmchem.deciding.training import DecisionOptions, Labelled, Tagged, label, learn
from nlmchem.deciding.trees import Trees, write_trees
from sieves.lexicon.lexicon import Lexicon

MARKED = FEATURES.index("marked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--train", default="")
    parser.add_argument("--test", default="")
    parser.add_argument("--cross", default="")
    parser.add_argument("--rules", default="", help="decode the spans again with these rules (default: as recorded)")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--weight", type=int, default=1, help="copies of the articles of --cross in a training")
    parser.add_argument("--folds-out", type=Path, help="write the models of --cross into this folder (transfer.py)")
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--floor", type=float, default=0.01)
    parser.add_argument("--thresholds", default="")
    parser.add_argument("--floors", default="")
    parser.add_argument("--trees", type=int, default=60)
    parser.add_argument("--leaves", type=int, default=16)
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--calibration", action="store_true")
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--tagger", default="", help="the tagger of the records, for the model's provenance")
    given = parser.parse_args()
    options = DecisionOptions(trees=given.trees, leaves=given.leaves, threshold=given.threshold, floor=given.floor)
    base = [one for name in _names(given.train) for one in features(given.records, name, given.rules)]
    if given.cross:
        own = features(given.records, given.cross, given.rules)
        setting = own, base, given.weight, options, given.folds, given.cross
        models = cross(*setting, given.folds_out)
        if given.ablation:
            for group, names in GROUPS.items():
                kept = [name for name in FEATURES if name not in names]
                cross(*setting, None, kept, f"without {group}")
        if given.calibration:
            calibration(given.cross, own, models)
            weights(models, own)
        return
    tests = {name: features(given.records, name, given.rules) for name in _names(given.test)}
    model = learn(base, options, provenance={"corpora": _names(given.train), "tagger": given.tagger})
    if given.out:
        write_trees(given.out, model)
    for name, articles in tests.items():
        table(name, "learnt", articles, model)
    for threshold in map(float, _names(given.thresholds)):
        for name, articles in tests.items():
            table(name, f"threshold {threshold:g}", articles, replace(model, threshold=threshold))
    for floor in map(float, _names(given.floors)):
        for name, articles in tests.items():
            table(name, f"floor {floor:g}", articles, replace(model, floor=floor))
    if given.ablation:
        for group, names in GROUPS.items():
            kept = [name for name in FEATURES if name not in names]
            less = learn(base, replace(options, threshold=model.threshold), kept)
            for name, articles in tests.items():
                table(name, f"without {group}", articles, less)
    if given.calibration:
        for name, articles in tests.items():
            calibration(name, articles, [model])
        weights([model], base)


def _names(given: str) -> list[str]:
    return [name for name in given.split(",") if name]


def features(records: Path, name: str, rules: str = "") -> list[Labelled]:
    """The evidence of a set, from RECORDS/features or from the records."""
    path, source = records / "features" / f"{name}{rules and '-'}{rules}.npz", records / f"{name}.jsonl.gz"
    if not path.is_file():
        path.parent.mkdir(exist_ok=True)
        found: Iterator[Tagged] = (
            tagged(source, rules)
            if rules
            else ((record.document, record.copy(), record.gold) for record in read(source))
        )
        with Lexicon.open(None) as lexicon:
            articles = list(label(found, lexicon))
        np.savez_compressed(
            path,
            X=np.concatenate([a.values for a in articles]).astype(np.float32),
            Y=np.concatenate([a.right for a in articles]),
            A=np.repeat(np.arange(len(articles)), [len(a.right) for a in articles]),
            S=np.array([span for a in articles for span in a.spans]).reshape(-1, 3),
            G=np.array([a.gold for a in articles]),
        )
    stored = np.load(path)
    values, right, article, spans = (stored[key] for key in "XYAS")
    bounds = np.searchsorted(article, np.arange(len(stored["G"]) + 1))
    return [
        Labelled([tuple(s) for s in spans[a:b].tolist()], values[a:b].astype(np.float64), right[a:b], int(gold))
        for a, b, gold in zip(bounds[:-1], bounds[1:], stored["G"], strict=True)
    ]


def by_knowledge(articles: Sequence[Labelled]) -> list[Tally]:
    rows = []
    for article in articles:
        marked = article.values[:, MARKED] > 0
        rows.append((int((marked & article.right).sum()), int(marked.sum()), article.gold))
    return rows


def by_model(articles: Sequence[Labelled], model: Trees) -> list[Tally]:
    rows = []
    for article in articles:
        chosen = list(chosen_of(article.spans, log_odds_of(article.values, model), model.threshold))
        rows.append((int(article.right[chosen].sum()), len(chosen), article.gold))
    return rows


def table(name: str, way: str, articles: Sequence[Labelled], model: Trees) -> None:
    known, found = by_knowledge(articles), by_model(articles, model)
    show(name, way, known, found)


def show(name: str, way: str, known: list[Tally], found: list[Tally]) -> None:
    one, other = f1(known), f1(found)
    print(
        f"{name}\t{way}\tknowledge", *(f"{value:.4f}" for value in one),
        "learnt", *(f"{value:.4f}" for value in other), f"{other[2] - one[2]:+.4f}",
        "[{:+.4f}, {:+.4f}] p {:.3f}".format(*bootstrap(known, found)), sep="\t", flush=True,
    )  # fmt: skip


def cross(
    own: list[Labelled],
    base: list[Labelled],
    weight: int,
    options: DecisionOptions,
    folds: int,
    name: str,
    out: Path | None,
    features: Sequence[str] = FEATURES,
    way: str = "",
) -> list[Trees]:
    """Train on the other folds (and `base`), test on each fold; the threshold is chosen on the training articles.

    Returns the model of each fold; article i belongs to fold i modulo `folds`.
    """
    fold = np.arange(len(own)) % folds
    models = []
    for number in range(folds):
        train = [one for one, at in zip(own, fold, strict=True) if at != number] * weight
        model = learn([*base, *train], replace(options, threshold=options.threshold or 0.35), features)
        if options.threshold is None:
            model = replace(model, threshold=_best_threshold(train, base, options))
        if out:
            out.mkdir(exist_ok=True)
            write_trees(out / f"fold-{number}.json", model)
        models.append(model)
    found = [by_model([article], models[at % folds])[0] for at, article in enumerate(own)]
    way = way or f"{folds} folds" + (" with --train" if base else "")
    show(name, way, by_knowledge(own), found)
    return models


def _best_threshold(train: list[Labelled], base: list[Labelled], options: DecisionOptions) -> float:
    """By cross-validation inside the training articles of the set."""
    half = [train[::2], train[1::2]]
    scores: dict[float, float] = {}
    for one, other in (half, half[::-1]):
        model = learn([*base, *one], replace(options, threshold=0.5), report=lambda _: None)
        for threshold in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5):
            tallies = by_model(other, replace(model, threshold=threshold))
            scores[threshold] = scores.get(threshold, 0.0) + f1(tallies)[2]
    return max(scores, key=lambda threshold: scores[threshold])


def calibration(name: str, articles: Sequence[Labelled], models: Sequence[Trees]) -> None:
    """The share of right candidates for each tenth of the probability. Article i gets model i modulo their number."""
    found = [log_odds_of(article.values, models[at % len(models)]) for at, article in enumerate(articles)]
    log_odds = np.concatenate(found)
    right = np.concatenate([article.right for article in articles])
    bins = np.minimum((10 / (1 + np.exp(-log_odds))).astype(int), 9)
    for at in range(10):
        inside = bins == at
        share = right[inside].mean() if inside.any() else float("nan")
        print(f"calibration {name}\t{at / 10:.1f} to {(at + 1) / 10:.1f}\t{inside.sum()}\t{share:.3f}")


def weights(models: Sequence[Trees], articles: Sequence[Labelled]) -> None:
    """The mean size of what each feature adds to the log-odds."""
    values = [article.values for article in articles[:400]]
    added = [np.abs(models[at % len(models)].contributions(own)) for at, own in enumerate(values)]
    size = np.concatenate(added).mean(axis=0)
    for at in np.argsort(-size):
        print(f"weight\t{models[0].features[at]}\t{size[at]:.3f}")


if __name__ == "__main__":
    main()
