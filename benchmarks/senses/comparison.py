"""Compares methods of acronym disambiguation on the same candidates: SciAD, UAD and GLADIS (biomedical).

    python benchmarks/senses/comparison.py --data ../shared/data [--minilm FOLDER] [--own SAMPLES --tuned 6000]

Rows without training: the first candidate, the most frequent one, BM25, word vectors, NOA (Charbonnier and Wartena
2018: the words of the long form against the weighted words of the sentence) and UAD (Ciosici et al. 2019: the contexts
in which each sense was seen), all with the word vectors of the embedded dictionary; MiniLM: the cosine of sentence and
long form. Rows with training on our own articles: ADE (Li et al. 2018: popularity and contexts, by a logistic model),
the embedded choice, and with --own MiniLM tuned with the triplet loss of AcroBERT (Chen et al. 2023: margin 0.2, two
negatives). SAMPLES is `samples.jsonl` of `nlmchem corpora dictionary --samples`, which has its dictionary beside it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.senses.encoding import WEIGHT
from nlmchem.abbreviations.senses.features import CUT_OFF, FEATURES, Evidence
from nlmchem.abbreviations.senses.inventory import InventorySense
from nlmchem.abbreviations.senses.resolver import Resolver, open_resolver
from nlmchem.abbreviations.senses.sentences import method

sys.path.insert(0, str(Path(__file__).parent))
from problems import HEADER, Problem, best, context, load, ordered, row, tables

Floats = NDArray[np.float64]
Scores = list[Floats | None]

PRIOR = 0.1
"""The weight of the prior beside a sum of similarities."""
POPULARITY = 0.05
"""The weight of log popularity beside a cosine."""


def main() -> None:
    given = parsed()
    resolver = open_resolver()
    problems = load(given.data, given.corpora.split(","), resolver, given.sentences)
    print("\t".join(HEADER), flush=True)
    for problem in [] if given.minilm_only else problems:
        for name in ("first", "popularity", "bm25", "model"):
            choose = method(name, resolver, problem.samples, problem.inventory)
            chosen = [
                choose(sample, candidates) if candidates else 0
                for sample, candidates in zip(problem.samples, problem.candidates, strict=True)
            ]
            print(row(problem.name, name, problem.score(chosen, given.draws)), flush=True)
        for name, scores in vectors(problem, resolver).items():
            print(row(problem.name, name, problem.score(best(scores), given.draws)), flush=True)
    if given.minilm:
        transformer(given, problems, resolver)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has acronyms/")
    parser.add_argument("--corpora", default="sciad,uad,gladis", help="names joined by commas")
    parser.add_argument("--draws", type=int, default=300, help="bootstrap samples")
    parser.add_argument("--minilm", type=Path, help="a local folder of all-MiniLM-L6-v2")
    parser.add_argument("--sentences", type=int, help="only a random sample of this size of each corpus")
    parser.add_argument("--weights", default=f"{WEIGHT:g}", help="weights of the cosine beside the choice")
    parser.add_argument("--minilm-only", action="store_true", help="leave out the rows without MiniLM")
    parser.add_argument("--own", type=Path, help="own samples; MiniLM is tuned on them")
    parser.add_argument("--tuned", type=int, default=6000, help="how many own samples")
    return parser.parse_args()


def vectors(problem: Problem, resolver: Resolver) -> dict[str, Scores]:
    """Rows that the features of the embedded dictionary give."""
    found = tables(problem, resolver)

    def column(name: str) -> Scores:
        return [None if one is None else one.senses[:, FEATURES.index(name)] for one in found]

    plain: Scores = [
        None if one is None else _plain(resolver, context(sample), one)
        for sample, one in zip(problem.samples, found, strict=True)
    ]
    if problem.inventory is None:
        report_coverage(problem, found, choices(found, resolver))
    letters = ngrams(problem)
    together: Scores = []
    for near, own, candidates in zip(letters, found, problem.candidates, strict=True):
        if near is None or own is None:
            together.append(None)
            continue
        size = len(own.senses)
        parts = [own.senses[:, FEATURES.index(name)] for name in ("words present", "long form vector")]
        together.append(near[:size] + sum(parts) + PRIOR * prior(candidates)[:size])
    return {
        "model, order as counts": choices(tables(problem, resolver, ordered), resolver),
        "word vectors": plain,
        "NOA": column("long form vector"),
        "UAD": column("vector mean"),
        "articles, TF-IDF": column("nearest three"),
        "letters (n-gram encoder)": letters,
        "letters, words, vectors, popularity": together,
    }


def choices(found: Sequence[Evidence | None], resolver: Resolver) -> Scores:
    """The probabilities of the embedded choice."""
    model = resolver._model
    assert model is not None
    return [None if one is None else model.probabilities(one.senses, one.other) for one in found]


def report_coverage(problem: Problem, found: Sequence[Evidence | None], scores: Scores) -> None:
    """Print how many senses have articles, and the accuracy of the choice by which senses have them."""
    groups: dict[tuple[bool, bool], list[bool]] = {}
    covered = []
    for sample, own, chosen in zip(problem.samples, found, best(scores), strict=True):
        if own is None:
            continue
        has = own.senses[:, FEATURES.index("nearest")] > 0
        gold = [one.long_form for one in own.candidates].index(sample.long_form)
        covered += has.tolist()
        groups.setdefault((bool(has[gold]), bool(np.delete(has, gold).any())), []).append(chosen == gold)
    print(f"{np.mean(covered):.3f} of the candidates have articles; the choice:", file=sys.stderr)
    for (of_gold, of_others), right in sorted(groups.items()):
        share = len(right) / len(problem.samples)
        print(f"gold {of_gold}, others {of_others}: {share:.3f}, accuracy {np.mean(right):.3f}", file=sys.stderr)


def prior(candidates: Sequence[InventorySense]) -> Floats:
    """The logarithm of the popularity of candidates; of the inverse position in a dictionary without counts."""
    counts = np.array([one.articles for one in candidates], dtype=np.float64)
    return np.log(counts) if counts.max(initial=1) > 1 else -np.log(np.arange(1, len(counts) + 1))


def ngrams(problem: Problem) -> Scores:
    """How near each word of a long form is to a word of the sentence, by the n-gram encoder of names; the mean."""
    from nlmchem.abbreviations.senses.words import STOP_WORDS, long_form_words, words
    from sieves.dense.encoders import open_encoder

    sentences = [sorted({word for word in words(context(one)) if word not in STOP_WORDS}) for one in problem.samples]
    longs = {one.long_form: long_form_words(one.long_form) for own in problem.candidates for one in own}
    known = sorted({word for own in (*sentences, *longs.values()) for word in own})
    place = {word: number for number, word in enumerate(known)}
    encoded = open_encoder().encode(known).astype(np.float64)
    encoded /= np.maximum(np.linalg.norm(encoded, axis=1, keepdims=True), 1e-9)
    found: Scores = []
    for own, candidates in zip(sentences, problem.candidates, strict=True):
        rows = encoded[[place[word] for word in own]]
        values = []
        for one in candidates:
            parts = [place[word] for word in longs[one.long_form]]
            values.append(float((encoded[parts] @ rows.T).max(axis=1).mean()) if own and parts else 0.0)
        found.append(np.array(values))
    return found


def _plain(resolver: Resolver, sentence: str, one: Evidence) -> Floats:
    """Cosines of plain means of word vectors."""
    from nlmchem.abbreviations.senses.words import long_form_words

    background = resolver._background
    assert background is not None

    def mean(text: str) -> Floats:
        numbers = background.numbers_of(long_form_words(text))
        total = background.vectors[numbers[numbers >= 0]].sum(axis=0).astype(np.float64)
        length = float(np.linalg.norm(total))
        return total / length if length else total

    whole = mean(sentence)
    return np.array([mean(candidate.long_form) @ whole for candidate in one.candidates])


def transformer(given: argparse.Namespace, problems: Sequence[Problem], resolver: Resolver) -> None:
    """Rows of MiniLM; with own samples, of MiniLM after its tuning."""
    from minilm import Encoder, tune

    encoder = Encoder(given.minilm)
    name = "MiniLM"
    if given.own:
        tune(encoder, triplets(given.own, given.tuned))
        name = "MiniLM, triplets (AcroBERT)"
    for problem in problems:
        _cosines(given, problem, resolver, encoder.encode, name)


def _cosines(
    given: argparse.Namespace,
    problem: Problem,
    resolver: Resolver,
    encode: Callable[[Sequence[str]], Floats],
    name: str,
) -> None:
    """Rows of the cosines alone, with popularity, and with the choice as `nlmchem evaluate senses --encoder`."""
    candidates = [own[:CUT_OFF] for own in problem.candidates]
    sentences = encode([" ".join(sample.tokens) for sample in problem.samples])
    names = sorted({one.long_form for own in candidates for one in own})
    place = {long: number for number, long in enumerate(names)}
    longs = encode(names)
    cosines = [
        longs[[place[one.long_form] for one in own]] @ vector if own else np.zeros(0)
        for vector, own in zip(sentences, candidates, strict=True)
    ]
    popular = [
        near + POPULARITY * np.log([one.articles for one in own]) if own else near
        for near, own in zip(cosines, candidates, strict=True)
    ]
    rows: dict[str, Scores] = {name: list(cosines), f"{name} and popularity": list(popular)}
    for label, change in (("the choice", tuple), ("the order as counts", ordered)):
        chosen = choices(tables(problem, resolver, change), resolver)
        for weight in map(float, given.weights.split(",")):
            rows[f"{label} and {name}, weight {weight:g}"] = [
                None if own is None else np.log(np.maximum(own, 1e-12)) + weight * near
                for own, near in zip(chosen, cosines, strict=True)
            ]
    for label, scores in rows.items():
        print(row(problem.name, label, problem.score(best(scores), given.draws)), flush=True)


def triplets(samples: Path, number: int, seed: int = 0) -> list[tuple[str, str, tuple[str, str]]]:
    """Sentences with their long form and two other senses of the short form."""
    dictionary = json.loads((samples.parent / "dictionary.json").read_text("utf-8"))
    chance = random.Random(seed)
    lines = samples.read_text("utf-8").splitlines()
    chance.shuffle(lines)
    found = []
    for line in lines:
        value = json.loads(line)
        others = [long for long, _ in dictionary[value["short_term"]] if long != value["long_term"]]
        if others:
            pair = tuple(chance.choices(others, k=2))
            found.append((" ".join(value["tokens"]), value["long_term"], (pair[0], pair[1])))
        if len(found) == number:
            break
    return found


if __name__ == "__main__":
    main()
