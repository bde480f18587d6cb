"""Self-alignment of an encoder on the synonyms of MeSH (SapBERT, Liu et al. 2021) beside other ways to find a name.

    python benchmarks/self_alignment.py train --base default --rate 1e-4 --steps 96 -o ENCODER
    python benchmarks/self_alignment.py train --steps 600 -o NGRAMS.safetensors
    python benchmarks/self_alignment.py measure [--base default] --encoder ENCODER --encoder NGRAMS.safetensors

`train` is `nlmchem train dense --precision bfloat16` with few concepts for its own scores, because encoding names with
a transformer is slow. `measure` asks for names of MeSH that both trainings held out, among the names of `--concepts`
concepts: the share of names whose concept is the nearest, or among the nearest five.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
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
from sieves.dense.training import Settings, train
from sieves.dense.transformer_training import TransformerSettings, sample_concepts, train_transformer
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

SHARE = 0.05
SEED = 0
FEW = 200
BLOCK = 100

Scores = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]
"""Similarities of asked names (rows) and known names (columns)."""


def of_encoder(name: str) -> Scores:
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


def measure(groups: Sequence[Group], held: Sequence[Held], encoders: Sequence[str]) -> None:
    known = [name for group in groups for name in group]
    owner = np.array([at for at, group in enumerate(groups) for _ in group])
    asked, wanted = [name for _, name in held], [at for at, _ in held]
    print(f"{len(asked)} names asked, {len(known)} names of {len(groups)} concepts")
    methods = {"edit distance": edit_distance, "character TF-IDF": tf_idf}
    for method, scores in (methods | {name: of_encoder(name) for name in encoders}).items():
        began = time.process_time()
        first, five = recall(scores(asked, known), owner, wanted)
        print(f"{method}\t{first:.3f}\t{five:.3f}\t{time.process_time() - began:.0f} s", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("train", "measure"))
    parser.add_argument("--base", type=Path, help="train: the transformer (n-grams if left out); measure: it, too")
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--steps", type=int)
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--encoder", action="append", default=[], help="measure: an encoder, repeatable")
    parser.add_argument("--concepts", type=int, default=2_000)
    given = parser.parse_args()
    with Lexicon.open(None) as lexicon:
        if given.command == "measure":
            groups, held = split(synonyms(lexicon), SEED, SHARE)
            asked = sample_concepts(groups, held, TransformerSettings(candidates=given.concepts))
            with TemporaryDirectory() as folder:
                before = [] if given.base is None else [str(open_base(given.base, Path(folder)))]
                measure(*asked, [*before, *given.encoder])
        elif given.base is None:
            limits = Settings(steps=given.steps, minutes=given.minutes, held_out=SHARE, seed=SEED)
            print(train(lexicon, given.out, limits, report))
        else:
            settings = TransformerSettings(
                rate=given.rate, steps=given.steps, minutes=given.minutes, held_out=SHARE, seed=SEED, candidates=FEW,
                check_every=10, bfloat16=True,
            )  # fmt: skip
            with TemporaryDirectory() as folder:
                print(train_transformer(lexicon, open_base(given.base, Path(folder)), given.out, settings, report))
    print(f"{time.process_time():.0f} s of processor time", file=sys.stderr)
    return 0


def report(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
