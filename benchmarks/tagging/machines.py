"""How much the scores of the embedded model differ between kinds of processors, as far as one machine can imitate them.

    python benchmarks/tagging/machines.py --data ../shared/data [--number 4]

Runs itself with environment variables that restrict oneDNN, MKL and torch to the instructions of other processors, and
compares the labels and probabilities of NLM-Chem articles with those of this processor in float32. On a processor
without AMX all kinds may be the same. Time: 5 minutes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np

KINDS = {
    "this processor": {},
    "AVX512 with VNNI, no AMX": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_VNNI"},
    "AVX2 with VNNI": {
        "ONEDNN_MAX_CPU_ISA": "AVX2_VNNI",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--number", type=int, default=4)
    parser.add_argument("--save", nargs=2, metavar=("ARITHMETIC", "FILE"), help="(for the runs of itself)")
    given = parser.parse_args()
    if given.save:
        save(given.data, given.number, *given.save)
        return
    with tempfile.TemporaryDirectory() as folder:
        first: np.ndarray | None = None
        for arithmetic in ("float32", "int8"):
            for kind, restrictions in KINDS.items():
                out = str(Path(folder) / "scores.npy")
                command = [sys.executable, __file__, "--data", str(given.data), "--number", str(given.number)]
                subprocess.run([*command, "--save", arithmetic, out], env={**os.environ, **restrictions}, check=True)
                scores = np.load(out)
                first = scores if first is None else first
                differences = np.abs(scores - first)
                print(
                    f"{arithmetic:8s} {kind:26s} labels equal {(scores.argmax(1) == first.argmax(1)).mean():.5f} of "
                    f"{len(scores)}; probabilities differ by {differences.mean():.6f} on average, at most "
                    f"{differences.max():.4f}",
                    flush=True,
                )


def save(data: Path, number: int, arithmetic: str, out: str) -> None:
    """Write the probabilities of all word pieces of some articles."""
    import corpora
    from corpora.model.passages import passage_text
    from nlmchem.tagging.models import bert
    from nlmchem.tagging.models.folders import FOLDER
    from nlmchem.tagging.models.loading import load_model
    from nlmchem.tagging.tagger import set_threads

    if "ONEDNN_MAX_CPU_ISA" in os.environ:
        bert.has_bfloat16_tiles = lambda: False
    set_threads(1)
    articles = islice(corpora.read(data / "nlmchem" / "bioc"), number)
    texts = [[passage_text(passage) for passage in article.passages] for article in articles]
    scored, _ = load_model(FOLDER, arithmetic=arithmetic).score(texts)
    np.save(out, np.concatenate([passage.probabilities for own in scored for passage in own]))


if __name__ == "__main__":
    main()
