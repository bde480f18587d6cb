"""Three ways to answer what no other sieve knows: edit distance, character TF-IDF, and the dense fallback.

    python benchmarks/dense_fallback.py --lexicon mesh.sqlite --as-of 2021 \
        --tune ../shared/data/bc5cdr/BC5CDR_TrainDev.PubTator.gz \
        --gold ../shared/data/bc5cdr/BC5CDR_Test.PubTator.gz --gold ../shared/data/nlmchem/bioc

Each is asked alone, behind the cascade without edit distance, and once the dense fallback behind edit distance. Its
threshold is that of the best F by document on the corpora to tune on (of equals the highest), on which nothing is
scored. TF-IDF: 3- to 5-grams of the names' keys, hashed into 2^22 buckets, scikit-learn's TfidfTransformer, cosine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from normalization import Held, Scores, answers, read
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from sieves.cascade import DEFAULT_ORDER
from sieves.dense.fallback import DenseFallback, open_fallback
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.edit_distance import EditDistance
from sieves.normalizer import Normalizer
from sieves.sieve import Article, Candidate

THRESHOLDS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.65, 0.60, 0.55, 0.50)
BUCKETS = 1 << 22
SIZES = (3, 4, 5)
ROWS = 64
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

Nearest = Callable[[Sequence[str]], dict[str, Candidate]]
"""The nearest name of each text with its score, however far it is."""
Resolved = list[tuple[Held, dict[str, Candidate]]]


def grams(texts: Sequence[str]) -> csr_matrix:
    """How often each text has each n-gram; one row a text."""
    codes = np.frombuffer("\n".join((*texts, "")).encode(), dtype=np.uint8)
    line = np.cumsum(codes == ord("\n")) - (codes == ord("\n"))
    columns, rows = [], []
    with np.errstate(over="ignore"):
        rolling = np.zeros(len(codes), dtype=np.uint64)
        for size in range(1, max(SIZES) + 1):
            length = len(codes) - size + 1
            rolling = (rolling[:length] ^ codes[size - 1 :].astype(np.uint64)) * _MULTIPLIER
            if size in SIZES:
                # An n-gram lies within a line where both ends do and its end is no line's end.
                whole = (line[:length] == line[size - 1 :]) & (codes[size - 1 :] != ord("\n"))
                columns.append(((rolling[whole] >> np.uint64(32)) % np.uint64(BUCKETS)).astype(np.int32))
                rows.append(line[:length][whole].astype(np.int32))
    column, row = np.concatenate(columns), np.concatenate(rows)
    return csr_matrix((np.ones(len(row), dtype=np.float32), (row, column)), shape=(len(texts), BUCKETS))


class TfIdf:
    """The nearest key of a lexicon by the cosine of TF-IDF vectors; of equals the first in the alphabet."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._keys = list(lexicon.keys())
        self._weigh = TfidfTransformer()
        self._names = self._weigh.fit_transform(grams(self._keys)).T.tocsr()

    def __call__(self, texts: Sequence[str]) -> dict[str, Candidate]:
        found = {}
        vectors = self._weigh.transform(grams([relaxed(text).replace("\n", " ") for text in texts]))
        for start in range(0, len(texts), ROWS):
            scores: NDArray[np.float32] = (vectors[start : start + ROWS] @ self._names).toarray()
            for text, row in zip(texts[start : start + ROWS], scores, strict=True):
                at = int(row.argmax())
                for match in self._lexicon.with_key(self._keys[at])[:1]:
                    found[text] = Candidate(match.identifiers, "tf-idf", match.name, score=float(row[at]))
        return found


def edit(lexicon: Lexicon) -> Nearest:
    """Edit distance as the cascade has it: 90% at least, within its blocks."""
    sieve = EditDistance("edit", lexicon)

    def nearest(texts: Sequence[str]) -> dict[str, Candidate]:
        found = {text: sieve(text, Article(), lambda text, whole=False: None) for text in texts}
        return {text: candidates[0] for text, candidates in found.items() if candidates}

    return nearest


def dense(fallback: DenseFallback) -> Nearest:
    def nearest(texts: Sequence[str]) -> dict[str, Candidate]:
        found = {text: fallback.nearest(text, 1) for text in texts}
        return {text: candidates[0] for text, candidates in found.items() if candidates}

    return nearest


def resolved(articles: Sequence[Held], normalizer: Normalizer) -> Resolved:
    return list(zip(articles, answers(articles, normalizer), strict=True))


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


def report(method: str, nearest: Nearest, tuning: Resolved, known: Mapping[str, Resolved]) -> None:
    near = nearest(unresolved(tuning))
    # Above every score, that is without the fallback, is a choice, too.
    best = max((2.0, *THRESHOLDS), key=lambda threshold: (measured(tuning, near, threshold)[2].f1, threshold))
    for threshold in THRESHOLDS:
        print(line(method, "tuned on", threshold, "*" if threshold == best else "", tuning, near))
    print(f"{method}\tchosen\t{'off' if best > 1 else format(best, '.2f')}", flush=True)
    for name, corpus in known.items():
        near = nearest(unresolved(corpus))
        for threshold in (2.0, *THRESHOLDS):
            print(line(method, Path(name).name, threshold, "*" if threshold == best else "", corpus, near), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon", type=Path, help="a lexicon in place of the default one")
    parser.add_argument("--as-of", type=int)
    parser.add_argument("--tune", action="append", required=True)
    parser.add_argument("--gold", action="append", required=True)
    parser.add_argument("--dense", help="An encoder; the embedded one if left out.")
    options = parser.parse_args()
    tuning, gold = read(options.tune), {name: read([name]) for name in options.gold}
    with Lexicon.open(options.lexicon, options.as_of) as lexicon:
        before = Normalizer(lexicon, [name for name in DEFAULT_ORDER if name != "edit"])
        tuned, known = resolved(tuning, before), {name: resolved(held, before) for name, held in gold.items()}
        fallback = dense(open_fallback(lexicon, options.lexicon, options.dense))
        print("method\tcorpus\tleast score\tanswered\tright\tF\tmention accuracy")
        report("edit", edit(lexicon), tuned, known)
        report("dense", fallback, tuned, known)
        behind = Normalizer(lexicon)
        report("dense behind edit", fallback, resolved(tuning, behind),
               {name: resolved(held, behind) for name, held in gold.items()})  # fmt: skip
        report("tf-idf", TfIdf(lexicon), tuned, known)
    return 0


if __name__ == "__main__":
    sys.exit(main())
