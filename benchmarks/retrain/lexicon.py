"""Builds the default lexicon that ships: all of MeSH with the starter names on top, packed, with its card.

    python benchmarks/retrain/lexicon.py --mesh ../shared/data/mesh [--out sieves/lexicon/mesh] [--any-input]

Reads the MeSH files of `INPUTS` and the starter names of `sieves/lexicon/starter.tsv`, and writes `mesh.sqlite.xz` and
`card.json`. The same inputs give the same bytes. Ends with an error if an input has another sha256 than the one stated
here; `--any-input` accepts other inputs, for a new edition of MeSH. Time: 4 minutes on one core, 1.3 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

from corpora.storage.atomic import write_bytes
from corpora.storage.cache import sha256_of
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
from sieves.lexicon.shipped import CARD, PACKED
from sieves.lexicon.starter import STARTER_NAMES

ROOT = Path(__file__).resolve().parents[2]
INPUTS = {
    "desc2024-derived.xml.gz": "6a3a264c62d5ee085c1a6ecf35bed23f9222d8644807d679a81b5337e9f3ef0d",
    "supp2024-derived.xml.gz": "ab1b764304e5c9ba02e6d6ba9f27d4f880c2866121e03f8e2f8396227c3ac4f7",
    "supp2017-derived.xml.gz": "dae223b0d8e406ddc0bed02afa70843007f8e77ef3401eaaeeb364a5450d22e7",
    "parents_2021.json.gz": "325e48d012a903ecacbdf425df183cdca49fe2e09e7c4ce335e047948813a9e0",
    "crossrefs/mesh_cas_mappings.tsv.gz": "0ca4b529573a6b34d7c97d0e949343aa151eafa3cd3a9c98fc03174fc5871bef",
}
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
LICENCE = (
    "MeSH is produced by the U.S. National Library of Medicine (NLM) and is freely available from it. Courtesy of NLM. "
    "This copy may not be the most current version, and it was changed: see NOTICE. NLM does not endorse this product."
)
LEFT_OUT = (
    "Names and identifiers of ChEBI, PubChem, DrugCentral, DrugBank and NCIT are not included: the tables that join "
    "them to MeSH state no licence. CAS numbers are those that NLM publishes in MeSH registry numbers."
)
_SQLITE_VERSION = slice(96, 100)
"""Bytes of the file's header: the version of the SQLite library that wrote it."""


def wrong_inputs(folder: Path) -> list[str]:
    """The inputs whose sha256 is not the stated one."""
    return [name for name, sha256 in INPUTS.items() if sha256_of(folder / name) != sha256]


def build(folder: Path, out: Path) -> bytes:
    """Build the lexicon at `out` and return the bytes of the file."""
    sources = Sources(
        (folder / "desc2024-derived.xml.gz",),
        (folder / "supp2024-derived.xml.gz", folder / "supp2017-derived.xml.gz"),
        history=(folder / "parents_2021.json.gz",),
        registry=(folder / "crossrefs" / "mesh_cas_mappings.tsv.gz",),
        first=(STARTER_NAMES,),
    )
    build_mesh_lexicon(sources, out, lambda line: print(line, file=sys.stderr, flush=True))
    content = bytearray(out.read_bytes())
    content[_SQLITE_VERSION] = bytes(4)
    out.write_bytes(content)
    return bytes(content)


def card(folder: Path, lexicon: Path, packed: Path) -> dict[str, object]:
    """What is packed, where it is from, how it was made."""
    with Lexicon.open(lexicon) as opened:
        version, counts, meta = opened.version, opened.counts(), dict(opened.meta)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    inputs = {name: sha256_of(folder / name) for name in INPUTS}
    return {
        "name": "MeSH with the starter names of nlmchem",
        "mesh": f"{meta['year']} (names of supplementary records of 2017 added; history of {meta['history']})",
        "version": version,
        "source": "https://www.nlm.nih.gov/databases/download/mesh.html",
        "licence": LICENCE,
        "left out": LEFT_OUT,
        "counts": counts,
        "command": "python benchmarks/retrain/lexicon.py --mesh ../shared/data/mesh",
        "commit": commit.stdout.strip(),
        "inputs": {**inputs, "sieves/lexicon/starter.tsv": sha256_of(STARTER_NAMES)},
        "packed": {"file": packed.name, "bytes": packed.stat().st_size, "sha256": sha256_of(packed)},
        "unpacked": {"bytes": lexicon.stat().st_size, "sha256": sha256_of(lexicon)},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mesh", type=Path, required=True, help="the folder of the MeSH files")
    parser.add_argument("--out", type=Path, default=PACKED.parent)
    parser.add_argument("--any-input", action="store_true", help="accept inputs with another sha256")
    options = parser.parse_args()
    wrong = [] if options.any_input else wrong_inputs(options.mesh)
    if wrong:
        print(f"not the files that the lexicon was built from: {', '.join(wrong)}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as work:
        lexicon = Path(work) / "mesh.sqlite"
        content = build(options.mesh, lexicon)
        packed = options.out / PACKED.name
        write_bytes(packed, lzma.compress(content, check=lzma.CHECK_CRC64, filters=FILTERS))
        stated = card(options.mesh, lexicon, packed)
    write_bytes(options.out / CARD.name, (json.dumps(stated, indent=1) + "\n").encode())
    print(f"{packed}: {packed.stat().st_size:,} bytes, version {stated['version']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
