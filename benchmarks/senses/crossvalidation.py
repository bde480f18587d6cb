"""Cross-validates the disambiguation on a corpus of sentences: five folds by sample. Measured only; nothing ships.

    python benchmarks/senses/crossvalidation.py --data ../shared/data --corpus sciad [--minilm FOLDER]

The features of a sample come from the sentences of other folds: how often each sense occurs there, and how near they
are (TF-IDF, word vectors of the embedded dictionary, MiniLM), and from the long form and the sentence. The training
samples get theirs in the same way from the other training folds. Rows: most frequent sense, logistic regression and
boosted trees over all features, and the mean of their probabilities.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.senses.resolver import open_resolver
from nlmchem.abbreviations.senses.words import counts_of

sys.path.insert(0, str(Path(__file__).parent))
from problems import CORPORA, HEADER, Problem, best, context, load, row, tables

Floats = NDArray[np.float64]

FOLDS = 5
NEAREST = 3


def main() -> None:
    given = parsed()
    resolver = open_resolver()
    [problem] = load(given.data, [given.corpus], resolver)
    texts = [context(sample) for sample in problem.samples]
    spaces = [tfidf(texts), word_vectors(texts, resolver)]
    longs: list[Floats | None] = [None if one is None else one.senses for one in tables(problem, resolver)]
    if given.minilm:
        from minilm import Encoder

        encoder = Encoder(given.minilm)
        spaces.append(encoder.encode([" ".join(sample.tokens) for sample in problem.samples]))
        longs = with_cosines(problem, longs, spaces[-1], encoder)
    fold = np.random.default_rng(0).integers(0, FOLDS, len(texts))
    rows: dict[str, list[Any]] = defaultdict(lambda: [None] * len(texts))
    for number in range(FOLDS):
        train, test = np.nonzero(fold != number)[0], np.nonzero(fold == number)[0]
        seen = {index: features(problem, longs, spaces, index, train[fold[train] != fold[index]]) for index in train}
        asked = {index: features(problem, longs, spaces, index, train) for index in test}
        for name, scores in fitted(problem, seen, asked).items():
            for index, own in scores.items():
                rows[name][index] = own
        print(f"fold {number + 1} of {FOLDS}", file=sys.stderr, flush=True)
    print("\t".join(HEADER))
    for name, found in rows.items():
        print(row(problem.name, name, problem.score(best(found), given.draws)), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has acronyms/")
    parser.add_argument("--corpus", choices=CORPORA, default="sciad", help="the corpus")
    parser.add_argument("--draws", type=int, default=300, help="bootstrap samples")
    parser.add_argument("--minilm", type=Path, help="a local folder of all-MiniLM-L6-v2")
    return parser.parse_args()


def tfidf(texts: Sequence[str]) -> Any:
    """Sparse vectors of unit length."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)).fit_transform(texts)


def word_vectors(texts: Sequence[str], resolver: Any) -> Floats:
    """The vectors of the embedded dictionary."""
    found = [resolver._background.query(counts_of([text])).vector for text in texts]
    return np.array(found, dtype=np.float64)


def with_cosines(
    problem: Problem, longs: Sequence[Floats | None], sentences: Floats, encoder: Any
) -> list[Floats | None]:
    """The features of long forms with the cosine of sentence and long form."""
    names = sorted({one.long_form for own in problem.candidates for one in own})
    place = {long: number for number, long in enumerate(names)}
    vectors = encoder.encode(names)
    found: list[Floats | None] = []
    for own, features, sentence in zip(problem.candidates, longs, sentences, strict=True):
        if features is None:
            found.append(None)
        else:
            found.append(np.column_stack([features, vectors[[place[one.long_form] for one in own]] @ sentence]))
    return found


def features(
    problem: Problem, longs: Sequence[Floats | None], spaces: Sequence[Any], index: int, reference: NDArray[np.int64]
) -> Floats | None:
    """(candidates, features) of a sample. `reference`: the samples whose senses are known."""
    if longs[index] is None:
        return None
    by_sense = _senses(problem, reference)[problem.samples[index].short_form]
    candidates = problem.candidates_of(index)
    counts = np.array([len(by_sense.get(one.long_form, ())) for one in candidates], dtype=np.float64)
    columns = [np.log1p(counts), counts / max(1.0, counts.sum()), counts == 0, np.arange(len(candidates)) == 0]
    for space in spaces:
        values = np.zeros((len(candidates), 3))
        for number, one in enumerate(candidates):
            own = by_sense.get(one.long_form)
            if own:
                near = space[own] @ space[index].T
                cosines = np.sort(np.asarray(near.todense()).ravel() if hasattr(near, "todense") else near)[::-1]
                values[number] = cosines[0], cosines[:NEAREST].mean(), cosines.mean()
        columns += list(values.T)
        columns += list((values - values.max(axis=0)).T)
    return np.column_stack([*columns, longs[index]])


_KNOWN: dict[bytes, dict[str, dict[str, list[int]]]] = {}


def _senses(problem: Problem, reference: NDArray[np.int64]) -> dict[str, dict[str, list[int]]]:
    """For each short form, the reference samples of each sense."""
    key = reference.tobytes()
    if key not in _KNOWN:
        found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for index in reference.tolist():
            sample = problem.samples[index]
            found[sample.short_form][sample.long_form].append(index)
        _KNOWN[key] = found
    return _KNOWN[key]


def fitted(
    problem: Problem, seen: dict[Any, Floats | None], asked: dict[Any, Floats | None]
) -> dict[str, dict[Any, Floats]]:
    """The scores of the asked samples by each method, fitted on the seen ones."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kept = {index: own for index, own in seen.items() if own is not None}
    values = np.concatenate(list(kept.values()))
    gold = np.concatenate(
        [[one.long_form == problem.samples[index].long_form for one in problem.candidates_of(index)] for index in kept]
    )
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=2000)).fit(values, gold)
    trees = HistGradientBoostingClassifier(max_iter=200, learning_rate=0.06, random_state=0).fit(values, gold)
    found: dict[str, dict[Any, Floats]] = defaultdict(dict)
    for index, own in asked.items():
        if own is None:
            continue
        found["most frequent"][index] = own[:, 0]
        one, other = logistic.predict_proba(own)[:, 1], trees.predict_proba(own)[:, 1]
        found["logistic"][index], found["boosted trees"][index] = one, other
        found["mean of both"][index] = one / one.sum() + other / other.sum()
    return found


if __name__ == "__main__":
    main()
