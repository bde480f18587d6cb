"""Divides the starter names between `starter.tsv` and `common_names.tsv`: the second has what MeSH gives by itself.

    nlmchem lexicon build --desc DESC --supp SUPP ... --history PARENTS --no-starter -o mesh.sqlite
    python benchmarks/lexicon/division.py mesh.sqlite [--as-of 2021]

MeSH gives a name if its first answer to the name is the concept of the starter lexicon. Such names go to
`common_names.tsv`, which adds nothing to MeSH. The others go to `starter.tsv`, the first layer of the default lexicon.
A concept's line in `common_names.tsv` begins with its preferred name in every case. Running it again changes nothing.
Time: 2 s.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.starter import COMMON_NAMES, STARTER_NAMES

STARTER_HEAD = """\
# Starter names of nlmchem that MeSH does not give: shorthand, formulae, spellings of running text.
# identifier<TAB>preferred name<TAB>synonyms joined by "|". Several identifiers joined by "," are a mixture.
# Sorted by identifier. Names are written as in running text: case counts in short names, formulae and abbreviations.
# Identifiers are those of MeSH (U.S. National Library of Medicine), as of 2021. See docs/reference/lexicon.md.
"""
COMMON_HEAD = """\
# Names of MeSH that mean a chemical in almost any article, chosen by hand. See docs/reference/lexicon.md.
# identifier<TAB>preferred name in running text<TAB>other chosen names joined by "|". Sorted by identifier.
# The list adds no name to MeSH. `benchmarks/lexicon/division.py` writes it.
# Identifiers and names of MeSH (U.S. National Library of Medicine), as of 2021.
"""


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
    own: list[str] = []
    common: list[str] = []
    for identifier, (preferred, *synonyms) in sorted(names.items()):
        given = {name for name in (preferred, *synonyms) if _answer(mesh, name) == identifier}
        kept = [name for name in (preferred, *synonyms) if name not in given]
        if kept:
            own.append(f"{identifier}\t{kept[0]}\t{'|'.join(kept[1:])}")
        if given:
            rest = "|".join(name for name in synonyms if name in given)
            common.append(f"{identifier}\t{preferred}\t{rest}")
    return own, common


def _answer(mesh: Lexicon, name: str) -> str | None:
    found = mesh.lookup(name)
    return found[0].identifier if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh", type=Path, help="a lexicon of MeSH without the starter names")
    parser.add_argument("--as-of", type=int, default=2021, help="the MeSH year of the starter names")
    options = parser.parse_args()
    with Lexicon.open(options.mesh, options.as_of) as mesh:
        own, common = divide(read([COMMON_NAMES, STARTER_NAMES]), mesh)
    STARTER_NAMES.write_text(STARTER_HEAD + "".join(f"{line}\n" for line in own), "utf-8")
    COMMON_NAMES.write_text(COMMON_HEAD + "".join(f"{line}\n" for line in common), "utf-8")
    print(f"{len(own)} concepts in {STARTER_NAMES.name}, {len(common)} in {COMMON_NAMES.name}")


if __name__ == "__main__":
    main()
