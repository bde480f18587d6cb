"""The trained model becomes the one that ships: int8 storage, its size, speed and agreement with the float model.

    python benchmarks/train_default/export.py --model RUNS/plain/seed-7/all/model --data ../shared/data \
        --out nlmchem/tagging/default
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from sources import corpus

from corpora.document import mentions
from nlmchem.tagging.models import Model, load_model
from nlmchem.tagging.storing import store
from nlmchem.tagging.tagger import NeuralTagger, set_threads
from nlmchem.tagging.training_scores import bare

LIMIT = 25_000_000
LOADING = """
import sys, time, torch
begun = time.perf_counter()
from nlmchem.tagging.models import load_model
load_model(sys.argv[1])
print(time.perf_counter() - begun)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--articles", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    set_threads(given.threads)
    size = store(given.model, given.out, name="default")
    documents = corpus(given.data, "nlmchem").documents[: given.articles]
    exact, _ = tagged(load_model(given.model), documents)
    stored, speed = tagged(load_model(given.out), documents)
    loading = subprocess.run([sys.executable, "-c", LOADING, given.out], capture_output=True, text=True, check=True)
    told = {
        "bytes": size,
        "fits": size <= LIMIT,
        "seconds_to_load": round(float(loading.stdout), 3),
        "pieces_per_s": round(speed),
        "agreement_f": round(2 * len(exact & stored) / max(1, len(exact) + len(stored)), 4),
    }
    print(json.dumps(told))


def tagged(model: Model, documents: tuple) -> tuple[set[tuple[str, tuple]], float]:
    tagger = NeuralTagger([model])
    copies = [bare(document) for document in documents]
    begun = time.perf_counter()
    tagger(copies)
    spent = time.perf_counter() - begun
    return {(d.id, m.spans) for d in copies for m in mentions(d)}, tagger.coverage.pieces / spent


if __name__ == "__main__":
    main()
