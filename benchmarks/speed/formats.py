"""Reading and writing speed of BioC XML, JSON and JSON lines beside the `bioc` package's, and of rows of tokens.

    python -m benchmarks.speed.formats [--articles 60] [--rounds 3]
    python -m benchmarks.speed.formats --data ../shared/data    # MB/s of the reader of each corpus

Both sides do the same work on the same files: every document becomes `bioc` objects, every object
becomes bytes in a file. The articles are generated, about 178 kB and 600 mentions each. A ratio above
1 says that this project is faster; the best round of each side counts.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bioc import BioCAnnotation, BioCCollection, BioCDocument, BioCLocation, BioCPassage, biocjson, biocxml

import corpora
from corpora.datasets import open_corpus
from corpora.datasets.registry import listing, matching, streams
from corpora.reporting import ignore

WORDS = [
    *("the", "of", "and", "in", "was", "with", "glutathione", "after", "mice", "treated", "β-catenin", "sodium"),
    *("chloride", "(NaCl)", "cells", "were", "measured", "at", "37", "°C", "for", "24", "h", "expression", "increased"),
    *("significantly", "compared", "control", "group", "dopamine", "acetaminophen-induced", "toxicity", "H2O2"),
    *("5-fluorouracil", "showed", "<0.05", "&", "however", "results", "suggest", "that"),
]
CORPORA = {
    "BC5CDR (PubTator)": ("bc5cdr", "bc5cdr"),
    "BioRED (PubTator)": ("biored", "biored"),
    "DrugProt (TSV)": ("drugprot", "drugprot"),
    "CRAFT (Knowtator beside text)": ("craft", "craft"),
    "PMC full text with index gold (JATS)": ("pmc-indexing", "indexing"),
    "Ab3P (BioC XML)": ("ab3p", "abbreviations"),
    "SciAI (CSV, JSON)": ("sciai", "acronyms/sciai"),
    "SciAD (JSON)": ("sciad", "acronyms/sciad"),
    "GLADIS (JSON lines)": ("gladis", "acronyms/gladis"),
    "BioWiC (JSON)": ("biowic", "biowic"),
    "SemEval-2010 (JSON lines)": ("semeval2010", "keyphrases"),
}
MENTIONS = 600
PASSAGES = 60


def article(number: int) -> BioCDocument:
    """A full-text-like document with offsets that hold: about 178 kB as BioC XML."""
    draw = random.Random(number)
    document = BioCDocument()
    document.id = str(1_000_000 + number)
    document.infons = {"license": "CC BY"}
    offset = mention = 0
    for index in range(PASSAGES):
        passage = BioCPassage()
        passage.infons = {"section_type": "INTRO" if index else "TITLE", "type": "paragraph"}
        words = draw.choices(WORDS, k=128)
        passage.offset, passage.text = offset, " ".join(words)
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
        for place in sorted(draw.sample(range(len(words)), MENTIONS // PASSAGES)):
            annotation = BioCAnnotation()
            annotation.id = str(mention)
            annotation.infons = {"type": "Chemical", "identifier": f"MESH:D{draw.randrange(10**6):06d}"}
            annotation.text = words[place]
            annotation.locations = [BioCLocation(offset + starts[place], len(words[place]))]
            passage.add_annotation(annotation)
            mention += 1
        document.add_passage(passage)
        offset += len(passage.text) + 1
    return document


def collection(articles: int) -> BioCCollection:
    """A collection of generated articles."""
    made = BioCCollection()
    made.source, made.date, made.key = "generated", "20260101", "none"
    made.documents = [article(number) for number in range(articles)]
    return made


@dataclass(frozen=True)
class Case:
    """One job, done by each side; each returns the number of documents."""

    name: str
    size: int
    ours: Callable[[], int]
    theirs: dict[str, Callable[[], int]]


def cases(folder: Path, made: BioCCollection) -> Iterator[Case]:
    """Reading and writing in each format; the files that are read were written by `bioc` itself."""
    documents = made.documents
    xml, json, lines = folder / "c.xml", folder / "c.json", folder / "c.jsonl"

    def read(path: Path) -> Callable[[], int]:
        return lambda: sum(1 for _ in corpora.read(path))

    def write(format: str) -> Callable[[], int]:
        return lambda: corpora.write(documents, folder / f"ours.{format}", format, report=ignore)

    def load(library: Any, path: Path, **opened: str) -> int:
        with path.open(**opened) as stream:
            return len(library.load(stream).documents)

    def dump(library: Any, path: Path, **options: bool) -> int:
        with path.open("w", encoding="utf-8") as stream:
            library.dump(made, stream, **options)
        return len(documents)

    def stream_lines() -> int:
        with biocjson.iterreader(str(lines)) as reader:
            return sum(1 for _ in reader)

    def stream_lines_out(target: Path = folder / "theirs.jsonl") -> int:
        with biocjson.iterwriter(str(target)) as writer:
            for document in documents:
                writer.write(document)
        return len(documents)

    dump_xml = partial(dump, biocxml, xml, pretty_print=False)
    dump_json = partial(dump, biocjson, json, ensure_ascii=False)
    for job in (dump_xml, dump_json, partial(stream_lines_out, lines)):
        job()
    sizes = [path.stat().st_size for path in (xml, json, lines)]
    yield Case("read BioC XML", sizes[0], read(xml), {"load": partial(load, biocxml, xml, mode="rb")})
    yield Case("write BioC XML", sizes[0], write("biocxml"), {"dump": dump_xml})
    yield Case("read BioC JSON", sizes[1], read(json), {"load": partial(load, biocjson, json, encoding="utf-8")})
    yield Case("write BioC JSON", sizes[1], write("biocjson"), {"dump": dump_json})
    yield Case("read JSON lines", sizes[2], read(lines), {"stream": stream_lines})
    yield Case("write JSON lines", sizes[2], write("jsonl"), {"stream": stream_lines_out})
    tokens, rows = folder / "c.conll", folder / "c.hf.jsonl"
    for path, format in ((tokens, "conll"), (rows, "hf")):
        corpora.write(documents, path, format, report=ignore)
    yield Case("read CoNLL", tokens.stat().st_size, read(tokens), {})
    yield Case("write CoNLL", tokens.stat().st_size, write("conll"), {})
    yield Case("write HF rows", rows.stat().st_size, write("hf"), {})


def seconds(job: Callable[[], int], expected: int) -> float:
    """CPU seconds of a job (the machine may be shared); it must handle every document."""
    begun = time.process_time()
    handled = job()
    taken = time.process_time() - begun
    if handled != expected:
        raise SystemExit(f"{handled} documents in place of {expected}")
    return taken


def readers(data: Path, rounds: int) -> Iterator[tuple[str, int, float, float]]:
    """Corpus, items, megabytes of unpacked content, and processor seconds of the best round."""
    for what, (name, place) in CORPORA.items():
        corpus = open_corpus(name, data / place)
        patterns = {p for roles in corpus.form.splits.values() for wanted in roles.values() for p in wanted}
        entries = matching(listing(data / place), sorted(patterns))
        size = sum(sum(map(len, iter(lambda s=stream: s.read(1 << 20), b""))) for _, stream in streams(entries))
        best, items = float("inf"), 0
        for _ in range(rounds):
            begun = time.process_time()
            items = sum(1 for _ in corpus.read(report=ignore))
            best = min(best, time.process_time() - begun)
        yield what, items, size / 1e6, best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="read the corpora of this folder instead")
    options = parser.parse_args()
    if options.data:
        for what, items, megabytes, spent in readers(options.data, options.rounds):
            print(f"{what:38} {items:7} {megabytes:8.2f} MB {spent:7.3f} s {megabytes / spent:7.1f} MB/s", flush=True)
        return
    made = collection(options.articles)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder), made):
            jobs = {"nlmchem": case.ours, **{f"bioc {name}": job for name, job in case.theirs.items()}}
            best = dict.fromkeys(jobs, float("inf"))
            for _ in range(options.rounds):
                for name, job in jobs.items():
                    best[name] = min(best[name], seconds(job, options.articles))
            for name, taken in best.items():
                speed = f"{case.size / taken / 1e6:7.1f} MB/s {options.articles / taken:7.1f} articles/s"
                ratio = "" if name == "nlmchem" else f"   nlmchem is {taken / best['nlmchem']:.2f} times as fast"
                print(f"{case.name:16}  {name:12} {speed}{ratio}", flush=True)


if __name__ == "__main__":
    main()
