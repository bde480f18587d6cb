"""Exports annotated articles to every format, reads the files back, and counts equal spans and identifiers.

    python benchmarks/export_formats.py --data ../shared/data [--sample N]

The 130 articles are the 30 open ones of NLM-Chem (BioC XML) and 100 of PMC (JATS), annotated with the lexicon tagger
and normalized. Compared are all annotations with a location: mentions and abbreviations. `spans`: annotations that come
back with equal document, offsets and type. `ids`: those whose identifiers are equal as well. Formats that are read are
read by `corpora.read`; TSV as text, Parquet by pyarrow, DocBin by spaCy, the layout of Hugging Face as JSON lines.
A format whose package is not installed is left out. The last column has the losses that the writer reported.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bioc import BioCDocument

import corpora
import nlmchem
from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.document import mentions
from corpora.reporting import ignore

Spans = tuple[tuple[int, int], ...]
Row = tuple[str, Spans, str, tuple[str, ...]]
"""Document, spans, type, identifiers."""

_LOSS = re.compile(r"(?:: |\), )([^()]+(?:\([^()0-9]+\))?) \((\d+)(?=\))")


def rows_of(documents: Iterator[BioCDocument]) -> Iterator[Row]:
    for document in documents:
        for mention in mentions(document, None):
            yield str(document.id), mention.spans, mention.type, mention.identifiers


def from_corpora(path: Path) -> Iterator[Row]:
    return rows_of(corpora.read(path, report=ignore))


def from_tsv(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["start"]:
                spans = zip(map(int, row["start"].split(";")), map(int, row["end"].split(";")), strict=True)
                yield row["document"], tuple(spans), row["type"], split_ids(row["identifier"])


def from_parquet(path: Path) -> Iterator[Row]:
    from pyarrow import parquet

    for row in parquet.read_table(path).to_pylist():
        if row["spans"]:
            spans = tuple((span["start"], span["end"]) for span in row["spans"])
            yield row["document"], spans, row["type"], tuple(row["identifiers"] or ())


def from_spacy(path: Path) -> Iterator[Row]:
    import spacy
    from spacy.tokens import DocBin

    for doc in DocBin().from_disk(path).get_docs(spacy.blank("en").vocab):
        for span in doc.spans["mentions"]:
            where = ((span.start_char, span.end_char),)
            yield doc.user_data["id"], where, span.label_, split_ids(span.kb_id_)


def from_hf(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            for entity in row["entities"]:
                spans = tuple((span["start"], span["end"]) for span in entity["spans"])
                yield row["document"], spans, entity["type"], tuple(entity["identifiers"])


def split_ids(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part not in ("", "-"))


READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    "tsv": from_tsv, "parquet": from_parquet, "spacy": from_spacy, "hf": from_hf,
}  # fmt: skip


def equal(left: Counter[Any], right: Counter[Any]) -> int:
    return sum((left & right).values())


def measure(name: str, documents: list[BioCDocument], folder: Path) -> dict[str, Any]:
    """Write and read one format. `spans` and `ids` count annotations that came back equal."""
    notes: list[str] = []
    path = folder / f"all{registry.suffix_of(name)}"
    begun = time.perf_counter()
    corpora.write(documents, path, name, report=notes.append)
    written = Counter(rows_of(iter(documents)))
    back = Counter(READERS.get(name, from_corpora)(path))
    losses: Counter[str] = Counter()
    for note in notes:
        for kind, number in _LOSS.findall(note):
            losses[kind.strip()] += int(number)
    without = [Counter(row[:3] for row in rows.elements()) for rows in (written, back)]
    return {
        "format": name,
        "read": sum(back.values()),
        "spans": equal(*without),
        "ids": equal(written, back),
        "seconds": time.perf_counter() - begun,
        "losses": dict(losses.most_common()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, help="articles of each source; default: all")
    given = parser.parse_args()
    sources = [given.data / "nlmchem/bioc", given.data / "pmc/jats.tar.gz"]
    found = chain(*(islice(corpora.read(source, report=ignore), given.sample) for source in sources))
    pipe = nlmchem.load(tagger="lexicon", steps=["abbreviate", "tag", "normalize"], existing="replace")
    documents = list(pipe(found))
    total = sum(1 for _ in rows_of(iter(documents)))
    linked = sum(1 for *_, ids in rows_of(iter(documents)) if ids)
    print(f"{len(documents)} articles, {total} annotations, {linked} with identifiers\n")
    print("| format | read back | equal spans | equal spans and identifiers | left out or changed, as reported |")
    print("|---|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in registry.writable_names():
            try:
                row = measure(name, documents, Path(folder))
            except ConfigurationError as error:
                print(f"| {name} | | | | not measured: {error} |")
                continue
            losses = ", ".join(f"{kind} {number}" for kind, number in row["losses"].items())
            print(f"| {name} | {row['read']} | {row['spans']} | {row['ids']} | {losses} |", flush=True)


if __name__ == "__main__":
    main()
