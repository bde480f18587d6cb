"""What further information adds to the regression of the indexer: rows of the same five-fold cross-validation.

    python benchmarks/indexing/further.py RUNS/annotated --data ../shared/data [--rows words,article] [--blend]
        [--unlabelled 450]

Each row is the regression, or with `--blend` regression and trees, with further columns:

    positions       positions within title, abstract and sections (`indexing.layout`);
    words           words around the mentions, learnt from titles of unlabelled articles (words.py);
    article         whether the article has any index term, from its words and the scores of its candidates;
    list            the rank of the candidate's score in its article, and its distance to the best;
    journal         how often other articles of the journal have an index term, and the year;
    sentences       sentences read by the encoder, with attention over them (sentences.py);
    classification  no candidates: a linear classifier, on TF-IDF, for each identifier of training articles (team 157).

Columns that are learnt from index terms are cross-fitted: those of a training article come from a model of others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import sentences
import words
from classification import by_classification
from crossvalidation import (
    NAMES,
    Fold,
    Learner,
    Regression,
    Scores,
    columns_of,
    micro,
    outcome,
    prepare,
    read_articles,
    sampled,
    strict,
    tables_of,
)

import corpora
from indexing import models
from indexing.features import Floats
from indexing.layout import LAYOUT
from indexing.logistic import model_of
from indexing.training import (
    FEATURES,
    LabelledArticle,
    Table,
    TrainingOptions,
    blended,
    choose,
    fitted,
    folds,
    held_out,
    held_out_trees,
    tree_scores,
)
from nlmchem.evaluation.bootstrap import intervals
from nlmchem.tagging.inference.term_vectors import TermVectors
from sieves.lexicon.lexicon import Lexicon

OPTIONS = TrainingOptions()
FIRST = 0.03
"""C of the first stage, whose scores further columns use."""
RULED_OUT = 0.02
"""Candidates whose first score is below have no sentences."""
TEXTS = tuple(f"text/pmc-{number}.jsonl.xz" for number in range(4))

Columns = Callable[[Fold], tuple[Floats, Mapping[int, Floats]]]
"""Further columns of the table of a fold, and of its held-out articles by their `id`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", default="positions,words,article,list,journal,sentences,classification")
    parser.add_argument("--blend", action="store_true")
    parser.add_argument("--unlabelled", type=int, default=450, help="articles that words are learnt from")
    parser.add_argument("--seeds", default="0", help="several seeds make several divisions into folds: 0,1,2")
    given = parser.parse_args()
    concepts = Lexicon.open(None)
    articles = read_articles(given.annotated, given.data / "indexing" / "gold.jsonl", concepts)
    background = model_of(models.read(models.DEFAULT)).background
    tables = tables_of(articles, concepts, background)
    gold = {article.key: article.gold for article in articles}
    for seed in given.seeds.split(","):
        prepared = prepare(articles, tables, concepts, background, int(seed))
        learners: dict[str, Learner] = {"alone": Further(None, given.blend)}
        for name in given.rows.split(","):
            learners[name] = learner_of(name, given, articles, prepared)
        chosen = {name: outcome(prepared, learner).chosen for name, learner in learners.items()}
        counts = [strict(gold, of) for of in chosen.values()]
        samples = sampled(counts)
        for number, name in enumerate(chosen):
            score, of_f = micro(counts[number]), intervals(samples[:, number : number + 1])[0][2]
            below = float(np.mean(samples[:, number, 2] < samples[:, 0, 2]))
            print(
                f"seed {seed} {name:16} P {score.precision:.4f} R {score.recall:.4f} F {score.f1:.4f} "
                f"{of_f.low:.4f}-{of_f.high:.4f} terms {score.predicted}, below the first row {below:.3f}",
                flush=True,
            )


def learner_of(
    name: str, given: argparse.Namespace, articles: Sequence[LabelledArticle], prepared: Sequence[Fold]
) -> Learner:
    """The learner of a row. Raises `SystemExit` for an unknown row."""
    if name == "classification":
        return by_classification
    if name == "positions":
        return Further(positions, given.blend)
    if name == "words":
        keys = frozenset(article.key for article in articles)
        texts = [given.data / text for text in TEXTS]
        titles = words.learnt(words.unlabelled(texts, keys, given.unlabelled))
        return Further(same_for_all({id(a): titles.columns(a.found) for a in articles}), given.blend)
    if name in ("article", "list"):
        front = front_vectors(articles)
        return Further(lambda fold: of_articles(fold, front, name), given.blend)
    if name == "journal":
        known = publications(given.annotated)
        return Further(lambda fold: of_publications(fold, known), given.blend)
    if name == "sentences":
        return Further(read_sentences(articles, prepared), given.blend)
    raise SystemExit(f"there is no row {name!r}; see --help")


