"""Trains the embedded dense encoder, `sieves/dense/dense.safetensors`.

    python benchmarks/retrain/dense.py --data ../shared/data -o dense.safetensors

Checks the sha256 of the inputs (dense.json beside this script), builds the lexicon of MeSH without the starter lexicon,
and trains for 1,801 steps, as many as the shipped encoder. The card, JSON beside the weights, has the commit, the
command and the inputs. It takes about 7 minutes on 2 cores.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corpora.storage.atomic import write_bytes
from sieves.dense.training import Settings, train
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

sys.path.insert(0, str(Path(__file__).parent))
from inputs import checked, commit, record

INPUTS = Path(__file__).with_suffix(".json")
DESCRIPTORS, SUPPLEMENTS, HISTORY = MESH = (
    "mesh/desc2024-derived.xml.gz",
    "mesh/supp2017-derived.xml.gz",
    "mesh/parents_2021.json.gz",
)
STEPS = 1801
MINUTES = 600.0


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns the card, or the recorded hashes with `--record`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has mesh/")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the weights to write (.safetensors)")
    parser.add_argument("--inputs", type=Path, default=INPUTS, help="the sha256 of the inputs")
    parser.add_argument("--record", action="store_true", help="write the sha256 of the inputs, and stop")
    parser.add_argument("--steps", type=int, default=STEPS, help="batches; another number makes another encoder")
    given = parser.parse_args(arguments)
    if given.record:
        return record(given.data, MESH, given.inputs)
    inputs = checked(given.data, given.inputs)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.sqlite"
        sources = Sources(*((given.data / name,) for name in (DESCRIPTORS, SUPPLEMENTS, HISTORY)))
        build_mesh_lexicon(sources, path)
        with Lexicon.open(path) as lexicon:
            card = train(lexicon, given.out, Settings(steps=given.steps, minutes=MINUTES), report)
    command = shlex.join(["python", "benchmarks/retrain/dense.py", *(sys.argv[1:] if arguments is None else arguments)])
    card |= {"commit": commit(), "command": command, "inputs": inputs}
    write_bytes(given.out.with_suffix(".json"), (json.dumps(card, indent=1, sort_keys=True) + "\n").encode())
    report(f"{given.out}: recall at 1 {card['recall_at_1']}, at 5 {card['recall_at_5']}")
    return card


def report(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
