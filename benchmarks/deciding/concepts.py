"""Would a decision about each concept of an article raise the F of identifiers? Nested cross-validation by article.

    python benchmarks/deciding/concepts.py RECORDS FOLDER --cross open
    python benchmarks/deciding/concepts.py RECORDS FOLDER --cross open --test OTHER/bc5cdr-test.jsonl.gz \\
        --model nlmchem/deciding/default.json

Every identifier that the mentions of an article get (after the decision of its fold, FOLDER as of `learnt.py
--folds-out`) becomes one row: the probabilities, number and sections of its mentions, the sieve, the branches, the
ambiguity, the other concepts of the article. Logistic regression and boosted trees learn whether the article has it in
the gold standard; identifiers below a threshold are dropped. The threshold is chosen inside the training articles.
`--test`: records of other corpora, decided by `--model`; a model of all articles of `--cross` is used there.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from identifier_errors import stand
from numpy.typing import NDArray
from scoring import Record, Tally, bootstrap, f1, id_tally, read
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corpora.model.document import Mention, mentions
from corpora.model.mesh_ids import mesh_ids
from nlmchem.abbreviations.ab3p.words import word_counts
from nlmchem.deciding.decision import Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.meanings import TRUSTED
from nlmchem.deciding.trees import read_trees
from sieves.article.context import is_short_form
from sieves.cascade import Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.kinds import CHEMICAL_KIND, kind_of
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer, article_of
from sieves.registry import DEFAULT_ORDER
from sieves.sieve import Article

Floats = NDArray[np.float64]
THRESHOLDS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
OTHER_KINDS = ("protein", "enzyme", "nucleic acid")
MODELS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=2000)),
    "40 trees of 5 leaves": lambda: _boosted(40, 5),
    "60 trees of 7 leaves": lambda: _boosted(60, 7),
}


@dataclass(slots=True)
class Concepts:
    """The identifiers of one article: features (identifiers x features), which are gold; the number of gold ones."""

    values: Floats
    right: NDArray[np.bool_]
    gold: int

    def tally(self, kept: NDArray[np.bool_]) -> Tally:
        return int(self.right[kept].sum()), int(kept.sum()), self.gold


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cross", default="open")
    parser.add_argument("--test", type=Path, nargs="*", default=[])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--divisions", type=int, default=3)
    given = parser.parse_args()
    lexicon = Lexicon.open(None, 2021)
    own = list(
        concepts_of(given.records / f"{given.cross}.jsonl.gz", sorted(given.folder.glob("fold-*.json")), lexicon)
    )
    tests = {
        path.name.removesuffix(".jsonl.gz"): list(concepts_of(path, [given.model], lexicon)) for path in given.test
    }
    base = _everything(own)
    right, number = (sum(tally[at] for tally in base) for at in (0, 1))
    print(f"{given.cross}\tall identifiers\t{f1(base)[2]:.4f}\t{right} right of {number}")
    for name, make in MODELS.items():
        for division in range(given.divisions):
            found = crossed(own, make, division)
            print(given.cross, name, f"division {division}", *_difference(base, found), sep="\t", flush=True)
        threshold, model = _best_threshold(own, make), _fitted(own, make)
        for test, articles in tests.items():
            found = [one.tally(_probabilities(model, one) >= threshold) for one in articles]
            print(
                test, name, f"threshold {threshold:g}", *_difference(_everything(articles), found), sep="\t", flush=True
            )


def concepts_of(path: Path, models: Sequence[Path], lexicon: Lexicon) -> Any:
    """The concepts of each article of a file of records."""
    decisions = [Decision(lexicon.undated(), read_trees(model, FEATURES)) for model in models]
    normalizer, cascade = Normalizer(lexicon), Cascade(lexicon)
    for at, record in enumerate(read(path)):
        passages = record.copy()
        stand(passages, decisions[at % len(decisions)].consider(record.document, passages))
        scores = {
            (passage.offset + span.start, passage.offset + span.end): span.score
            for passage, held in zip(record.document.passages, passages, strict=True)
            for span in held.spans
        }
        id_tally(record, passages, normalizer)
        yield _concepts(record, scores, lexicon, cascade)


def _concepts(record: Record, scores: dict[tuple[int, int], float], lexicon: Lexicon, cascade: Cascade) -> Concepts:
    groups: dict[str, list[Mention]] = {}
    for mention in mentions(record.document):
        for one in mesh_ids(mention.identifiers):
            groups.setdefault(one, []).append(mention)
    article = article_of(record.document)
    sections = {id(p): s or "" for p, s in zip(record.document.passages, record.sections, strict=True)}
    trees = {one: lexicon.trees(one) for one in groups}
    mean = float(np.mean(list(scores.values()))) if scores else 0.0
    rows = []
    for one, held in sorted(groups.items()):
        probabilities = [scores[mention.spans[0]] for mention in held]
        others = [number for other, numbers in trees.items() if other != one for number in numbers]
        rows.append(
            [
                *_of_mentions(held, probabilities, [sections[id(mention.passage)] for mention in held]),
                *_of_name(held[int(np.argmax(probabilities))], article, cascade),
                *_of_concept(one, trees[one], others),
                math.log1p(len(groups)),
                mean,
            ]
        )
    right = np.array([one in record.ids for one in sorted(groups)], dtype=bool)
    return Concepts(np.array(rows, dtype=float), right, len(record.ids))


def _of_mentions(held: Sequence[Mention], probabilities: Sequence[float], sections: Sequence[str]) -> list[float]:
    return [
        math.log1p(len(held)),
        max(probabilities),
        min(probabilities),
        float(np.mean(probabilities)),
        1 - float(np.prod([1 - one for one in probabilities])),
        float(len({id(mention.passage) for mention in held})),
        float(len({mention.text for mention in held})),
        *(float(sum(section == name for section in sections)) for name in ("TITLE", "ABSTRACT", "METHODS", "FIG")),
    ]


def _of_name(mention: Mention, article: Article, cascade: Cascade) -> list[float]:
    """Of the surest mention."""
    text = tidy(mention.text)
    answers = cascade.candidates(text, article)
    sieve = answers[0].sieve if answers else ""
    return [
        float(sieve in TRUSTED),
        float(DEFAULT_ORDER.index(sieve) if sieve else len(DEFAULT_ORDER)),
        float(answers[0].score or 1.0) if answers else 0.0,
        float(len(answers)),
        float(len(mention.identifiers)),
        float(is_short_form(text)),
        float(text in article.definitions),
        math.log(len(text)),
        math.log1p(word_counts().get(text.lower(), 0)) if text.isalpha() and not text.isupper() else 0.0,
    ]


def _of_concept(one: str, numbers: Sequence[str], others: Sequence[str]) -> list[float]:
    kind = kind_of(tuple(numbers)) if numbers else ""
    return [
        float(kind == CHEMICAL_KIND),
        float(kind in OTHER_KINDS),
        float(kind not in ("", CHEMICAL_KIND, *OTHER_KINDS)),
        float(one.startswith("MESH:C")),
        float(min((number.count(".") + 1 for number in numbers), default=0)),
        float(len(numbers)),
        float(any(own.startswith(f"{other}.") for own in numbers for other in others)),
        float(any(other.startswith(f"{own}.") for own in numbers for other in others)),
    ]


def crossed(own: Sequence[Concepts], make: Callable[[], Any], division: int) -> list[Tally]:
    """The tallies of all articles, each by a model and a threshold of the other folds."""
    order = np.arange(len(own)) if division == 0 else np.random.default_rng(division).permutation(len(own))
    found: dict[int, Tally] = {}
    for fold in range(5):
        train = [own[at] for at in order[np.arange(len(own)) % 5 != fold]]
        threshold, model = _best_threshold(train, make), _fitted(train, make)
        for at in order[np.arange(len(own)) % 5 == fold]:
            found[int(at)] = own[at].tally(_probabilities(model, own[at]) >= threshold)
    return [found[at] for at in range(len(own))]


def _best_threshold(articles: Sequence[Concepts], make: Callable[[], Any]) -> float:
    """By cross-validation in four folds inside these articles."""
    sums: dict[float, list[Tally]] = {threshold: [] for threshold in THRESHOLDS}
    for fold in range(4):
        model = _fitted([one for at, one in enumerate(articles) if at % 4 != fold], make)
        for one in articles[fold::4]:
            probabilities = _probabilities(model, one)
            for threshold in THRESHOLDS:
                sums[threshold].append(one.tally(probabilities >= threshold))
    return max(THRESHOLDS, key=lambda threshold: (f1(sums[threshold])[2], -threshold))


def _boosted(trees: int, leaves: int) -> Any:
    return HistGradientBoostingClassifier(
        max_iter=trees, learning_rate=0.1, max_leaf_nodes=leaves, min_samples_leaf=20, l2_regularization=5.0,
        early_stopping=False, random_state=0,
    )  # fmt: skip


def _fitted(articles: Sequence[Concepts], make: Callable[[], Any]) -> Any:
    held = [one for one in articles if len(one.right)]
    return make().fit(np.concatenate([one.values for one in held]), np.concatenate([one.right for one in held]))


def _probabilities(model: Any, one: Concepts) -> Floats:
    found: Floats = model.predict_proba(one.values)[:, 1] if len(one.right) else np.zeros(0)
    return found


def _everything(articles: Sequence[Concepts]) -> list[Tally]:
    return [one.tally(np.ones(len(one.right), dtype=bool)) for one in articles]


def _difference(base: Sequence[Tally], found: Sequence[Tally]) -> tuple[str, ...]:
    low, high, p = bootstrap(base, found)
    one, other = f1(base)[2], f1(found)[2]
    return f"{one:.4f}", f"{other:.4f}", f"{other - one:+.4f}", f"[{low:+.4f}, {high:+.4f}] p {p:.3f}"


if __name__ == "__main__":
    main()
