"""Scores lexicons with more and more layers on gold spans: descriptors, supplementary records, starter, other names.

    python benchmarks/lexicon/layers.py --data ../shared/data --work LEXICONS [--as-of 2021]

Builds each lexicon in LEXICONS if it is not there, and scores the sieves on the 30 NLM-Chem articles and on the test
part of BC5CDR as `benchmarks/normalization.py` does: F by document (strict), and the share of mentions with the right
set of identifiers. Time: 6 minutes on one core, half a minute if the lexicons are there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from normalization import read, score

from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
from sieves.lexicon.starter import STARTER_NAMES
from sieves.normalizer import Normalizer

GOLD = ("nlmchem/bioc", "bc5cdr/BC5CDR_Test.PubTator.gz")
EXTERNAL = (
    ("chebi", "chebi_2019_full.tsv.gz"),
    ("drugbank", "drugbank_vocabulary.csv.gz"),
    ("drugcentral", "drugcentral.synonyms.tsv.gz"),
    ("pubchem", "PubChem.tsv.gz"),
)


def variants(mesh: Path) -> dict[str, Callable[[], Sources]]:
    """The sources of each lexicon, by label."""
    descriptors = (mesh / "desc2024-derived.xml.gz",)
    old, new = mesh / "supp2017-derived.xml.gz", mesh / "supp2024-derived.xml.gz"
    history = (mesh / "parents_2021.json.gz",)
    names = tuple((layer, mesh / "names" / file) for layer, file in EXTERNAL)
    crossrefs = tuple(sorted((mesh / "crossrefs").glob("*.gz")))
    first = (STARTER_NAMES,)
    return {
        "descriptors": lambda: Sources(descriptors, history=history),
        "+ SCRs of 2017": lambda: Sources(descriptors, (old,), history),
        "+ SCRs of 2024": lambda: Sources(descriptors, (new,), history),
        "+ SCRs of 2024 and 2017": lambda: Sources(descriptors, (new, old), history),
        "+ starter (the default lexicon)": lambda: Sources(descriptors, (new, old), history, first=first),
        "+ external layers": lambda: Sources(descriptors, (new, old), history, names, crossrefs, first=first),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="the folder for the lexicons")
    parser.add_argument("--as-of", type=int, default=2021)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    corpora = [read([str(options.data / name)]) for name in GOLD]
    print("| layers | names | NLM-Chem: F | accuracy | BC5CDR test: F | accuracy |\n|---|---|---|---|---|---|")
    lexicons: dict[str, Path | str] = {"starter alone": "starter"}
    for number, (label, sources) in enumerate(variants(options.data / "mesh").items()):
        path = options.work / f"{number}.sqlite"
        if not path.exists():
            build_mesh_lexicon(sources(), path)
        lexicons[label] = path
    for label, source in lexicons.items():
        as_of = None if source == "starter" else options.as_of
        with Lexicon.open(source, as_of) as lexicon:
            names = sum(count for what, count in lexicon.counts().items() if what.startswith("names of "))
            scores = [score(articles, Normalizer(lexicon)) for articles in corpora]
        cells = [f"{s.f1:.4f} | {s.right / s.mentions:.4f}" for s in scores]
        print(f"| {label} | {names:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
