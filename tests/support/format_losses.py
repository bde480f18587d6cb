"""What each written format does with each part of a document: it keeps it, or reports it, document by document.

    python tests/support/format_losses.py        # prints the table of docs/reference/formats.md

An article is written with a part and without it. A part is `kept` if it is there when the file is read again (in the
file, where the format is not read), `reported` if the sentences differ, and `fails` if the article is not written. The
rows are the formats of the registry: a new one has its row at once, and a part that it leaves out in silence is a
failed test.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation, BioCSentence

import corpora
from corpora.errors import ArticleError
from corpora.extras import installed
from corpora.formats import registry
from corpora.formats.format import Folder, Header
from corpora.formats.registry import named
from corpora.model.document import (
    Definition,
    IndexTerm,
    add_definition,
    add_index_term,
    add_mention,
    fresh_ids,
    set_identifiers,
)
from corpora.reporting import ignore

MARKER = "Qx7z"
"""A word that only the part has."""
KEPT, REPORTED, FAILS, SILENT, NONE = "kept", "reported", "fails", "silent", "-"


LINKED_ONLY = frozenset({"europepmc"})
"""Formats that store mentions with identifiers only."""


def article(format: str = "") -> BioCDocument:
    """An article of two passages with a mention in each."""
    document = BioCDocument()
    document.id, document.infons = "7", {"article-id_pmid": "7"}
    offset = 0
    for text in ("Zinc in rats.", f"We gave zinc and lead acetate ({MARKER[0]}A) twice."):
        passage = BioCPassage()
        passage.offset, passage.text = offset, text
        document.add_passage(passage)
        offset += len(text) + 1
    for number, (passage, start) in enumerate(zip(document.passages, (0, 22), strict=True)):
        mention = add_mention(passage, [(start, start + 4)], id=f"C{number}", annotator=None)
        if format in LINKED_ONLY:
            set_identifiers(mention, ["MESH:D1"])
    return document


def _relation(*ids: str) -> BioCRelation:
    relation = BioCRelation()
    relation.id, relation.infons = "R1", {"type": MARKER}
    relation.nodes = [BioCNode(id, role) for id, role in zip(ids, ("first", "second"), strict=True)]
    return relation


def _document_infons(document: BioCDocument) -> None:
    document.infons["note"] = MARKER


def _passage_infons(document: BioCDocument) -> None:
    document.passages[0].infons["note"] = MARKER


def _sentences(document: BioCDocument) -> None:
    passage = document.passages[0]
    sentence = BioCSentence()
    sentence.offset, sentence.text, sentence.infons = 0, passage.text, {"note": MARKER}
    passage.sentences = [sentence]


def _identifiers(document: BioCDocument) -> None:
    mention = next(corpora.mentions(document))
    set_identifiers(mention, [f"MESH:{MARKER}"])


def _no_concept(document: BioCDocument) -> None:
    set_identifiers(next(corpora.mentions(document)), [])


def _mention_infons(document: BioCDocument) -> None:
    next(corpora.mentions(document)).annotation.infons["note"] = MARKER


def _types(document: BioCDocument) -> None:
    next(corpora.mentions(document)).annotation.infons["type"] = MARKER


def _pieces(document: BioCDocument) -> None:
    passage = document.passages[1]
    add_mention(passage, [(22, 26), (36, 43)], id="P1", annotator=None, type=MARKER)


def _overlap(document: BioCDocument) -> None:
    add_mention(document.passages[1], [(22, 35)], id="P1", annotator=None, type=MARKER)


def _wrong_offsets(document: BioCDocument) -> None:
    annotation = BioCAnnotation()
    annotation.id, annotation.infons, annotation.text = "P1", {"type": "Chemical"}, MARKER
    annotation.add_location(BioCLocation(5, 2))
    document.passages[0].add_annotation(annotation)


def _relation_of_passage(document: BioCDocument) -> None:
    add_mention(document.passages[0], [(8, 12)], id="C9", annotator=None)
    document.passages[0].add_relation(_relation("C0", "C9"))


def _relation_of_document(document: BioCDocument) -> None:
    document.add_relation(_relation("C0", "C1"))


def _abbreviation(document: BioCDocument) -> None:
    passage = document.passages[1]
    start = passage.offset + passage.text.index("(") + 1
    long_form = passage.offset + passage.text.index("lead")
    definition = Definition(
        passage.text[start - passage.offset : start - passage.offset + 2], "lead acetate",
        (start, start + 2), (long_form, long_form + 12), MARKER,
    )  # fmt: skip
    add_definition(passage, definition, fresh_ids(document, "A"))


def _index_term(document: BioCDocument) -> None:
    add_index_term(document, IndexTerm(f"MESH:{MARKER}", MARKER))


def _annotation_of_document(document: BioCDocument) -> None:
    annotation = BioCAnnotation()
    annotation.id, annotation.infons, annotation.text = "P1", {"type": MARKER}, "rats"
    annotation.add_location(BioCLocation(8, 4))
    document.add_annotation(annotation)


def _json_keys(document: BioCDocument) -> None:
    document.extra = {"note": MARKER}


def _line_breaks(document: BioCDocument) -> None:
    document.passages[0].text = "Zinc\nin rats."


def _empty_passage(document: BioCDocument) -> None:
    passage = BioCPassage()
    passage.offset, passage.text, passage.infons = 500, "", {"type": MARKER}
    document.add_passage(passage)


PARTS: dict[str, Callable[[BioCDocument], None]] = {
    "infons of the article": _document_infons,
    "infons of a passage": _passage_infons,
    "sentences": _sentences,
    "line breaks": _line_breaks,
    "empty passages": _empty_passage,
    "types": _types,
    "identifiers": _identifiers,
    "no concept (-)": _no_concept,
    "other infons of a mention": _mention_infons,
    "several pieces": _pieces,
    "overlap": _overlap,
    "text not at its offsets": _wrong_offsets,
    "relations in a passage": _relation_of_passage,
    "relations across passages": _relation_of_document,
    "abbreviations": _abbreviation,
    "index terms": _index_term,
    "annotations of the article": _annotation_of_document,
    "JSON keys": _json_keys,
}
"""The columns of the table."""


def written(format: str, document: BioCDocument, folder: Path) -> tuple[str, list[str]]:
    """The content of the files as a text, and the sentences."""
    writer = named(format).writer
    assert writer is not None
    notes: list[str] = []
    article = writer.dumps(document, notes.append)
    if isinstance(writer, Folder):
        _, files = writer.files(article)
        return "\n".join(f"{name}\n{content.decode()}" for name, content in sorted(files.items())), notes
    path = folder / "out"
    with path.open("wb") as stream:
        writer.write([article], Header(), stream)
    if path.read_bytes().startswith(b"PAR1"):
        import pyarrow.parquet

        return str(pyarrow.parquet.read_table(path).to_pylist()), notes
    if format == "spacy":
        return _of_spacy(path), notes
    return path.read_text("utf-8"), notes


def _of_spacy(path: Path) -> str:
    import spacy
    from spacy.tokens import DocBin

    docs = list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))
    spans = [(span.label_, span.kb_id_, span.id_, span.start_char) for doc in docs for span in doc.spans["mentions"]]
    return str([spans, [(doc.text, doc.user_data) for doc in docs]])


OF_TEXTS = frozenset(
    {"infons of the article", "infons of a passage", "sentences", "line breaks", "empty passages", "JSON keys"}
)
OF_TERMS = frozenset(PARTS) - {"index terms"}
OUTSIDE = {
    **dict.fromkeys(("tsv", "csv", "parquet"), OF_TEXTS | {"no concept (-)"}),
    "europepmc": OF_TEXTS,
    **dict.fromkeys(("terms-tsv", "terms-csv", "terms-parquet"), OF_TERMS),
}
"""Tables of annotations, or of index terms: other parts are not their subject, which is not reported."""


def outcome(format: str, part: str, folder: Path) -> str:
    """What a format does with a part."""
    document = article(format)
    PARTS[part](document)
    plain, sentences = written(format, article(format), folder)
    try:
        content, notes = written(format, document, folder)
    except ArticleError:
        return FAILS
    if notes != sentences or (not named(format).stores_mentions and part not in OF_TEXTS):
        # A format without mentions reports each of them.
        return REPORTED
    if part in OUTSIDE.get(format, ()):
        return NONE
    if named(format).reader is None:
        is_marked = MARKER in str(_marked(document))
        return KEPT if (MARKER in content if is_marked else content != plain) else SILENT
    back = read_again(format, document)
    if MARKER in str(_marked(document)):
        return KEPT if MARKER in str(_marked(back)) else SILENT
    return KEPT if _plain(back) == _plain(document) else SILENT


def read_again(format: str, document: BioCDocument) -> BioCDocument:
    """The document that is read from the file of another one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"7{registry.suffix_of(format)}"
        corpora.write([document], path, format, report=ignore)
        (back,) = corpora.read(path, report=ignore)
    return back


