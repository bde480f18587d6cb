"""Small runs as files: a run is a list of documents, a document is a list of passages with annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.model.document import IndexTerm, add_index_term, add_mention, set_identifiers
from ensemble.runs import Ballot, Poll, open_poll

Marks = Sequence[tuple[Any, ...]]
"""(start, end) in the document, or (start, end, identifiers) with identifiers joined by commas, `-` for none."""

TEXT = "Copper sulfate and zinc in cells"
#       0      7       15  19   24 27  32


def make_document(
    id: str, marks: Marks = (), terms: Sequence[str] = (), texts: Sequence[str] = (TEXT,)
) -> BioCDocument:
    document = BioCDocument()
    document.id = id
    offset = 0
    for text in texts:
        passage = BioCPassage()
        passage.offset, passage.text = offset, text
        document.add_passage(passage)
        offset += len(text) + 1
    for number, (start, end, *identifiers) in enumerate(marks):
        passage = next(p for p in reversed(document.passages) if p.offset <= start)
        mention = add_mention(passage, [(start, end)], id=f"T{number}", annotator="test")
        if identifiers:
            set_identifiers(mention, [part for part in identifiers[0].split(",") if part != "-"])
    for term in terms:
        add_index_term(document, IndexTerm(term))
    return document


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., str]:
    """Write documents as a run of this name, and return its path."""

    def write(name: str, documents: Sequence[BioCDocument], format: str = "biocxml", suffix: str = ".xml") -> str:
        path = tmp_path / f"{name}{suffix}"
        corpora.write(documents, path, format)
        return str(path)

    return write


@pytest.fixture
def poll_of(write_run: Callable[..., str]) -> Callable[..., AbstractContextManager[Poll]]:
    """A poll over one document; a run is given by its annotations."""

    def open_(runs: Mapping[str, Marks], gold: Marks | None = None, **options: Any) -> AbstractContextManager[Poll]:
        paths = [write_run(name, [make_document("1", marks)]) for name, marks in runs.items()]
        standard = None if gold is None else write_run("the-gold", [make_document("1", gold)])
        return open_poll(paths, gold=standard, report=lambda sentence: None, **options)

    return open_


@pytest.fixture
def ballot_of(poll_of: Callable[..., AbstractContextManager[Poll]]) -> Callable[..., Ballot]:
    """The ballot over one document; runs are named a, b, c ... in the order given."""

    def vote(*runs: Marks, **options: Any) -> Ballot:
        with poll_of({chr(ord("a") + at): marks for at, marks in enumerate(runs)}, **options) as poll:
            (ballot,) = poll.ballots()
        return ballot

    return vote


@pytest.fixture
def document() -> Callable[..., BioCDocument]:
    """`make_document`: id, marks, index terms, texts of the passages."""
    return make_document
