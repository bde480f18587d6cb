"""The articles that the recipes read: gold sets and unlabelled texts, in `../shared/data`.

A folder of data may also have packed files, which a rehearsal uses: `nlmchem.jsonl.gz` with the articles of the set
`open`, and `text.jsonl.xz` with unlabelled texts.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.datasets import open_corpus
from corpora.model.passages import passage_text
from corpora.reporting import ignore

FILES = {
    "articles": "nlmchem/train-articles",
    "open": "nlmchem/bioc",
    "bc5cdr-test": "bc5cdr/BC5CDR_Test.PubTator.gz",
    "biored-test": "biored/BioRED_Test.PubTator.gz",
    "bc5cdr-train": "bc5cdr/BC5CDR_TrainDev.PubTator.gz",
    "biored-train": "biored/BioRED_TrainDev.PubTator.gz",
}
SETS = (*FILES, "chemdner-test", "chemdner-train", "drugprot-dev")
"""`chemdner-*` have no article of DrugProt, on which the embedded tagger was trained. `bc5cdr-train` and `biored-train`
have no article of the test parts of both corpora, which share articles."""
GOLD = ("open", "articles", "bc5cdr-test", "biored-test", "chemdner-test")
"""Sets that models are trained or evaluated on. Unlabelled articles that share a paragraph with theirs are left out."""
PACKED, TEXT = "nlmchem.jsonl.gz", "text.jsonl.xz"
TEXTS = tuple(f"text/pmc-{number}.jsonl.xz" for number in range(4))
"""The unlabelled articles."""
BOILERPLATE = 3
"""A paragraph in more unlabelled articles than this is boilerplate, such as a statement of competing interests."""


def documents(data: Path, name: str, number: int = 0) -> list[BioCDocument]:
    """The gold articles of a set. `number`: a sample of this size, the same each time (0: all)."""
    read = list(_read(data, name))
    return random.Random(5).sample(read, number) if 0 < number < len(read) else read


def _read(data: Path, name: str) -> Iterator[BioCDocument]:
    if name in FILES:
        packed = data / PACKED
        source = packed if name == "open" and packed.is_file() else data / FILES[name]
        articles = corpora.read([str(source)], report=ignore)
        tests = _test_ids(data) if name.endswith("-train") else frozenset[str]()
        yield from (document for document in articles if document.id not in tests)
    elif name == "drugprot-dev":
        yield from open_corpus("drugprot", data / "drugprot").read("dev", ignore)
    elif name in SETS:
        known = _drugprot_ids(data)
        opened = open_corpus("chemdner", data / "chemdner")
        for split in ("test",) if name == "chemdner-test" else ("train", "dev"):
            yield from (document for document in opened.read(split, ignore) if document.id not in known)
    else:
        raise SystemExit(f"no set {name!r}; choose from {', '.join(SETS)}")


def _test_ids(data: Path) -> frozenset[str]:
    """The PMIDs of the test parts of BC5CDR and BioRED."""
    tests = [str(data / FILES[name]) for name in ("bc5cdr-test", "biored-test")]
    return frozenset(str(document.id) for document in corpora.read(tests, report=ignore))


def _drugprot_ids(data: Path) -> frozenset[str]:
    """The PMIDs of DrugProt."""
    ids: set[str] = set()
    for part in ("training", "development"):
        with gzip.open(data / f"drugprot/drugprot_{part}_abstracs.tsv.gz", "rt", encoding="utf-8") as lines:
            ids.update(line.split("\t", 1)[0] for line in lines)
    return frozenset(ids)


def articles_of_text(data: Path) -> Iterator[dict[str, str]]:
    """The unlabelled articles: `id`, `text`."""
    place = place_of_text(data)
    yield from rows(*([place] if place.is_file() else sorted(place.glob("*.jsonl.xz"))))


def place_of_text(data: Path) -> Path:
    """The folder of the unlabelled articles, or their packed file."""
    packed = data / TEXT
    return packed if packed.is_file() else data / "text"


def is_kept_aside(identifier: str) -> bool:
    """Whether an unlabelled article is one of the 60 or so that no word pieces and no encoder are learnt from."""
    return _hashed(identifier) < "02"


def in_order(data: Path) -> list[dict[str, str]]:
    """The unlabelled articles that share no paragraph with a gold one, in an order that depends on their ids only."""
    left_out = leaked(data, [document for name in GOLD for document in documents(data, name)])
    articles = [article for article in articles_of_text(data) if article["id"] not in left_out]
    return sorted(articles, key=lambda article: _hashed(article["id"]))


def _hashed(identifier: str) -> str:
    return hashlib.sha256(identifier.encode()).hexdigest()


def rows(*files: Path) -> Iterator[dict[str, str]]:
    """The articles of files of texts: `id`, `text`, `license`."""
    for file in files:
        with lzma.open(file, "rt", encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def document_of(identifier: str, lines: Iterable[str]) -> BioCDocument:
    """A text as an article; each line is a passage."""
    document, offset = BioCDocument(), 0
    document.id = identifier
    for line in lines:
        document.add_passage(BioCPassage.of_text(line, offset))
        offset += len(line) + 1
    return document


def leaked(data: Path, gold: list[BioCDocument]) -> set[str]:
    """Ids of unlabelled articles that share a paragraph (100 characters or more) with a gold article."""
    squeezed = (_squeezed(passage_text(passage)) for document in gold for passage in document.passages)
    holders: dict[str, set[str]] = {text: set() for text in squeezed if len(text) >= 100}
    for article in articles_of_text(data):
        for line in article["text"].split("\n"):
            if (text := _squeezed(line)) in holders:
                holders[text].add(article["id"])
    return {name for names in holders.values() if len(names) <= BOILERPLATE for name in names}


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