def _plain(document: BioCDocument) -> list[Any]:
    """The texts of a document, and whether its mentions were looked up."""
    marks = [(mention.text, mention.sought) for mention in corpora.mentions(document)]
    return [[passage.text for passage in document.passages if passage.text], marks]


def _marked(document: BioCDocument) -> list[Any]:
    """The values of a document that can have the marker."""
    holders = [document, *document.passages, *(one for passage in document.passages for one in passage.sentences)]
    marks = [annotation for holder in holders for annotation in holder.annotations]
    relations = [relation for holder in holders for relation in holder.relations]
    infons = [item.infons for item in (*holders, *marks, *relations)]
    return [infons, [mark.text for mark in marks], getattr(document, "extra", None)]


def written_formats() -> list[str]:
    """The names of the formats that are written and whose packages are installed."""
    return [
        format.name
        for format in registry.formats()
        if format.writes is not None and (not format.package or installed(format.package))
    ]


def table() -> Iterator[str]:
    """The lines of the table in Markdown: a row for each part, because there are more parts than formats."""
    names = written_formats()
    yield f"| part | {' | '.join(f'`{name}`' for name in names)} |"
    yield "|---" * (len(names) + 1) + "|"
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            yield f"| {part} | {' | '.join(outcome(name, part, Path(folder)) for name in names)} |"


if __name__ == "__main__":
    print("\n".join(table()))
