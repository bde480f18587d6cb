"""Where training data lies, unpacked (`../shared/data`) or packed for another machine (`pack.py`)."""

from __future__ import annotations

import json
import lzma
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.datasets import open_corpus
from corpora.datasets.fingerprints import fingerprint, leaks
from corpora.model.document import add_definition, fresh_ids, passage_text
from nlmchem.tagging.models.quantization import FILE, dequantise, read_quantised
from nlmchem.tagging.training.data import Corpus

GOLD = ("nlmchem",)
OUTSIDE = ("bc5cdr", "biored", "drugprot", "craft")
HELD = {"bc5cdr": ("train-dev", "test"), "biored": ("train-dev", "test")}
CORPUS_FILE = "{}.jsonl.gz"
TEXT_FILE = "text.jsonl.xz"
NOT_TRAINED_ON = "bc5cdr-test"
"""Scored in the end, never trained on."""


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


def without(learnt: Corpus, scored: Corpus) -> Corpus:
    """A corpus without the articles that another one, which is scored on, has too (by id, DOI or near-identical text).

    69 of BC5CDR's test articles stand in BioRED's training and development parts.
    """
    left = [fingerprint(document) for document in learnt.documents]
    found = leaks(left, (fingerprint(document) for document in scored.documents))
    hidden = {leak.left for leak in found}
    return replace(
        learnt, documents=tuple(d for d, own in zip(learnt.documents, left, strict=True) if own.id not in hidden)
    )


def articles_of_text(data: Path) -> Iterator[dict[str, str]]:
    """The unlabelled articles (`id`, `text`), packed or not, those excepted that are gold articles too."""
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
"""A paragraph in more unlabelled articles than this says that the authors have no competing interests."""


def leaked(data: Path, gold: list[BioCDocument]) -> list[str]:
    """Ids of unlabelled articles that share a paragraph (100 characters or more) with a gold article."""
    squeezed = (_squeezed(passage_text(passage)) for document in gold for passage in document.passages)
    holders: dict[str, set[str]] = {text: set() for text in squeezed if len(text) >= 100}
    for article in articles_of_text(data):
        for line in article["text"].split("\n"):
            if (text := _squeezed(line)) in holders:
                holders[text].add(article["id"])
    return sorted({name for names in holders.values() if len(names) <= BOILERPLATE for name in names})


def unpacked_base(base: Path, out: Path) -> Path:
    """A packed base model (int8) as a folder that `transformers` reads; any other one as it is."""
    if not (base / FILE).is_file():
        return base
    if not out.is_dir():
        from safetensors.torch import save_file

        waiting = out.with_name(out.name + ".part")
        shutil.rmtree(waiting, ignore_errors=True)
        shutil.copytree(base, waiting, ignore=shutil.ignore_patterns(FILE))
        save_file(dequantise(read_quantised(base)), waiting / "model.safetensors", {"format": "pt"})
        waiting.rename(out)
    return out


def with_definitions(documents: tuple[BioCDocument, ...]) -> tuple[BioCDocument, ...]:
    """The documents with the definitions of abbreviations added that their text holds, in place."""
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
