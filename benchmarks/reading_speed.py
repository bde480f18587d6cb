"""Reading speed of every format and corpus dialect, in MB of file content a second, in one run.

    python benchmarks/reading_speed.py [--data ../shared/data] [--rounds 3] [--json]

What is timed is reading alone, from open file to `bioc` documents (or samples), offsets checked or mended as
readers always do. MB are those of the unpacked files; unpacking is part of the time. Articles are the same in BioC
XML, BioC JSON, JSON lines, PubTator and CoNLL (NLM-Chem's, written by this project), so these can be compared with
one another. Seconds are those of the processor, in the best round: other work on the machine hardly counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import corpora
from corpora.datasets import open_corpus
from corpora.datasets.corpus_files import listing, matching, streams
from corpora.formats import conll, medline
from corpora.formats.header import Header
from corpora.model.document import index_terms
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.storage import inputs, members

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
CITATION = """<PubmedArticle><MedlineCitation><PMID>{id}</PMID><Article><ArticleTitle>{title}</ArticleTitle><Abstract>
<AbstractText>{abstract}</AbstractText></Abstract></Article><ChemicalList>{chemicals}</ChemicalList></MedlineCitation>
</PubmedArticle>"""


@dataclass(frozen=True, slots=True)
class Speed:
    """What was read: items, megabytes of content, and the processor's seconds in the best round."""

    what: str
    items: int
    megabytes: float
    seconds: float

    @property
    def rate(self) -> float:
        """Megabytes a second."""
        return self.megabytes / self.seconds


def timed(what: str, size: int, rounds: int, read: Callable[[], Iterable[Any]]) -> Speed:
    """The best of some rounds of reading everything."""
    best, items = float("inf"), 0
    for _ in range(rounds):
        begun = time.process_time()
        items = sum(1 for _ in read())
        best = min(best, time.process_time() - begun)
    return Speed(what, items, size / 1e6, best)


def quiet(sentence: str) -> None:
    """What readers have to tell is not the point here."""


def formats(data: Path, folder: Path, rounds: int) -> Iterator[Speed]:
    """The same articles in each format that is both written and read."""
    documents = list(open_corpus("nlmchem-open", data / "nlmchem").read())
    for name, suffix in (("BioC XML", "xml"), ("BioC JSON", "json"), ("JSON lines", "jsonl"), ("PubTator", "pubtator")):
        path = folder / f"articles.{suffix}"
        corpora.write(documents, path, report=quiet)
        yield timed(name, path.stat().st_size, rounds, partial(corpora.read, path, report=quiet))
    path = folder / "articles.conll"
    path.write_bytes(b"".join(conll.dumps(document, quiet) for document in documents))
    yield timed("CoNLL", path.stat().st_size, rounds, lambda: through(conll, path))


def citations(data: Path, folder: Path, rounds: int) -> Speed:
    """MEDLINE XML is not at hand: citations made of the articles with index gold, in its element structure."""
    path = folder / "pubmed.xml"
    with path.open("w", encoding="utf-8") as out:
        out.write("<PubmedArticleSet>")
        for document in open_corpus("pmc-indexing", data / "indexing").read(report=quiet):
            names = [
                f'<Chemical><NameOfSubstance UI="{term.identifier[5:]}">x</NameOfSubstance></Chemical>'
                for term in index_terms(document)
            ]
            title, abstract = (escaped(passage_text(passage)) for passage in document.passages[:2])
            key = join_key(document)
            out.write(CITATION.format(id=key, title=title, abstract=abstract * 3, chemicals="".join(names)))
        out.write("</PubmedArticleSet>")
    return timed("MEDLINE XML", path.stat().st_size, rounds, lambda: through(medline, path))


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def through(format: Any, path: Path) -> Iterator[Any]:
    """The documents of a format that files are not told by."""
    with path.open("rb") as stream:
        for raw in format.split(stream, Header(), quiet):
            yield format.parse(raw, quiet)


def datasets(data: Path, rounds: int) -> Iterator[Speed]:
    """Every corpus at hand through its reader."""
    for what, (name, place) in CORPORA.items():
        corpus = open_corpus(name, data / place)
        patterns = {p for roles in corpus.form.splits.values() for wanted in roles.values() for p in wanted}
        entries = matching(listing(data / place), sorted(patterns))
        size = sum(length(stream) for _, stream in streams(entries))
        yield timed(what, size, rounds, partial(corpus.read, report=quiet))


def jats(data: Path, rounds: int) -> Speed:
    """Odd articles of PubMed Central, large ones among them."""
    path = data / "pmc" / "jats.tar.gz"
    [file] = inputs.expand([str(path)])
    size = sum(length(stream) for _, stream in members.members(file))
    return timed("JATS (odd articles)", size, rounds, lambda: corpora.read(path, report=quiet))


def length(stream: Any) -> int:
    return sum(map(len, iter(lambda: stream.read(1 << 20), b"")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = [
            *formats(options.data, Path(name), options.rounds),
            citations(options.data, Path(name), options.rounds),
        ]
        found += [jats(options.data, options.rounds), *datasets(options.data, options.rounds)]
    if options.json:
        print(
            json.dumps([{**asdict(speed), "megabytes_per_second": round(speed.rate, 2)} for speed in found], indent=1)
        )
        return
    print(f"{'what':38} {'items':>7} {'MB':>8} {'s':>7} {'MB/s':>7}")
    for speed in found:
        print(f"{speed.what:38} {speed.items:7} {speed.megabytes:8.2f} {speed.seconds:7.3f} {speed.rate:7.1f}")


if __name__ == "__main__":
    main()