@dataclass
class Further:
    """The regression with further columns; `blend`: with trees beside it, as in the default."""

    columns: Columns | None
    blend: bool

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
        table, of_held = columns_of(fold.table, FEATURES), {}
        if self.columns is not None:
            own, of_held = self.columns(fold)
            table = replace(table, values=np.hstack([table.values, own]))
        strength, held_scores = choose(table, OPTIONS)
        fit = fitted(table, strength)
        predict = tree_scores(table, OPTIONS) if self.blend else None
        if self.blend:
            held_scores = blended(held_scores, held_out_trees(table, OPTIONS), OPTIONS.share)

        def score(article: LabelledArticle, of_article: Table) -> Scores:
            values = columns_of(of_article, FEATURES).values
            if id(article) in of_held:
                values = np.hstack([values, of_held[id(article)]])
            found = fit.scores(values)
            return fold.scored(article, blended(found, predict(values), OPTIONS.share) if predict else found, True)

        return score, fold.threshold(held_scores, True)


def same_for_all(columns: Mapping[int, Floats]) -> Columns:
    """Columns that are not learnt from index terms."""
    return lambda fold: (np.concatenate([columns[id(article)] for article in fold.rest]), columns)


def positions(fold: Fold) -> tuple[Floats, Mapping[int, Floats]]:
    numbers = [NAMES.index(name) for name in LAYOUT]
    return fold.table.values[:, numbers], {id(a): table.values[:, numbers] for a, table in fold.held}


def first_stage(fold: Fold) -> tuple[Floats, dict[int, Floats]]:
    """Scores of the first stage: held out for the table; for held-out articles by their `id`."""
    table = columns_of(fold.table, FEATURES)
    fit = fitted(table, FIRST)
    of_held = {id(a): fit.scores(columns_of(own, FEATURES).values) for a, own in fold.held}
    return held_out(table, FIRST, replace(OPTIONS, seed=3)), of_held


def odds(scores: Floats) -> Floats:
    clipped = np.clip(scores, 1e-6, 1 - 1e-6)
    found: Floats = np.log(clipped / (1 - clipped))
    return found


def parts(fold: Fold, values: Floats) -> Iterator[tuple[LabelledArticle, Floats]]:
    """The articles of the table with their rows of `values`."""
    begin = 0
    for article in fold.rest:
        end = begin + len(article.found.candidates)
        yield article, values[begin:end]
        begin = end


# -- a stage for articles -----------------------------------------------------------------------


