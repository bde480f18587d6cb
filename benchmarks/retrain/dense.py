"""Trains the embedded dense encoder, `sieves/dense/dense.safetensors`.

    python -m benchmarks.retrain.dense --data ../shared/data -o dense.safetensors

Checks the sha256 of the inputs (dense.json beside this script), builds the lexicon of MeSH without the starter lexicon,
and trains for 1,801 steps, as many as the shipped encoder. The card, JSON beside the weights, has the commit, the
command and the inputs. It takes about 7 minutes on 2 cores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report
from corpora.storage.atomic import write_bytes
from sieves.dense.training import DenseSettings, train
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

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
    parser = parser_of(__doc__, INPUTS, "mesh/")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the weights to write (.safetensors)")
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
            card = train(lexicon, given.out, DenseSettings(steps=given.steps, minutes=MINUTES), report)
    card |= made_by("dense", arguments, inputs)
    write_bytes(given.out.with_suffix(".json"), (json.dumps(card, indent=1, sort_keys=True) + "\n").encode())
    report(f"{given.out}: recall at 1 {card['recall_at_1']}, at 5 {card['recall_at_5']}")
    return card


if __name__ == "__main__":
    main()
