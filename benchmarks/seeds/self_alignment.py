"""Self-alignment of an encoder on the synonyms of MeSH (SapBERT, Liu et al. 2021) beside other ways to find a name.

    python -m benchmarks.seeds.self_alignment [--steps 96]

Trains the encoder of the embedded tagger on synonyms and asks for names of MeSH that were held out, among the names of
2,000 concepts: the share of names whose concept is the nearest, or among the nearest five. Beside it: edit distance,
TF-IDF, the tagger's encoder before the training, and the n-gram encoder that ships, whose own training held out other
names, so that it has seen most of these. Time: 6 minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist
from sklearn.feature_extraction.text import TfidfVectorizer

from nlmchem.tagging.training.base import open_base
from sieves.dense.encoders import open_encoder
from sieves.dense.pairs import Group, Held, split, synonyms
from sieves.dense.transformer_training import TransformerSettings, sample_concepts, train_transformer
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

SHARE = 0.05
SEED = 0
FEW, CONCEPTS = 200, 2_000
BLOCK = 100

Scores = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]
"""Similarities of asked names (rows) and known names (columns)."""


def of_encoder(name: str | None) -> Scores:
    encoder = open_encoder(name)

    def scores(asked: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(encoder.encode(asked) @ encoder.encode(known).T, dtype=np.float32)

    return scores


def tf_idf(asked: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
    """The cosine of TF-IDF vectors of 3- to 5-grams of characters."""
    weigh = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, dtype=np.float32)
    columns = weigh.fit_transform([relaxed(name) for name in known])
    found: NDArray[np.float32] = (weigh.transform([relaxed(name) for name in asked]) @ columns.T).toarray()
    return found


def edit_distance(asked: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
    """Insertions and deletions in proportion to the lengths of both names."""
    rows, columns = [relaxed(name) for name in asked], [relaxed(name) for name in known]
    return np.asarray(cdist(rows, columns, scorer=Indel.normalized_similarity, dtype=np.float32))


def recall(scores: NDArray[np.float32], owner: NDArray[np.int64], wanted: Sequence[int]) -> tuple[float, float]:
    """The share of rows whose concept is the nearest, and among the nearest five concepts."""
    hits = np.zeros(2)
    for row, one in zip(scores, wanted, strict=True):
        order = np.argsort(-row, kind="stable")[:BLOCK]
        ranked = list(dict.fromkeys(owner[order].tolist()))
        hits += one in ranked[:1], one in ranked[:5]
    first, five = hits / max(1, len(wanted))
    return float(first), float(five)


def measure(groups: Sequence[Group], held: Sequence[Held], encoders: Mapping[str, str | None]) -> None:
    known = [name for group in groups for name in group]
    owner = np.array([at for at, group in enumerate(groups) for _ in group])
    asked, wanted = [name for _, name in held], [at for at, _ in held]
    print(f"{len(asked)} names asked, {len(known)} names of {len(groups)} concepts")
    methods = {"edit distance": edit_distance, "character TF-IDF": tf_idf}
    for method, scores in (methods | {name: of_encoder(folder) for name, folder in encoders.items()}).items():
        began = time.process_time()
        first, five = recall(scores(asked, known), owner, wanted)
        print(f"{method}\t{first:.3f}\t{five:.3f}\t{time.process_time() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=96)
    parser.add_argument("--rate", type=float, default=1e-4)
    given = parser.parse_args()
    settings = TransformerSettings(
        rate=given.rate, steps=given.steps, minutes=600.0, held_out=SHARE, seed=SEED, candidates=FEW, check_every=10,
        bfloat16=True,
    )  # fmt: skip
    with Lexicon.open(None) as lexicon, TemporaryDirectory() as folder:
        groups, held = split(synonyms(lexicon), SEED, SHARE)
        asked = sample_concepts(groups, held, TransformerSettings(candidates=CONCEPTS))
        base, aligned = open_base(Path("default"), Path(folder)), Path(folder) / "aligned"
        print(train_transformer(lexicon, base, aligned, settings, report), file=sys.stderr)
        measure(*asked, {"the n-gram encoder that ships": None, "before": str(base), "self-aligned": str(aligned)})


def report(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
