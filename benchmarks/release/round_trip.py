"""Writes and reads every real article in every format: how many articles come back equal, and why others do not.

    python -m benchmarks.release.round_trip [--data ../shared/data] [--sample N]

The articles are those of shared/data: 30 of NLM-Chem and NCBI's samples in BioC, the NLM-Chem corpus as PubTator,
100 + 461 of PMC in JATS. Each is read, written, read again, and compared element by element: ids, texts, offsets,
infons with their order, sentences, annotations, relations. Losses that the writer reported (JSON keys that BioC does
not define, types of infons) are counted apart. Other formats are compared up to their documented losses
(docs/reference/formats.md, docs/reference/pubtator.md): `pubtator` by texts and mentions with outer span, type and
identifiers; `brat` by texts and mentions with all spans, type and identifiers; `conll` by the spans and types of
mentions that do not overlap; `label-studio`, `doccano`, `prodigy` and `inception` by texts, offsets, and the spans and
types of the pieces of mentions, Label Studio and INCEpTION with their identifiers.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from bioc import BioCAnnotation, BioCDocument, BioCLocation

import corpora
from corpora.errors import NlmchemError
from corpora.formats import detection, registry
from corpora.formats.format import Folder
from corpora.formats.header import Header
from corpora.model.document import Mention, every_annotation
from corpora.model.passages import passage_text

SOURCES = {
    "NLM-Chem, BioC XML": "nlmchem/bioc",
    "NLM-Chem, PubTator": "nlmchem/nlmchem-open.passages.PubTator",
    "PMC samples, BioC": "pmc/bioc-samples.tar.gz",
    "PMC, JATS": "pmc/jats.tar.gz",
    "indexing, JATS": "indexing/jats.tar.gz",
}
EQUAL, LOSSES = "equal", "reported losses"
WAYS = (
    ("biocxml",),
    ("biocjson",),
    ("jsonl",),
    ("biocxml", "biocjson", "biocxml"),
    ("pubtator",),
    ("brat",),
    ("conll",),
    ("label-studio",),
    ("doccano",),
    ("prodigy",),
    ("inception",),
)


def plain(holder: Any) -> Any:
    """A BioC object as plain values in their order, for comparison."""
    if isinstance(holder, list):
        return [plain(item) for item in holder]
    if isinstance(holder, dict):
        return list(holder.items())
    return {key: plain(value) for key, value in vars(holder).items()} if hasattr(holder, "__dict__") else holder


def as_xml(value: Any) -> Any:
    """Plain values up to what docs/reference/formats.md says that BioC XML cannot hold."""
    if isinstance(value, dict):
        return {key: as_xml(inner) for key, inner in value.items() if key != "extra"}
    if isinstance(value, list):
        return [as_xml(item) for item in value if not (isinstance(item, tuple) and item[1] is None)]
    if isinstance(value, tuple) and not isinstance(value[1], str):
        return value[0], json.dumps(value[1], ensure_ascii=False)
    return value


def essence(document: BioCDocument) -> Any:
    """What PubTator keeps: texts, and where in them something is named."""
    texts, marks = [], []
    for passage in document.passages:
        texts.append(passage_text(passage).translate(str.maketrans("\t\r\n", "   ")))
    for annotation, _ in every_annotation(document):
        if not annotation.locations:
            continue
        start = min(place.offset for place in annotation.locations)
        end = max(place.offset + place.length for place in annotation.locations)
        # One of the document, too, stands in the passage that holds it.
        number = max(number for number, passage in enumerate(document.passages) if passage.offset <= start)
        offset = document.passages[number].offset
        mention = Mention(annotation, document.passages[number])
        marks.append((number, start - offset, end - offset, mention.type, mention.identifiers))
    kept = [number for number, text in enumerate(texts) if text.strip() or len(texts) > 2] or [0]
    return [texts[number] for number in kept if texts], sorted(marks)


def lines(document: BioCDocument) -> Any:
    """What brat stores: the lines of the text, and mentions with their spans in it."""
    texts, starts, reached = [], [], 0
    for passage in document.passages:
        texts.append(passage_text(passage).replace("\n", " ").replace("\r", " "))
        starts.append(reached - passage.offset)
        reached += len(texts[-1]) + 1
    marks = []
    for annotation, place in every_annotation(document):
        mention = Mention(annotation, place or document.passages[0])
        if mention.spans:
            start = mention.spans[0][0]
            numbers = [number for number, passage in enumerate(document.passages) if passage.offset <= start]
            number = document.passages.index(place) if place is not None else numbers[-1]
            spans = tuple((start + starts[number], end + starts[number]) for start, end in mention.spans)
            marks.append((spans, mention.type, mention.identifiers))
    return [text for text in texts if text], sorted(marks)


def tagged(document: BioCDocument) -> Any:
    """What CoNLL stores: mentions of one piece, of those that overlap the first and longest."""
    marks, reached = [], -1
    mentions = [
        Mention(annotation, passage) for annotation, passage in every_annotation(document) if passage is not None
    ]
    for mention in sorted((m for m in mentions if m.spans), key=lambda m: (m.spans[0][0], -m.spans[0][1])):
        (start, end), *more = mention.spans
        if not more and start >= reached:
            marks.append((start, end, mention.type))
            reached = end
    return marks


def regions(document: BioCDocument) -> Any:
    """What tasks of editors store: passages with text, and each piece of their mentions with its type."""
    texts = [(passage.offset, passage_text(passage)) for passage in document.passages if passage_text(passage).strip()]
    marks = [(place.offset, place.length, annotation.infons.get("type")) for annotation, place in _pieces(document)]
    return texts, sorted(marks)


def linked_regions(document: BioCDocument) -> Any:
    """What tasks of Label Studio store: also the identifiers of the mention of each piece."""
    texts, marks = regions(document)
    linked = [
        (place.offset, Mention(annotation, document.passages[0]).identifiers) for annotation, place in _pieces(document)
    ]
    return texts, marks, sorted(linked)


def _pieces(document: BioCDocument) -> Iterator[tuple[BioCAnnotation, BioCLocation]]:
    for annotation, passage in every_annotation(document):
        if passage is not None and passage_text(passage).strip():
            yield from ((annotation, place) for place in annotation.locations)


VIEWS = {
    ("pubtator",): essence,
    ("brat",): lines,
    ("conll",): tagged,
    ("label-studio",): linked_regions,
    ("doccano",): regions,
    ("prodigy",): regions,
    ("inception",): linked_regions,
}


def first_difference(before: Any, after: Any, path: str = "") -> str:
    """Where two values differ first, in words."""
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = ((f"{path}.{key}", before.get(key), after.get(key)) for key in [*before, *after])
    elif isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        if len(before) != len(after):
            return f"{path}: {len(before)} items became {len(after)}"
        pairs = ((f"{path}[]", old, new) for old, new in zip(before, after, strict=True))
    else:
        return f"{path}: {str(before)[:60]!r} became {str(after)[:60]!r}"
    return next((first_difference(old, new, where) for where, old, new in pairs if old != new), path)


def through(document: BioCDocument, format: str, told: list[str]) -> BioCDocument:
    """A document, written and read again."""
    writer = registry.writable(format)
    header = Header()
    stream = io.BytesIO()
    if isinstance(writer, Folder):
        stream.write(writer.dumps(document, told.append))
    else:
        writer.write([writer.dumps(document, told.append)], header, stream)
    stream.seek(0)
    ((name, raw),) = detection.split(stream, header, told.append)
    return registry.readable(name).parse(raw, told.append)


def outcome(document: BioCDocument, way: tuple[str, ...]) -> str:
    """`equal`, `reported losses`, or the first difference or error."""
    view = VIEWS.get(way, plain)
    before, told = view(document), list[str]()
    try:
        for format in way:
            document = through(document, format, told)
    except (NlmchemError, ValueError) as error:
        return f"failed: {str(error)[:90]}"
    after = view(document)
    if after != before and told and as_xml(after) == as_xml(before):
        return LOSSES
    return EQUAL if after == before else first_difference(before, after)


def documents(path: Path, sample: int | None) -> Iterator[BioCDocument]:
    """The articles of a source; reports of the reader are ignored."""
    return islice(corpora.read(path, report=lambda sentence: None), sample)


def table(name: str, articles: Iterable[BioCDocument]) -> int:
    """Print the rows of a source. Returns the number of articles that did not come back equal."""
    outcomes: dict[tuple[str, ...], Counter[str]] = {way: Counter() for way in WAYS}
    for document in articles:
        for way in WAYS:
            outcomes[way][outcome(document, way)] += 1
    for way, counts in outcomes.items():
        numbers = (counts.total(), counts[EQUAL], counts[LOSSES], differing(counts))
        print(f"{name:20} {' -> '.join(way):31}" + "".join(f"{number:16}" for number in numbers), flush=True)
        for reason, number in counts.most_common():
            if reason not in (EQUAL, LOSSES):
                print(f"{'':20}   {number} x {reason}")
    return sum(map(differing, outcomes.values()))


def differing(counts: Counter[str]) -> int:
    return counts.total() - counts[EQUAL] - counts[LOSSES]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sample", type=int, help="articles of each source; default: all")
    options = parser.parse_args()
    print(f"{'source':20} {'through':31}" + "".join(f"{word:>16}" for word in ("articles", EQUAL, LOSSES, "differing")))
    wrong = sum(table(name, documents(options.data / path, options.sample)) for name, path in SOURCES.items())
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
