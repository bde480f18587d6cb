"""A lexicon of a small MeSH over the years: records of 2017, parents of 2020, files of 2024, headings of 2026."""

from __future__ import annotations

import json
from pathlib import Path

from small_mesh import DESCRIPTORS, PARENTS, SUPPLEMENTS, supplement, write_descriptors, write_supplements

from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

__all__ = ["HEADINGS", "write_aged_mesh", "write_headings"]

OLDER = (
    supplement("C000001", "promotol|altol"),
    supplement("C000020", "oldol|oldine"),
    supplement("C000021", "dividol|partol one|partol two"),
    supplement("C000022", "deadol", "D000001 D000005"),
)
NEWER = (
    *SUPPLEMENTS[1:],
    supplement("C000030", "newol|oldine"),
    supplement("C000031", "partol one"),
    supplement("C000032", "partol two"),
    supplement("C000033", "semagluton"),
)
NEW = {"D000030": "Semaglutons", "D000031": "Grain Spirit", "D000032": "Unheardols"}
RENAMED = {"D000004": "Ascorbate"}
GONE = "D000017"
HEADINGS = {
    **{f"D{number:06}": None for number in range(1, 21) if f"D{number:06}" != GONE},
    **NEW,
    **RENAMED,
}
"""The headings of 2026: None for those that are called as in 2024."""


def write_headings(path: Path) -> Path:
    """The list of the headings of 2026."""
    names = {record.split("UI>")[1][:7]: record.split("<String>")[1].partition("<")[0] for record in DESCRIPTORS}
    rows = [f"{identifier}\t{name or names[identifier]}\n" for identifier, name in HEADINGS.items()]
    path.write_text("descriptor_ui\tname\n" + "".join(rows), "utf-8")
    return path


def write_aged_mesh(folder: Path) -> Path:
    """The lexicon, built."""
    parents = folder / "parents_2020.json"
    # Two records of 2020 have no names in any file.
    of_2020 = {**PARENTS, "MESH:C000020": ["MESH:D000001"], "MESH:C000040": ["MESH:D000001"]}
    parents.write_text(json.dumps(of_2020), "utf-8")
    certain = folder / "others.tsv"
    certain.write_text(
        "MESH\tC000033\tsemagluton\tCHEBI\tCHEBI:1\tsemagluton\n"
        "MESH\tD000002\tEthanol\tCHEBI\tCHEBI:2\tethanol\nMESH\tD000001\tAlcohols\tCHEBI\tCHEBI:2\tethanol\n"
        "MESH\tD000007\tCalcium\tHGNC\t7\tCALC\n77\tD000002\n",
        "utf-8",
    )
    sources = Sources(
        (write_descriptors(folder / "desc2024.xml"),),
        (write_supplements(folder / "supp2024.xml", NEWER), write_supplements(folder / "supp2017.xml", OLDER)),
        history=(parents,),
        headings=write_headings(folder / "headings_2026.tsv"),
        certain=(certain,),
    )
    build_mesh_lexicon(sources, folder / "aged.sqlite")
    return folder / "aged.sqlite"
