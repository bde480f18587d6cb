"""Training data: in `../shared/data`, or packed for another machine (`pack.py`)."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.datasets import open_corpus
from corpora.model.document import add_definition, fresh_ids
from corpora.model.passages import passage_text
from corpora.tools.leaks import fingerprint, leaks
from nlmchem.tagging.training.data import Corpus

GOLD = ("nlmchem",)
OUTSIDE = ("bc5cdr", "biored", "drugprot", "craft")
CORPUS_FILE = "{}.jsonl.gz"
TEXT_FILE = "text.jsonl.xz"
NOT_TRAINED_ON = "bc5cdr-test"
"""Only used for scoring. Its articles are never trained on."""


def corpus(data: Path, name: str) -> Corpus:
    """A corpus of `data`, packed or not. `bc5cdr` is its training and development part, `bc5cdr-test` the rest."""
    packed = data / CORPUS_FILE.format(name)
    known, _, part = name.partition("-")
    if packed.is_file():
        from corpora.datasets import card

        documents = tuple(corpora.read(packed, report=_silent))
        return Corpus(name, documents, 1.0, card(known).licence, card(known).source)
    if known == "nlmchem":
        # The PubTator file has the same articles passage by passage; the BioC files have them whole.
        documents = tuple(corpora.read(data / "nlmchem" / "bioc", report=_silent))
        from corpora.datasets import card

        return Corpus(name, documents, 1.0, card(known).licence, card(known).source)
    opened = open_corpus(known, data / known)
    splits = [split for split in opened.splits if ("test" in split) == (part == "test")]
    documents = tuple(document for split in splits for document in opened.read(split, _silent))
    return Corpus(name, documents, 1.0, opened.card.licence, opened.card.source)


def without(trained: Corpus, scored: Corpus) -> Corpus:
    """A training corpus without the articles of a corpus that is scored on (by id, DOI or near-identical text).

    69 test articles of BC5CDR are in the training and development parts of BioRED.
    """
    left = [fingerprint(document) for document in trained.documents]
    found = leaks(left, (fingerprint(document) for document in scored.documents))
    hidden = {leak.left for leak in found}
    return replace(
        trained, documents=tuple(d for d, own in zip(trained.documents, left, strict=True) if own.id not in hidden)
    )


def articles_of_text(data: Path) -> Iterator[dict[str, str]]:
    """The unlabelled articles (`id`, `text`), packed or not, without those that are also gold articles."""
    manifest = data / "manifest.json"
    left_out = set(json.loads(manifest.read_text())["left_out"]) if manifest.is_file() else set()
    packed = data / TEXT_FILE
    for file in [packed] if packed.is_file() else sorted((data / "text").glob("*.jsonl.xz")):
        with lzma.open(file, "rt", encoding="utf-8") as stream:
            for line in stream:
                article = json.loads(line)
                if article["id"] not in left_out:
                    yield article


BOILERPLATE = 3
"""A paragraph in more unlabelled articles than this is boilerplate, such as a statement of competing interests."""


def leaked(data: Path, gold: list[BioCDocument]) -> list[str]:
    """Ids of unlabelled articles that share a paragraph (100 characters or more) with a gold article."""
    squeezed = (_squeezed(passage_text(passage)) for document in gold for passage in document.passages)
    holders: dict[str, set[str]] = {text: set() for text in squeezed if len(text) >= 100}
    for article in articles_of_text(data):
        for line in article["text"].split("\n"):
            if (text := _squeezed(line)) in holders:
                holders[text].add(article["id"])
    return sorted({name for names in holders.values() if len(names) <= BOILERPLATE for name in names})


def with_definitions(documents: tuple[BioCDocument, ...]) -> tuple[BioCDocument, ...]:
    """Add the definitions of abbreviations in the text to the documents, in place."""
    from nlmchem.abbreviations.ab3p.detector import detect

    for document in documents:
        ids = fresh_ids(document, "A")
        for passage in document.passages:
            for definition in detect(passage_text(passage), offset=passage.offset):
                add_definition(passage, definition, ids)
    return documents


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def _silent(_: str) -> None:
    pass
