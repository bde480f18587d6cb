"""Divides the starter names between `starter.tsv` and `common_names.tsv`: the second has what MeSH gives by itself.

    nlmchem lexicon build --desc DESC --supp SUPP ... --history PARENTS --no-shipped-names -o mesh.sqlite
    python -m benchmarks.retrain.starter_names mesh.sqlite [--as-of 2021]

MeSH gives a name if its first answer to the name is the concept of the starter lexicon. Such names go to
`common_names.tsv`, which adds nothing to MeSH. The others go to `starter.tsv`, the first layer of the default lexicon.
A concept's line in `common_names.tsv` begins with its preferred name in every case. Running it again changes nothing.
Time: 2 s.

    python -m benchmarks.retrain.starter_names --check ../shared/data/mesh

checks for each identifier of the starter lexicon whether MeSH has it (descriptors of 2024, supplementary records of
2017, both in 2021), whether its preferred name is one of its names there, and which names MeSH gives to another
concept. The exit code is 1 if the lexicon is wrong. Time: 10 s.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sieves.lexicon.lexicon import STARTER, Lexicon, plain
from sieves.lexicon.tables import COMMON_NAMES, STARTER_NAMES

STARTER_HEAD = """\
# Starter names of nlmchem that MeSH does not give: shorthand, formulae, spellings of running text.
# identifier<TAB>preferred name<TAB>synonyms joined by "|". Several identifiers joined by "," are a mixture.
# Sorted by identifier. Names are written as in running text: case counts in short names, formulae and abbreviations.
# Identifiers are those of MeSH (U.S. National Library of Medicine), as of 2021. See docs/reference/lexicon.md.
"""
COMMON_HEAD = """\
# Names of MeSH that mean a chemical in almost any article, chosen by hand. See docs/reference/lexicon.md.
# identifier<TAB>preferred name in running text<TAB>other chosen names joined by "|". Sorted by identifier.
# The list adds no name to MeSH. `benchmarks/retrain/starter_names.py` writes it.
# Identifiers and names of MeSH (U.S. National Library of Medicine), as of 2021.
"""

# MeSH has a record of the parent compound, mostly of 2017. Articles and indexers mean the class.
DELIBERATE = {
    "barbiturate": "MESH:D001463",
    "caffeic acid": "MESH:D002109",
    "microcystin": "MESH:D052998",
    "phenothiazine": "MESH:D010640",
    "phthalate": "MESH:D010795",
    "purine": "MESH:D011687",
    "pyrimidine": "MESH:D011743",
    "quinone": "MESH:D011809",
    "sulfoxide": "MESH:D013454",
    "taxane": "MESH:D043823",
}


def read(paths: list[Path]) -> dict[str, list[str]]:
    """For each identifier its names, the preferred name first."""
    names: dict[str, dict[str, None]] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                identifier, preferred, synonyms = line.split("\t")
                known = names.setdefault(identifier, {})
                known.update(dict.fromkeys([preferred, *filter(None, synonyms.split("|"))]))
    return {identifier: list(known) for identifier, known in names.items()}


def divide(names: dict[str, list[str]], mesh: Lexicon) -> tuple[list[str], list[str]]:
    """The lines of `starter.tsv` and of `common_names.tsv`."""
    starter: list[str] = []
    common: list[str] = []
    for identifier, (preferred, *synonyms) in sorted(names.items()):
        given = {name for name in (preferred, *synonyms) if _answer(mesh, name) == identifier}
        kept = [name for name in (preferred, *synonyms) if name not in given]
        if kept:
            starter.append(f"{identifier}\t{kept[0]}\t{'|'.join(kept[1:])}")
        if given:
            rest = "|".join(name for name in synonyms if name in given)
            common.append(f"{identifier}\t{preferred}\t{rest}")
    return starter, common


def _answer(mesh: Lexicon, name: str) -> str | None:
    matches = mesh.lookup(name)
    return matches[0].identifier if matches else None


@dataclass(slots=True)
class Mesh:
    """The concepts of each name (plain, folded), and the identifiers of 2021."""

    concepts_of: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    identifiers: set[str] = field(default_factory=set)
    of_2021: set[str] = field(default_factory=set)


def read_mesh(folder: Path) -> Mesh:
    mesh = Mesh()
    for name, term_at in {"descriptor_terms_2024.tsv.gz": 4, "scr_names_2017.tsv.gz": 1}.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            next(lines)
            for line in lines:
                parts = line.rstrip("\n").split("\t")
                identifier = f"MESH:{parts[0]}"
                mesh.identifiers.add(identifier)
                mesh.concepts_of[_folded(parts[term_at])].add(identifier)
    with gzip.open(folder / "parents_2021.json.gz", "rt", encoding="utf-8") as file:
        mesh.of_2021 = set(json.load(file))
    return mesh


def faults(lexicon: Lexicon, mesh: Mesh) -> Iterator[str]:
    """The errors in the identifiers and names of a lexicon, one sentence each."""
    for name, identifier in lexicon.names():
        parts = identifier.split(",")
        for part in parts:
            if part not in mesh.identifiers:
                yield f"{part} ({name}) is not in MeSH 2024 nor among the supplementary records of 2017"
            if part not in mesh.of_2021:
                yield f"{part} ({name}) is not in MeSH 2021"
        if len(parts) > 1:
            continue
        concepts_of = mesh.concepts_of.get(_folded(name), set())
        preferred = any(match.preferred_name == name for match in lexicon.lookup(name))
        if preferred and identifier not in concepts_of:
            yield f"{name!r} is preferred for {identifier}, but not one of its names in MeSH"
        elif concepts_of and identifier not in concepts_of and DELIBERATE.get(name) != identifier:
            yield f"{name!r} stands for {identifier} here, for {', '.join(sorted(concepts_of))} in MeSH"


def _folded(name: str) -> str:
    return plain(name).casefold()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh", type=Path, nargs="?", help="a lexicon of MeSH without the starter names")
    parser.add_argument("--check", type=Path, help="check the starter lexicon against this folder of MeSH files")
    parser.add_argument("--as-of", type=int, default=2021, help="the MeSH year of the starter names")
    options = parser.parse_args()
    if options.check:
        with Lexicon.open(STARTER) as lexicon:
            wrong = sorted(set(faults(lexicon, read_mesh(options.check))))
        print("\n".join(wrong) or "every identifier and preferred name is MeSH's")
        return int(bool(wrong))
    with Lexicon.open(options.mesh, options.as_of) as mesh:
        starter, common = divide(read([COMMON_NAMES, STARTER_NAMES]), mesh)
    STARTER_NAMES.write_text(STARTER_HEAD + "".join(f"{line}\n" for line in starter), "utf-8")
    COMMON_NAMES.write_text(COMMON_HEAD + "".join(f"{line}\n" for line in common), "utf-8")
    print(f"{len(starter)} concepts in {STARTER_NAMES.name}, {len(common)} in {COMMON_NAMES.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
