"""Ensembles and a silver corpus on real articles, of the runs that there can be before there are trained taggers.

    python benchmarks/ensemble_real.py --data ../shared/data --folder /tmp/real

The runs are the lexicon tagger's with different lexicons (made here from MeSH). For indexing there is no
indexer yet either: a run's index terms are the identifiers that a rule picks from its mentions (in title or
abstract; mentioned five or ten times; the three most frequent). All rules are simple, none was tuned. Thresholds
are chosen by the vote's own cross-validation, by document; intervals are of 10,000 bootstrap samples.

What issue 9 asks of trained taggers (silver data added to the training of a tagger) this cannot show.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.document import (
    IndexTerm,
    add_index_term,
    article_ids,
    mentions,
    remove_index_terms,
    remove_mentions,
    section_type,
)
from corpora.inputs import article_files

CALLS = {
    "ensemble": "from nlmchem.cli.ensemble import app; app()",
    "silver": "import typer; from nlmchem.cli.silver import silver; typer.run(silver)",
}
FRONT = {"TITLE", "ABSTRACT"}


def nlmchem(command: str, *arguments: str) -> None:
    """Call a command as a user would; what it prints is the result of this benchmark."""
    subprocess.run([sys.executable, "-c", CALLS[command], *arguments], check=True)


def annotate(source: str, lexicon: Path | None, out: Path) -> None:
    """Tag and normalize, unless it is done."""
    chosen = [] if lexicon is None else ["--lexicon", str(lexicon)]
    program = str(Path(sys.executable).with_name("nlmchem"))
    command = [program, "annotate", source, "-o", str(out), "--workers", "2", "--tagger", "lexicon", *chosen]
    code = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    if code not in (0, 3):
        raise SystemExit(f"{' '.join(command)} ended with {code}")


# -- lexicons -----------------------------------------------------------------------------------


def lexicons(mesh: Path, folder: Path) -> dict[str, Path | None]:
    """The starter lexicon, and five of MeSH names that differ in what they hold."""
    names = _descriptor_names(mesh)
    chemical = {id: found for id, (found, trees) in names.items() if trees & {"D01", "D02", "D03", "D04", "D09", "D10"}}
    tree_d = {id: found for id, (found, _) in names.items()}
    records = _record_names(mesh)
    made: dict[str, dict[str, list[str]]] = {
        "descriptors": tree_d,
        "chemical-branches": chemical,
        "preferred-names": {id: found[:1] for id, found in tree_d.items()},
        "long-names": {id: kept for id, found in tree_d.items() if (kept := [n for n in found if len(n) > 5])},
        "with-records": {**tree_d, **records},
    }
    paths: dict[str, Path | None] = {"starter": None}
    for name, content in made.items():
        path = folder / f"{name}.tsv"
        lines = (f"MESH:{id}\t{found[0]}\t{'|'.join(found[1:])}\n" for id, found in sorted(content.items()))
        path.write_text("".join(lines), encoding="utf-8")
        paths[name] = path
    return paths


def _descriptor_names(mesh: Path) -> dict[str, tuple[list[str], set[str]]]:
    trees: dict[str, set[str]] = {}
    for row in _rows(mesh / "descriptor_trees_2024.tsv.gz"):
        if row[2].startswith("D") and not row[2].startswith("D27"):
            trees.setdefault(row[0], set()).add(row[2][:3])
    names: dict[str, list[str]] = {}
    for row in _rows(mesh / "descriptor_terms_2024.tsv.gz"):
        # Permuted terms ("Acid, Citric") do not stand in texts.
        if row[0] in trees and row[6] == "N" and "|" not in row[4] and ", " not in row[4]:
            found = names.setdefault(row[0], [])
            found.insert(0 if row[8] == "Y" else len(found), _as_in_text(row[4]))
    return {id: (found, trees[id]) for id, found in names.items()}


def _record_names(mesh: Path) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for row in _rows(mesh / "scr_names_2017.tsv.gz"):
        if len(row[1]) > 6 and "|" not in row[1]:
            names.setdefault(row[0], []).append(_as_in_text(row[1]))
    return names


def _as_in_text(name: str) -> str:
    """MeSH capitalises names, and the tagger minds the case of short ones."""
    return name.lower() if len(name) > 3 and name[1:].islower() else name


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        yield from rows


# -- identification -----------------------------------------------------------------------------


def identification(data: Path, lexicon: dict[str, Path | None], folder: Path) -> None:
    gold = data / "nlmchem" / "bioc"
    bare = folder / "nlmchem-bare.xml"
    corpora.write((_bare(document) for document in corpora.read(gold)), bare)
    runs = []
    for name, path in lexicon.items():
        runs.append(folder / "identification" / name)
        annotate(str(bare), path, runs[-1])
    for task in ("spans", "identifiers"):
        for overlaps in ("merge", "best"):
            print(f"\n== {task}, {overlaps}", flush=True)
            out = str(folder / f"ensemble-{task}-{overlaps}")
            nlmchem(
                "ensemble", task, *map(str, runs), "--gold", str(gold), "--threshold", "best", "-o", out,
                "--overlaps", overlaps, "--restart",
            )  # fmt: skip
    print("\n== agreement", flush=True)
    nlmchem("ensemble", "agreement", *map(str, runs), "-o", str(folder / "agreement"), "--restart")


def _bare(document: BioCDocument) -> BioCDocument:
    for passage in document.passages:
        passage.annotations[:] = []
    return document


# -- indexing -----------------------------------------------------------------------------------


def _front(document: BioCDocument) -> list[str]:
    counts: Counter[str] = Counter()
    for mention in mentions(document):
        if section_type(mention.passage) in FRONT:
            counts.update(mention.identifiers)
    return sorted(counts)


def _at_least(number: int) -> Callable[[BioCDocument], list[str]]:
    return lambda document: sorted(id for id, times in _counts(document).items() if times >= number)


def _top_three(document: BioCDocument) -> list[str]:
    counts = _counts(document)
    return sorted(counts, key=lambda id: (-counts[id], id))[:3]


def _counts(document: BioCDocument) -> Counter[str]:
    return Counter(id for mention in mentions(document) for id in mention.identifiers)


RULES = {"front": _front, "five": _at_least(5), "ten": _at_least(10), "top-three": _top_three}


def indexing(data: Path, lexicon: dict[str, Path | None], folder: Path) -> None:
    wanted = _gold(data / "indexing" / "gold.jsonl")
    runs, silver = [], []
    gold = folder / "indexing-gold.jsonl"
    for name in ("starter", "chemical-branches", "descriptors", "preferred-names", "long-names"):
        annotated = folder / "indexing" / name
        annotate(str(data / "indexing" / "jats.tar.gz"), lexicon[name], annotated)
        silver.append(str(annotated))
        files = article_files(str(annotated))
        if not gold.exists():
            corpora.write((_indexed(document, wanted) for document in corpora.read(files)), gold, "jsonl")
        for rule, pick in RULES.items() if name in ("starter", "chemical-branches", "long-names") else ():
            runs.append(folder / f"index-{name}-{rule}.jsonl")
            if not runs[-1].exists():
                corpora.write((_picked(document, pick) for document in corpora.read(files)), runs[-1], "jsonl")
    print("\n== indexing", flush=True)
    out = str(folder / "ensemble-indexing")
    nlmchem("ensemble", "indexing", *map(str, runs), "--gold", str(gold), "--threshold", "best", "-o", out, "--restart")
    print("\n== silver", flush=True)
    nlmchem("silver", *silver, "--threshold", "0.35", "-o", str(folder / "silver"), "--restart")


def _gold(path: Path) -> dict[str, list[str]]:
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {record["pmcid"].removeprefix("PMC"): [id for id, _ in record["chemicals"]] for record in records}


def _indexed(document: BioCDocument, wanted: dict[str, list[str]]) -> BioCDocument:
    key = article_ids(document).get("pmc", str(document.id)).removeprefix("PMC")
    return _with_terms(document, wanted[key])


def _picked(document: BioCDocument, pick: Callable[[BioCDocument], list[str]]) -> BioCDocument:
    return _with_terms(document, pick(document))


def _with_terms(document: BioCDocument, identifiers: list[str]) -> BioCDocument:
    remove_mentions(document)
    remove_index_terms(document)
    for identifier in identifiers:
        add_index_term(document, IndexTerm(identifier))
    return document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder shared/data")
    parser.add_argument("--folder", type=Path, required=True, help="where runs and results go; runs are kept")
    parser.add_argument("--only", choices=("identification", "indexing"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    lexicon = lexicons(options.data / "mesh", options.folder)
    if options.only != "indexing":
        identification(options.data, lexicon, options.folder)
    if options.only != "identification":
        indexing(options.data, lexicon, options.folder)


if __name__ == "__main__":
    main()
