"""Measures what further features add to keyphrases: names of MeSH, mentions, definitions, co-use of keywords.

    python benchmarks/keyphrases/additions.py ../shared/data/indexing/jats.tar.gz --mesh ../shared/data/mesh
    python benchmarks/keyphrases/additions.py ../shared/data/keyphrases/semeval2010 --mesh ../shared/data/mesh

The folds and both stages are those of `crossvalidation.py`; the features are in `evidence.py`. SemEval is fitted on
combined keys. Co-use is learnt from the keywords of other articles of the training folds. Each row is compared with
that without additions: the difference of micro F with the middle 95% of 1,000 bootstrap samples of articles.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from bioc import BioCDocument
from crossvalidation import MOST, SAMPLES, Floats, Row, figures, key_of, parts, percent
from evidence import (
    CO_USE,
    Lexicon,
    body_of,
    co_use_values,
    count_co_use,
    definition_values,
    lexicon_values,
    mention_values,
    read_lexicon,
    stems_of,
)

from corpora.datasets.keyphrases import document_of
from corpora.datasets.registry import open_corpus
from corpora.model.metadata import keyword_list
from corpora.reading import read
from indexing.keyphrases import frequencies, labels, priors
from indexing.keyphrases.features import matrix
from indexing.keyphrases.labels import LabelledArticle, label, label_one
from indexing.keyphrases.redundancy import best
from indexing.keyphrases.training import (
    _OF_PRIOR,
    Prepared,
    TrainingOptions,
    _cross_fit_first,
    _cross_fit_prior,
    _first,
    _held,
    _second,
    _trees,
    prepare,
)
from nlmchem.abbreviations import define
from nlmchem.evaluation.keyphrases import CUTOFFS, compare

GROUPS = ("lexicon", "mentions", "definitions", "co-use")
ROWS = ("none", *GROUPS, "+".join(GROUPS))
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Input:
    """A labelled article, and the short and long forms that it defines, stemmed."""

    article: LabelledArticle
    pairs: Pairs


def main() -> None:
    given = parsed()
    inputs, gold = semeval(given.source) if Path(given.source).is_dir() else author(given.source)
    inputs = inputs[: given.articles]
    table = frequencies.read()
    options = TrainingOptions(tune=False)
    ready = prepare([one.article for one in inputs], table, options)
    stems = [stems_of(item.article.found) for item in ready]
    lexicon = read_lexicon(given.mesh)
    report_costs(ready, stems, inputs, lexicon)
    rows = []
    for name in given.rows.split(","):
        groups = [] if name == "none" else name.split("+")
        more = [
            static(item, own, one.pairs, lexicon, groups) for item, own, one in zip(ready, stems, inputs, strict=True)
        ]
        rows.append(Row(name, ranked(ready, more, stems if "co-use" in groups else None, table, options), {}))
        for keys, known in gold.items():
            own_gold = {key: known[key] for key in rows[-1].ranked}
            print(
                json.dumps({"keys": keys, "row": name, **figures(own_gold, rows[-1]), **gains(own_gold, rows)}),
                flush=True,
            )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="the folder of SemEval-2010 task 5, or articles with keywords")
    parser.add_argument("--mesh", type=Path, required=True, help="the folder with the names of MeSH")
    parser.add_argument("--rows", default=",".join(ROWS), help="rows joined by commas; the features of a row by +")
    parser.add_argument("--articles", type=int, help="only the first articles")
    return parser.parse_args()


def author(source: str) -> tuple[list[Input], dict[str, dict[str, labels.Keys]]]:
    """Articles with keywords of their authors."""
    pairs: dict[str, Pairs] = {}

    def kept() -> Iterator[BioCDocument]:
        for document in read([source]):
            if keyword_list(document):
                pairs[label_one(document, []).key] = defined(document)
                yield document

    found = [Input(article, pairs[article.key]) for article in label(kept())]
    return found, {"author": {one.article.key: one.article.gold for one in found}}


def semeval(folder: str) -> tuple[list[Input], dict[str, dict[str, labels.Keys]]]:
    """The articles of SemEval with combined keys, and all keys."""
    found = []
    gold: dict[str, dict[str, labels.Keys]] = {group: {} for group in ("author", "reader", "combined")}
    for article in open_corpus("semeval2010", folder).read():
        document = document_of(article)
        made = replace(label_one(document, []), key=article.id, gold=article.stemmed["combined"])
        found.append(Input(made, defined(document)))
        for group in gold:
            gold[group][article.id] = article.stemmed[group]
    return found, gold


def defined(document: BioCDocument) -> Pairs:
    pairs = ((labels.key_of(one.short_form), labels.key_of(one.long_form)) for one in define(document).definitions)
    return tuple(dict.fromkeys(pairs))


def static(item: Prepared, stems: Sequence[str], pairs: Pairs, lexicon: Lexicon, groups: Sequence[str]) -> Floats:
    """The features that need no training. Those of co-use are zeros, which the training fills in."""
    found = item.article.found
    body = body_of(found)
    columns = [np.zeros((len(found), 0))]
    if "lexicon" in groups:
        columns.append(lexicon_values(stems, lexicon))
    if "mentions" in groups:
        columns.append(mention_values(stems, body, lexicon))
    if "definitions" in groups:
        columns.append(definition_values(stems, body, pairs))
    if "co-use" in groups:
        columns.append(np.zeros((len(found), len(CO_USE))))
    return np.concatenate(columns, axis=1)


def report_costs(
    ready: Sequence[Prepared], stems: Sequence[Sequence[str]], inputs: Sequence[Input], lexicon: Lexicon
) -> None:
    """Print the processor time of each group of features, in milliseconds an article."""
    co_use = count_co_use(item.article.gold for item in ready)
    own = list(zip(ready, stems, inputs, strict=True))[:40]
    for group in GROUPS:
        begun = time.process_time()
        for item, phrases, one in own:
            static(item, phrases, one.pairs, lexicon, [group])
            if group == "co-use":
                co_use_values(item.article.found, phrases, co_use)
        print(f"{group}: {1000 * (time.process_time() - begun) / len(own):.1f} ms an article", flush=True)
    begun = time.process_time()
    for item, _, _ in own:
        stems_of(item.article.found)
    print(f"stems: {1000 * (time.process_time() - begun) / len(own):.1f} ms an article", flush=True)


def ranked(
    ready: Sequence[Prepared],
    more: Sequence[Floats],
    stems: Sequence[Sequence[str]] | None,
    table: frequencies.Frequencies,
    options: TrainingOptions,
) -> dict[str, tuple[str, ...]]:
    """The best phrases of each article by models of the other folds. `stems`: given if co-use is among the features."""
    names = [name for name in options.features if name in _OF_PRIOR]
    columns = [options.features.index(name) for name in names]
    items = [
        Prepared(item.article, item.labels, np.concatenate([item.values, own], axis=1), item.seen)
        for item, own in zip(ready, more, strict=True)
    ]
    found: dict[str, tuple[str, ...]] = {}
    for held in parts(ready):
        numbers = [number for number in range(len(items)) if number not in set(held)]
        inside = [items[number] for number in numbers]
        inner = _held(inside, options)
        _cross_fit_prior(inside, inner, table, options)
        if stems is not None:
            for part in inner:
                learnt = count_co_use(one.article.gold for one, out in zip(inside, part, strict=True) if not out)
                for place in np.flatnonzero(part).tolist():
                    fill(inside[place], stems[numbers[place]], learnt)
        second = [
            _second(item, odds) for item, odds in zip(inside, _cross_fit_first(inside, inner, options), strict=True)
        ]
        first, trees = _first(inside, options), _trees(second, options)
        prior = priors.learn(item.seen for item in inside)
        known = None if stems is None else count_co_use(item.article.gold for item in inside)
        for number in held:
            item = items[number]
            item.values[:, columns] = matrix(item.article.found, table, prior, names)
            if stems is not None and known is not None:
                fill(item, stems[number], known)
            found[key_of(item)] = top(item, first.log_odds(item.values), trees)
    return found


def fill(item: Prepared, stems: Sequence[str], co_use: Any) -> None:
    """Write the features of co-use into the last columns."""
    item.values[:, -len(CO_USE) :] = co_use_values(item.article.found, stems, co_use)


def top(item: Prepared, log_odds: Floats, trees: Any) -> tuple[str, ...]:
    """The best phrases of both stages, as `KeyphraseModel.score` orders them."""
    found, order = item.article.found, best(log_odds)
    scores = 0.5 * (1 + np.tanh(0.5 * trees.log_odds(_second(item, log_odds).values)))
    ranks = np.lexsort((found.lengths[order], found.first[order], -scores))
    return tuple(found.stem(int(number)) for number in order[ranks][:MOST])


def gains(gold: Mapping[str, labels.Keys], rows: Sequence[Row]) -> dict[str, Any]:
    """The difference of the last row from the first one, with intervals."""
    if len(rows) < 2:
        return {}
    return {f"gain@{cutoff}": _gain(gold, rows[0], rows[-1], cutoff) for cutoff in CUTOFFS}


def _gain(gold: Mapping[str, labels.Keys], before: Row, after: Row, cutoff: int) -> list[float]:
    def table(row: Row) -> Floats:
        counts: Iterable[Any] = (compare(keys, row.ranked.get(name, ()), cutoff) for name, keys in gold.items())
        return np.array([(2 * one.found, one.gold + one.predicted) for one in counts], dtype=np.float64)

    one, other = table(before), table(after)
    drawn = np.random.default_rng(7).integers(0, len(one), (SAMPLES, len(one)))

    def f(values: Floats) -> Floats:
        return np.asarray(values[..., 0] / values[..., 1])

    differences = f(other[drawn].sum(axis=1)) - f(one[drawn].sum(axis=1))
    whole = f(other.sum(axis=0)) - f(one.sum(axis=0))
    return [percent(float(whole)), *(percent(value) for value in np.quantile(differences, (0.025, 0.975)))]


if __name__ == "__main__":
    main()
