"""Counts the halogenated congeners that a lexicon has by their number and by their systematic name.

    python benchmarks/congeners.py --lexicon mesh.sqlite

Every name such as `PCB 153` in the lexicon is compared with the systematic name that `sieves.chemistry.congeners` makes
of the number: the two should have the same identifier.
"""

from __future__ import annotations

import argparse

from sieves.chemistry import congeners
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.names import Names

CONGENERS = 209


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon", required=True)
    with Lexicon.open(parser.parse_args().lexicon) as lexicon:
        names = Names(lexicon)
        for series in ("PCB", "BDE", "PBB"):
            texts = [f"{series}-{number}" for number in range(1, CONGENERS + 1)]
            numbered = sum(bool(names.find(text)) for text in texts)
            systematic = sum(bool(identifiers(text, names)) for text in texts)
            print(f"{series}: {numbered} by number, {systematic} by systematic name")
        compared = [
            identifier in found for name, identifier in lexicon.names(distance=2) if (found := identifiers(name, names))
        ]
        print(f"{len(compared)} names with a number and a systematic name; {sum(compared)} with the same identifier")


def identifiers(text: str, names: Names) -> set[str]:
    """The identifiers of the systematic names of a congener."""
    return {match.identifier for name in congeners.names(text) for match in names.find(name)}


if __name__ == "__main__":
    main()
