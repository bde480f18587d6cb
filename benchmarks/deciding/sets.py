"""The articles that the scripts of this folder measure on, and the records in which tagger outputs are stored.

`chemdner-train` and `chemdner-test` have no article of DrugProt, on which the embedded tagger was trained.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.datasets import open_corpus

SETS = ("articles", "open", "bc5cdr-test", "biored-test", "chemdner-test", "chemdner-train")


def documents(data: Path, name: str, number: int = 0) -> list[BioCDocument]:
    """The gold articles of a set. `number`: a sample of this size, the same each time (0: all)."""
    found = list(_read(data, name))
    return random.Random(5).sample(found, number) if 0 < number < len(found) else found


def _read(data: Path, name: str) -> Iterator[BioCDocument]:
    if name == "articles":
        yield from corpora.read([str(data / "nlmchem/train-articles")], report=_silent)
    elif name == "open":
        yield from corpora.read([str(data / "nlmchem/bioc")], report=_silent)
    elif name == "bc5cdr-test":
        yield from corpora.read([str(data / "bc5cdr/BC5CDR_Test.PubTator.gz")], report=_silent)
    elif name == "biored-test":
        yield from corpora.read([str(data / "biored/BioRED_Test.PubTator.gz")], report=_silent)
    elif name.startswith("chemdner-"):
        known = drugprot_ids(data)
        opened = open_corpus("chemdner", data / "chemdner")
        for split in ("test",) if name == "chemdner-test" else ("train", "dev"):
            yield from (one for one in opened.read(split, _silent) if one.id not in known)
    else:
        raise SystemExit(f"no set {name!r}; choose from {', '.join(SETS)}")


def drugprot_ids(data: Path) -> frozenset[str]:
    """The PMIDs of DrugProt."""
    found: set[str] = set()
    for part in ("training", "development"):
        with gzip.open(data / f"drugprot/drugprot_{part}_abstracs.tsv.gz", "rt", encoding="utf-8") as lines:
            found.update(line.split("\t", 1)[0] for line in lines)
    return frozenset(found)


def _silent(_: str) -> None:
    pass
