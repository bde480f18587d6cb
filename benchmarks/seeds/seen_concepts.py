"""Linking as classification over the concepts seen in training: TF-IDF of character n-grams, nearest centroid.

    python -m benchmarks.seeds.seen_concepts --data ../shared/data

After team 157 of the NLM-Chem track. The classes are the identifiers of the mentions in the training and development
articles of NLM-Chem and of BC5CDR (several identifiers of one mention are one class); the examples are their distinct
names. A class is the mean of the TF-IDF vectors (2- to 5-grams of the spelled name) of its names. Measured on the 30
open articles of NLM-Chem and on the test part of BC5CDR: alone, behind exact lookup, and behind all sieves. `*` marks
the threshold with the best F on the training and development parts of BioRED, on which nothing is scored. Time: 5
minutes.
"""

from __future__ import annotations

import argparse
import tarfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

import corpora
from benchmarks.scores.identifiers import Held, Scores, answers, read
from corpora.model.document import mentions
from corpora.model.mesh_ids import mesh_ids
from sieves.dense.ngrams import spelled
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer
from sieves.sieve import Candidate

ROWS = 256
THRESHOLDS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.65, 0.60, 0.55, 0.50)

Resolved = list[tuple[Held, dict[str, Candidate]]]
"""Articles with the answers of the sieves."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    data: Path = given.data
    begun = time.process_time()
    model = Centroids(
        [*nlmchem(data / "nlmchem/traindev-mentions.tar.gz"), *annotated(data / "bc5cdr/BC5CDR_TrainDev.PubTator.gz")]
    )
    print(f"{len(model.classes)} classes, {model.matrix.nnz} weights, {time.process_time() - begun:.1f} s of training")
    tuning = read([str(data / "biored/BioRED_TrainDev.PubTator.gz")])
    gold = {
        name: read([str(data / path)])
        for name, path in (("NLM-Chem", "nlmchem/bioc"), ("BC5CDR test", "bc5cdr/BC5CDR_Test.PubTator.gz"))
    }
    with Lexicon.open(None, 2021) as lexicon:
        sieves = Normalizer(lexicon)
        exact = Normalizer(lexicon, ["defined", "exact", "folded"], context=False)
        ways = {"alone": None, "behind exact lookup": exact, "behind all sieves": sieves}
        print("method\tcorpus\tleast score\tanswered\tright\tF\tmention accuracy")
        for way, before in ways.items():

            def known(held: Sequence, before: Normalizer | None = before) -> Resolved:
                return (
                    [(one, {}) for one in held]
                    if before is None
                    else list(zip(held, answers(held, before), strict=True))
                )

            report(way, model, known(tuning), {name: known(held) for name, held in gold.items()})


def measured(known: Resolved, near: Mapping[str, Candidate], threshold: float) -> tuple[int, int, Scores]:
    """Mentions that the fallback answers, those of them that are right, and the scores with it."""
    answered = right = 0
    scores = Scores()
    for (_, _, gold), found in known:
        wanted = {id for _, ids in gold for id in ids}
        given: set[str] = set()
        for text, ids in gold:
            answer = found.get(text)
            if answer is None and text in near and (near[text].score or 0.0) >= threshold:
                answer = near[text]
                answered += 1
                right += frozenset(answer.identifiers) == ids
            given.update(answer.identifiers if answer else ())
            scores.right += frozenset(answer.identifiers if answer else ()) == ids
        scores.mentions += len(gold)
        scores.tp, scores.fp, scores.fn = (
            scores.tp + len(wanted & given), scores.fp + len(given - wanted), scores.fn + len(wanted - given),
        )  # fmt: skip
    return answered, right, scores


def unresolved(known: Resolved) -> list[str]:
    texts = {text for (_, _, gold), found in known for text, _ in gold if text not in found}
    return sorted(text for text in texts if relaxed(text).isalnum())


def line(method: str, corpus: str, threshold: float, mark: str, known: Resolved, near: Mapping[str, Candidate]) -> str:
    answered, right, scores = measured(known, near, threshold)
    accuracy = scores.right / scores.mentions
    least = "without" if threshold > 1 else f"{threshold:.2f}"
    return f"{method}\t{corpus}\t{least}{mark}\t{answered}\t{right}\t{scores.f1:.4f}\t{accuracy:.4f}"


def report(method: str, nearest: Centroids, tuning: Resolved, known: Mapping[str, Resolved]) -> None:
    near = nearest(unresolved(tuning))
    # Above every score, that is without the fallback, is a choice, too.
    best = max((2.0, *THRESHOLDS), key=lambda threshold: (measured(tuning, near, threshold)[2].f1, threshold))
    for threshold in THRESHOLDS:
        print(line(method, "BioRED", threshold, "*" if threshold == best else "", tuning, near), flush=True)
    for name, corpus in known.items():
        near = nearest(unresolved(corpus))
        for threshold in (2.0, *THRESHOLDS):
            print(line(method, name, threshold, "*" if threshold == best else "", corpus, near), flush=True)


class Centroids:
    """The nearest class of each text, with the cosine."""

    def __init__(self, examples: Iterable[tuple[str, str]]) -> None:
        pairs = sorted({(tidy(text), ids) for text, ids in examples if text and ids})
        self.classes = sorted({ids for _, ids in pairs})
        place = {ids: at for at, ids in enumerate(self.classes)}
        self._vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 5), sublinear_tf=True, dtype=np.float32)
        names = self._vectorizer.fit_transform([spelled(text) for text, _ in pairs])
        rows = [place[ids] for _, ids in pairs]
        members = csr_matrix((np.ones(len(rows), np.float32), (rows, range(len(rows)))), (len(place), len(rows)))
        sums = members @ names
        norms = np.sqrt(np.asarray(sums.multiply(sums).sum(1))).ravel()
        self.matrix = csr_matrix(sums.multiply(1 / norms[:, None]))

    def __call__(self, texts: Sequence[str]) -> dict[str, Candidate]:
        found = {}
        for at in range(0, len(texts), ROWS):
            part = texts[at : at + ROWS]
            scores = (self._vectorizer.transform([spelled(text) for text in part]) @ self.matrix.T).toarray()
            for text, row in zip(part, scores, strict=True):
                best = int(row.argmax())
                found[text] = Candidate(tuple(self.classes[best].split(",")), "seen", "", score=float(row[best]))
        return found


def nlmchem(archive: Path) -> Iterator[tuple[str, str]]:
    """(mention, identifiers) of the training and development articles."""
    with tarfile.open(archive) as members:
        for member in members:
            stream = members.extractfile(member)
            if stream is not None and member.name.endswith(".concept"):
                for line in stream.read().decode("utf-8").splitlines():
                    _, _, _, text, ids = line.split("||")[:5]
                    yield text, ",".join(sorted(set(mesh_ids(ids.split(",")))))


def annotated(path: Path) -> Iterator[tuple[str, str]]:
    """(mention, identifiers) of a corpus."""
    for document in corpora.read([str(path)]):
        for mention in mentions(document):
            yield mention.text, ",".join(sorted(set(mesh_ids(mention.identifiers))))


if __name__ == "__main__":
    main()