def front_vectors(articles: Sequence[LabelledArticle]) -> dict[int, Floats]:
    """30 components of the TF-IDF of title and abstract of each article, by its `id` (no index terms are used)."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [
        " ".join(text for text, place in zip(a.found.texts, a.found.places, strict=True) if place in (0, 1))
        for a in articles
    ]
    values = TfidfVectorizer(sublinear_tf=True, min_df=3, stop_words="english").fit_transform(texts)
    found = TruncatedSVD(30, random_state=0).fit_transform(values)
    return {id(article): 10 * row for article, row in zip(articles, found, strict=True)}


def of_articles(fold: Fold, front: Mapping[int, Floats], which: str) -> tuple[Floats, dict[int, Floats]]:
    """`article`: log-odds that the article has an index term; `list`: rank and distance to the best score."""
    held_scores, of_held = first_stage(fold)
    if which == "list":
        rows = [listed(own) for _, own in parts(fold, held_scores)]
        return np.concatenate(rows), {key: listed(own) for key, own in of_held.items()}
    inputs = np.array([described(front[id(a)], own) for a, own in parts(fold, held_scores)])
    labels = np.array([bool(article.gold) for article in fold.rest])
    numbers = np.array([len(article.found.candidates) for article in fold.rest])
    table = Table(inputs, labels, np.arange(len(labels)))
    values = odds(held_out(table, FIRST, replace(OPTIONS, seed=5)))
    fit = fitted(table, FIRST)
    found = {
        key: np.full((len(own), 1), odds(fit.scores(described(front[key], own)[None]))[0])
        for key, own in of_held.items()
    }
    return np.repeat(values, numbers)[:, None], found


def described(front: Floats, scores: Floats) -> Floats:
    best = np.concatenate([np.sort(scores)[::-1], np.zeros(2)])
    return np.concatenate([front, odds(best[:2]), [np.log(scores.sum() + 1e-4)]])


def listed(scores: Floats) -> Floats:
    if not len(scores):
        return np.zeros((0, 2))
    rank = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    return np.stack([np.log1p(rank), odds(scores) - odds(scores).max()], axis=1)


# -- journal and year -----------------------------------------------------------------------------


def publications(annotated: Path) -> dict[str, tuple[str, int]]:
    """Journal and year of each article, by its id; an empty name and 0 where the file has none."""
    found: dict[str, tuple[str, int]] = {}
    for document in corpora.read(annotated):
        infons = document.passages[0].infons if document.passages else {}
        year = str(infons.get("year", ""))
        found[str(document.id)] = str(infons.get("journal", "")), int(year) if year.isdecimal() else 0
    return found


def of_publications(fold: Fold, known: Mapping[str, tuple[str, int]]) -> tuple[Floats, dict[int, Floats]]:
    """For candidates of each article: log-odds that other articles of its journal have an index term; its year."""
    having: dict[str, list[int]] = {}
    for article in fold.rest:
        counts = having.setdefault(known[article.key][0], [0, 0])
        counts[0] += bool(article.gold)
        counts[1] += 1
    share = sum(bool(article.gold) for article in fold.rest) / len(fold.rest)

    def row(article: LabelledArticle, own: int) -> Floats:
        journal, year = known[article.key]
        right, number = having.get(journal, (0, 0))
        right, number = right - own * bool(article.gold), number - own
        smoothed = (right + 2 * share) / (number + 2)
        return np.tile([odds(np.array([smoothed]))[0], (year - 2010) / 10], (len(article.found.candidates), 1))

    table = np.concatenate([row(article, 1) for article in fold.rest])
    return table, {id(article): row(article, 0) for article, _ in fold.held}


# -- sentences ----------------------------------------------------------------------------------


def read_sentences(articles: Sequence[LabelledArticle], prepared: Sequence[Fold]) -> Columns:
    """Reads the sentences of all candidates that the regression of their fold does not rule out."""
    first = Regression(FEATURES)
    scores: dict[int, Floats] = {}
    for fold in prepared:
        fit, _ = first.fit(fold)
        scores.update({id(a): fit.scores(columns_of(own, FEATURES).values) for a, own in fold.held})
    wanted = [np.flatnonzero(scores[id(article)] >= RULED_OUT).tolist() for article in articles]
    print(f"{sum(map(len, wanted))} candidates are read", file=sys.stderr, flush=True)
    known = sentences.bags([article.found for article in articles], wanted, TermVectors())
    print(f"{len(known.vectors)} sentences were read", file=sys.stderr, flush=True)
    begins = np.cumsum([0, *(len(article.found.candidates) for article in articles)])
    place = {id(a): np.arange(begins[n], begins[n + 1]) for n, a in enumerate(articles)}
    labels = np.concatenate([article.labels for article in articles]).astype(bool)

    def columns(fold: Fold) -> tuple[Floats, dict[int, Floats]]:
        held_scores, of_held = first_stage(fold)
        offsets = np.zeros(len(labels))
        train = np.concatenate([place[id(article)] for article in fold.rest])
        offsets[train] = odds(held_scores)
        own = np.zeros(len(train))
        groups = np.repeat(np.arange(len(fold.rest)), [len(article.found.candidates) for article in fold.rest])
        for held in folds([str(n) for n in range(len(fold.rest))], OPTIONS.folds, 7):
            mask = np.isin(groups, [int(n) for n in held])
            own[mask] = sentences.scores(known, offsets, labels, train[~mask], train[mask])
        test = np.concatenate([place[key] for key in of_held])
        found = sentences.scores(known, offsets, labels, train, test)
        ends = np.cumsum([len(place[key]) for key in of_held])[:-1]
        return own[:, None], dict(zip(of_held, (part[:, None] for part in np.split(found, ends)), strict=True))

    return columns


if __name__ == "__main__":
    main()
