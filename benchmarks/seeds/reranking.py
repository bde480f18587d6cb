"""Dense candidates re-ranked in the context of their article, for mentions that no sieve answers (team 143).

    python -m benchmarks.seeds.reranking --data ../shared/data

Candidates: the ten nearest concepts of a mention, and of its long forms, by the embedded n-gram encoder. A logistic
regression scores them by their names (cosine, distance to the nearest, edit distance, same digits), and by their
context: other identified concepts of the article and their neighbours in the tree, words of the sentences that are in
names of the concept, articles of the training part with this concept. It is trained on the training and development
parts of BC5CDR and BioRED without the articles of the test parts. The least score that counts (`*`) is that of the best
F on these articles by five-fold cross-validation; of equals the highest.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import corpora
from corpora.model.document import mentions
from corpora.model.mesh_ids import mesh_ids
from corpora.model.passages import passage_text
from nlmchem.abbreviations.article.stage import AbbreviationStage
from nlmchem.tagging.tokenization.sentences import sentences
from sieves.dense.encoders import open_encoder
from sieves.dense.vectors import NameVectors
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer, article_of
from sieves.sieve import Article

TRAINING = ("bc5cdr/BC5CDR_TrainDev.PubTator.gz", "biored/BioRED_TrainDev.PubTator.gz")
TEST = {"NLM-Chem, 30": "nlmchem/bioc", "BC5CDR test": "bc5cdr/BC5CDR_Test.PubTator.gz"}
FOLDS = 5
CANDIDATES = 10
KEYS = 40
THRESHOLDS = tuple(np.arange(0.95, 0.04, -0.05).round(2))
NAMES = ("cosine", "behind the nearest", "rank", "edit", "digits", "begin", "letters", "short", "supplementary")
CONTEXT = ("identified", "neighbour", "siblings", "words", "seen", "by long form")
WORD = re.compile(r"[^\W\d_]{3,}")

Choice = tuple[tuple[str, ...], float]
"""Identifiers and the score of the best candidate."""


@dataclass(slots=True)
class Told:
    """An article: gold mentions, the answers of the sieves, and the words of the sentences of each mention."""

    id: str
    article: Article
    gold: list[tuple[str, frozenset[str]]]
    words: dict[str, set[str]]
    found: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def open(self) -> list[str]:
        """The mentions that no sieve answers."""
        return sorted({text for text, _ in self.gold if text not in self.found and relaxed(text).isalnum()})


@dataclass(slots=True)
class Row:
    """A candidate of a mention: its identifiers and features, and whether it is right."""

    article: int
    text: str
    identifiers: tuple[str, ...]
    name: str
    features: list[float]
    right: bool


def read(path: Path, left_out: frozenset[str] = frozenset()) -> list[Told]:
    told = []
    for document in corpora.read([str(path)]):
        if str(document.id) in left_out:
            continue
        AbbreviationStage()([document])
        gold, words = [], {}
        places = [
            (
                passage.offset + start,
                passage.offset + end,
                set(WORD.findall(passage_text(passage)[start:end].casefold())),
            )
            for passage in document.passages
            for start, end in sentences(passage_text(passage))
        ]
        for mention in mentions(document):
            text = tidy(mention.text)
            gold.append((text, frozenset(mesh_ids(mention.identifiers))))
            first = mention.spans[0][0]
            for start, end, own in places:
                if start <= first < end:
                    words.setdefault(text, set()).update(own)
        told.append(Told(str(document.id), article_of(document), gold, words))
    return told


class Candidates:
    """The nearest concepts of texts with the features of their names and their context."""

    def __init__(self, lexicon: Lexicon, seen: Mapping[str, set[str]]) -> None:
        self._lexicon, self._seen = lexicon, seen
        self._encoder = open_encoder()
        self._vectors = NameVectors.of(lexicon, None, self._encoder)
        self._names: dict[str, list[tuple[tuple[str, ...], str, float]]] = {}

    def rows(self, articles: Sequence[Told]) -> list[Row]:
        asked = {(at, text): [text, *told.article.definitions.get(text, ())] for at, told in enumerate(articles)
                 for text in told.open}  # fmt: skip
        self._find(sorted({form for forms in asked.values() for form in forms}))
        found = []
        for (at, text), forms in asked.items():
            own = [row for form in forms for row in self._rows(at, articles[at], text, form)]
            own.sort(key=lambda row: (-row.features[0], row.identifiers))
            kept = list({row.identifiers: row for row in reversed(own)}.values())[::-1]
            kept.sort(key=lambda row: (-row.features[0], row.identifiers))
            for rank, row in enumerate(kept[:CANDIDATES]):
                row.features[1:3] = [kept[0].features[0] - row.features[0], 1.0 / (1 + rank)]
                found.append(row)
        return found

    def _find(self, texts: Sequence[str]) -> None:
        for text, near in zip(texts, self._vectors.ranked(self._encoder.encode(texts), KEYS), strict=True):
            best: dict[tuple[str, ...], tuple[str, float]] = {}
            for one in near:
                for match in self._lexicon.with_key(one.key)[:1]:
                    best.setdefault(match.identifiers, (match.name, one.cosine))
            self._names[text] = [(ids, *rest) for ids, rest in list(best.items())[:CANDIDATES]]

    def _rows(self, at: int, told: Told, text: str, form: str) -> list[Row]:
        gold = dict(told.gold)
        around = {id for ids in told.found.values() for id in ids}
        above = {parent for id in around for parent in self._lexicon.parents(id)}
        return [
            Row(at, text, ids, name, [
                cosine, 0.0, 0.0, *self._of_names(form, name, ids),
                *self._of_context(told, text, name, ids, around, above),
                float(form != text),
            ], frozenset(mesh_ids(ids)) == gold[text])
            for ids, name, cosine in self._names[form]
        ]  # fmt: skip

    def _of_names(self, form: str, name: str, ids: Sequence[str]) -> list[float]:
        one, other = relaxed(form), relaxed(name)
        digits = re.sub(r"\D", "", one) == re.sub(r"\D", "", other)
        return [
            Indel.normalized_similarity(one, other), float(digits), float(one[:3] == other[:3]), np.log(len(one)),
            float(len(form) < 7 and form.upper() == form), float(all(":C" in id for id in ids)),
        ]  # fmt: skip

    def _of_context(
        self, told: Told, text: str, name: str, ids: Sequence[str], around: set[str], above: set[str]
    ) -> list[float]:
        own = set(mesh_ids(ids))
        parents = {parent for id in ids for parent in self._lexicon.parents(id)}
        # Words of the name that the mention lacks, and that its sentences have.
        further = set(WORD.findall(name.casefold())) - set(WORD.findall(text.casefold()))
        shared = further & told.words.get(text, set())
        seen = len(set.union(set(), *(self._seen.get(id, set()) for id in own)) - {told.id})
        return [
            float(bool(own & around)), float(bool(parents & around or own & above)), float(bool(parents & above)),
            float(len(shared)), np.log1p(seen),
        ]  # fmt: skip


def best(rows: Sequence[Row], scores: NDArray[np.float64]) -> dict[tuple[int, str], Choice]:
    chosen: dict[tuple[int, str], Choice] = {}
    for row, score in zip(rows, scores.tolist(), strict=True):
        if (row.article, row.text) not in chosen or score > chosen[row.article, row.text][1]:
            chosen[row.article, row.text] = row.identifiers, score
    return chosen


def measured(
    articles: Sequence[Told], chosen: Mapping[tuple[int, str], Choice], least: float
) -> tuple[int, int, float, float]:
    """Mentions that are answered, those of them that are right, F by article, and accuracy by mention."""
    answered = right = correct = total = tp = fp = fn = 0
    for at, told in enumerate(articles):
        given: set[str] = set()
        wanted = {id for _, ids in told.gold for id in ids}
        for text, ids in told.gold:
            answer = told.found.get(text)
            if answer is None and chosen.get((at, text), ((), -1.0))[1] >= least:
                answer = frozenset(mesh_ids(chosen[at, text][0]))
                answered, right = answered + 1, right + (answer == ids)
            given |= answer or frozenset()
            correct, total = correct + ((answer or frozenset()) == ids), total + 1
        tp, fp, fn = tp + len(wanted & given), fp + len(given - wanted), fn + len(wanted - given)
    return answered, right, 2 * tp / (2 * tp + fp + fn), correct / total


Learn = Callable[[Sequence[Row]], Callable[[Sequence[Row]], NDArray[np.float64]]]


def regression(columns: Sequence[int]) -> Learn:
    def learn(rows: Sequence[Row]) -> Callable[[Sequence[Row]], NDArray[np.float64]]:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000))
        model.fit(np.array([row.features for row in rows])[:, columns], [row.right for row in rows])
        return lambda rows: model.predict_proba(np.array([row.features for row in rows])[:, columns])[:, 1]

    return learn


def single(column: int) -> Learn:
    return lambda _: lambda rows: np.array([row.features[column] for row in rows])


def report(way: str, learn: Learn, training: Sequence[Told], rows: Sequence[Row],
           tests: Mapping[str, tuple[Sequence[Told], Sequence[Row]]]) -> None:  # fmt: skip
    scores = np.zeros(len(rows))
    fold = np.array([row.article % FOLDS for row in rows])
    for number in range(FOLDS):
        kept = [row for row, own in zip(rows, fold, strict=True) if own != number]
        scores[fold == number] = learn(kept)([row for row, own in zip(rows, fold, strict=True) if own == number])
    chosen = best(rows, scores)
    least = max((2.0, *THRESHOLDS), key=lambda one: (measured(training, chosen, one)[2], one))
    show(way, "trained on, folds", least, measured(training, chosen, least))
    final = learn(rows)
    for name, (articles, own) in tests.items():
        chosen = best(own, final(own))
        for one in sorted({least, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4}, reverse=True):
            show(way, name, one, measured(articles, chosen, one), "*" if one == least else "")


def show(way: str, name: str, least: float, found: tuple[int, int, float, float], mark: str = "") -> None:
    score = "without" if least > 1 else f"{least:.2f}"
    print(f"{way}\t{name}\t{score}{mark}\t{found[0]}\t{found[1]}\t{found[2]:.4f}\t{found[3]:.4f}", flush=True)


def reach(name: str, rows: Sequence[Row]) -> None:
    """How many mentions have the right concept first and among all candidates, by cosine."""
    asked = {(row.article, row.text) for row in rows}
    among = {(row.article, row.text) for row in rows if row.right}
    first = {(row.article, row.text) for row in rows if row.right and row.features[2] == 1.0}
    print(f"{name}: {len(asked)} mentions without answer (distinct by article), right concept first for {len(first)}, "
          f"among {CANDIDATES} for {len(among)}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    tests = {name: read(given.data / path) for name, path in TEST.items()}
    left_out = frozenset(told.id for articles in tests.values() for told in articles)
    training = [told for path in TRAINING for told in read(given.data / path, left_out)]
    seen: dict[str, set[str]] = {}
    for told in training:
        for _, ids in told.gold:
            for id in ids:
                seen.setdefault(id, set()).add(told.id)
    with Lexicon.open(None, 2021) as lexicon:
        normalizer = Normalizer(lexicon)
        for told in (*training, *(told for articles in tests.values() for told in articles)):
            answers = normalizer.answers({text for text, _ in told.gold}, told.article)
            told.found = {text: frozenset(mesh_ids(one.identifiers)) for text, one in answers.items()}
        candidates = Candidates(lexicon, seen)
        rows = candidates.rows(training)
        asked = {name: (articles, candidates.rows(articles)) for name, articles in tests.items()}
    reach("training", rows)
    for name, (_, own) in asked.items():
        reach(name, own)
    print("method\tcorpus\tleast score\tanswered\tright\tF\tmention accuracy")
    names = len(NAMES)
    ways = {
        "cosine": single(0),
        "names": regression(range(names)),
        "names and context": regression(range(names + len(CONTEXT))),
    }
    for way, learn in ways.items():
        report(way, learn, training, rows, asked)


if __name__ == "__main__":
    main()
