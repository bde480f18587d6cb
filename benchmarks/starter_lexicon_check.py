"""Checks the starter lexicon against MeSH, and measures on gold articles which chemicals it marks.

    python benchmarks/starter_lexicon_check.py --mesh ../shared/data/mesh
    python benchmarks/starter_lexicon_check.py --gold ../shared/data/nlmchem/bioc [--rules] [--speed 50000000]

The first checks for each identifier whether MeSH has it (descriptors of 2024, supplementary records of 2017, both in
2021), whether its preferred name is one of its names there, and which names MeSH gives to another concept. The second
tags and normalizes the articles, and scores spans (strict) and identifiers by document; with `--rules` also without
each rule of the tagger. The exit code is 1 if the lexicon is wrong. Time: 10 s each.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import bioc

from corpora.model.document import mentions, remove_mentions
from corpora.model.passages import passage_text
from nlmchem.tagging.lexicon import context
from nlmchem.tagging.lexicon import tagger as lexicon_tagger
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from sieves.lexicon.lexicon import STARTER, Lexicon, plain
from sieves.normalizer import Normalizer

NEVER = re.compile(r"(?!)")
RULES: dict[str, list[tuple[object, str, object]]] = {
    "names of proteins": [(context, "in_protein_name", lambda word: False)],
    "pieces of longer names": [(context, "_LONGER_NAME", NEVER)],
    "acids of salts": [(context, "_ACID_OF_SALT", NEVER)],
    "names not sought in text": [(lexicon_tagger, "NOT_IN_TEXT", frozenset())],
    "decoys": [(lexicon_tagger, "DECOYS", frozenset())],
    "plurals": [(lexicon_tagger, "singular", lambda text: None)],
}

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


@dataclass(slots=True)
class Mesh:
    """The concepts of each name (plain, folded), and the identifiers of 2021."""

    concepts_of: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    identifiers: set[str] = field(default_factory=set)
    of_2021: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Counts:
    tp: int = 0
    fp: int = 0
    fn: int = 0

    def add(self, gold: set[object], found: set[object]) -> None:
        self.tp += len(gold & found)
        self.fp += len(found - gold)
        self.fn += len(gold - found)

    def __str__(self) -> str:
        precision, recall = self.tp / (self.tp + self.fp), self.tp / (self.tp + self.fn)
        f1 = 2 * self.tp / (2 * self.tp + self.fp + self.fn)
        return f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  (tp {self.tp}, fp {self.fp}, fn {self.fn})"


def read_mesh(folder: Path) -> Mesh:
    mesh = Mesh()
    for name, (identifier_at, term_at) in {
        "descriptor_terms_2024.tsv.gz": (0, 4),
        "scr_names_2017.tsv.gz": (0, 1),
    }.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            next(lines)
            for line in lines:
                parts = line.rstrip("\n").split("\t")
                identifier = f"MESH:{parts[identifier_at]}"
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


def evaluate(lexicon: Lexicon, files: Iterable[Path]) -> tuple[Counts, Counts]:
    """Strict spans, and identifiers by document, over all documents together."""
    spans, identifiers = Counts(), Counts()
    stages = (LexiconTagger(lexicon), Normalizer(lexicon))
    for path in files:
        for document in bioc.load(path.open(encoding="utf-8")).documents:
            gold = list(mentions(document))
            remove_mentions(document)
            for stage in stages:
                stage([document])
            found = list(mentions(document))
            spans.add({mention.spans for mention in gold}, {mention.spans for mention in found})
            identifiers.add({i for m in gold for i in m.identifiers}, {i for m in found for i in m.identifiers})
    return spans, identifiers


def _folded(name: str) -> str:
    return plain(name).casefold()


def _print_figures(lexicon: Lexicon, folder: Path, rules: bool) -> None:
    files = sorted(folder.glob("*.xml"))
    for label, patches in {"": [], **(RULES if rules else {})}.items():
        with ExitStack() as stack:
            for target, attribute, value in patches:
                stack.enter_context(patch.object(target, attribute, value))
            spans, identifiers = evaluate(lexicon, files)
        print(f"without: {label}" if label else "with all rules")
        print(f"    spans        {spans}")
        print(f"    identifiers  {identifiers}")


def _print_speed(lexicon: Lexicon, folder: Path, characters: int) -> None:
    """Tag one passage of this many characters, the articles repeated."""
    documents = (bioc.load(path.open(encoding="utf-8")).documents for path in sorted(folder.glob("*.xml")))
    text = " ".join(passage_text(p) for held in documents for document in held for p in document.passages)
    text = (text * (characters // len(text) + 1))[:characters]
    tagger = LexiconTagger(lexicon)
    start = time.perf_counter()
    found = len(tagger.find(text))
    print(f"{characters:,} characters: {found:,} names in {time.perf_counter() - start:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon", type=Path, help="another lexicon than the starter")
    parser.add_argument("--mesh", type=Path, help="folder of MeSH files")
    parser.add_argument("--gold", type=Path, help="folder of BioC XML files with chemical mentions")
    parser.add_argument("--rules", action="store_true", help="also without each rule of the tagger")
    parser.add_argument(
        "--speed", type=int, metavar="CHARACTERS", help="tag the gold text as one passage of this length"
    )
    options = parser.parse_args()
    wrong: list[str] = []
    with Lexicon.open(options.lexicon or STARTER) as lexicon:
        names = list(lexicon.names())
        print(f"{len({identifier for _, identifier in names})} concepts, {len(names)} names, version {lexicon.version}")
        if options.mesh:
            wrong = sorted(set(faults(lexicon, read_mesh(options.mesh))))
            print("\n".join(wrong) or "every identifier and preferred name is MeSH's")
        if options.gold:
            _print_figures(lexicon, options.gold, options.rules)
            if options.speed:
                _print_speed(lexicon, options.gold, options.speed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
