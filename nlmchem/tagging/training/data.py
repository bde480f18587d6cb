"""Annotated articles become labelled windows: the same windows that the tagger will see."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

import corpora
from corpora.datasets import open_corpus
from corpora.errors import ConfigurationError
from corpora.model.document import join_key, mentions, passage_text
from corpora.reporting import Report, log
from nlmchem.tagging.models.labels import INSIDE, LAST, PieceSpan, Scheme, roles_of_spans
from nlmchem.tagging.tokenization.windows import Window, pack
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter

__all__ = [
    "IGNORED",
    "Augment",
    "Corpus",
    "Example",
    "augmented",
    "examples",
    "fold_of",
    "read_corpus",
    "without_mentions",
]

IGNORED = -100
"""The label of special pieces, which no loss counts."""

Augment = Callable[[BioCDocument, int], BioCDocument]
"""Gives the n-th changed copy of an annotated article, mentions and offsets changed with it."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Annotated articles, where they are from, and how much one of them counts in training (gold: 1)."""

    name: str
    documents: tuple[BioCDocument, ...]
    weight: float = 1.0
    licence: str = "not stated"
    source: str = ""

    def only(self, keep: Callable[[BioCDocument], bool]) -> Corpus:
        """The same with some of its articles."""
        return replace(self, documents=tuple(document for document in self.documents if keep(document)))


@dataclass(frozen=True, slots=True)
class Example:
    """A window to learn from: ids and labels (roles, `IGNORED` on special pieces) of its pieces, and its weight."""

    ids: NDArray[np.int32]
    labels: NDArray[np.int64]
    weight: float


def read_corpus(given: str, weight: float = 1.0, report: Report = log) -> Corpus:
    """A corpus as the command line names it: `PATH` (BioC, PubTator), or `NAME=FOLDER` or `NAME/SPLIT=FOLDER`.

    Names are those of `nlmchem corpora list`. Raises `ConfigurationError` where nothing is annotated in it, and what
    the readers raise.
    """
    name, _, folder = given.rpartition("=")
    if name and not Path(given).exists():
        known, _, split = name.partition("/")
        opened = open_corpus(known, folder)
        documents = tuple(opened.read(split or None, report))
        corpus = Corpus(name, documents, weight, opened.card.licence, opened.card.source)
    else:
        corpus = Corpus(Path(given).name, tuple(corpora.read(given, report=report)), weight, source=given)
    if not any(True for document in corpus.documents for _ in mentions(document)):
        raise ConfigurationError(f"the corpus {given} has no mention of type Chemical; give annotated articles")
    return corpus


def fold_of(documents: Sequence[BioCDocument], folds: int) -> dict[str, int]:
    """The fold of each article, by a hash of its id: the same whatever the order, and of equal sizes (±1)."""
    keys = sorted({join_key(document) for document in documents}, key=_hash)
    if folds > len(keys):
        raise ConfigurationError(f"{len(keys)} articles cannot be dealt into {folds} folds; lower --folds")
    return {key: position % folds for position, key in enumerate(keys)}


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def examples(
    documents: Iterable[BioCDocument],
    cutter: PieceCutter,
    scheme: Scheme,
    size: int,
    weight: float = 1.0,
    report: Report = log,
) -> list[Example]:
    """The labelled windows of articles, of at most `size` pieces.

    A mention of several pieces of text is left out, as a tagger of spans cannot give it; `report` says how many.
    """
    found: list[Example] = []
    broken = 0
    for document in documents:
        texts = [passage_text(passage) for passage in document.passages]
        encoded = cutter(texts)
        spans, left_out = _mention_spans(document, encoded)
        broken += left_out
        roles = [roles_of_spans(own, len(pieces), scheme) for own, pieces in zip(spans, encoded, strict=True)]
        found += [_example(window, roles, weight) for window in pack(texts, encoded, cutter, size)]
    if broken:
        report(f"{broken} mentions are discontinuous or of no piece and were left out of training")
    return found


def without_mentions(given: Iterable[Example]) -> list[Example]:
    """The windows in which nothing is marked: what the target's texts are like where there is no chemical."""
    return [example for example in given if not (example.labels > 0).any()]


def augmented(corpus: Corpus, augments: Sequence[Augment], copies: int, seed: int) -> Corpus:
    """Changed copies of a corpus' articles: `copies` by each way, none of the originals; other ones by each seed."""
    numbers = range(seed * copies + 1, (seed + 1) * copies + 1)
    changed = tuple(
        augment(document, number) for augment in augments for number in numbers for document in corpus.documents
    )
    return replace(corpus, name=f"{corpus.name}, augmented", documents=changed)


def _mention_spans(document: BioCDocument, encoded: Sequence[Encoded]) -> tuple[list[list[PieceSpan]], int]:
    """The mentions as pieces, for each passage, and how many could not be told so."""
    position = {id(passage): number for number, passage in enumerate(document.passages)}
    spans: list[list[PieceSpan]] = [[] for _ in document.passages]
    left_out = 0
    for mention in mentions(document):
        number = position[id(mention.passage)]
        if len(mention.spans) != 1:
            left_out += 1
            continue
        start, end = (place - mention.passage.offset for place in mention.spans[0])
        first, last = encoded[number].pieces(start, end)
        if first == last:
            left_out += 1
        else:
            spans[number].append((first, last))
    for own in spans:
        # The longer of two that begin together comes first: it is the one that counts.
        own.sort(key=lambda span: (span[0], -span[1]))
    return spans, left_out


def _example(window: Window, roles: Sequence[NDArray[np.int64]], weight: float) -> Example:
    labels = np.full(len(window), IGNORED, dtype=np.int64)
    for part in window.parts:
        labels[part.at : part.at + part.last - part.first] = _cut_out(roles[part.passage], part.first, part.last)
    return Example(window.ids, labels, weight)


def _cut_out(roles: NDArray[np.int64], first: int, last: int) -> NDArray[np.int64]:
    """The roles of pieces `first` to `last`; those of a mention that goes on outside are ignored.

    The window next to it shows it whole; half of one would teach that names begin inside.
    """
    own = roles[first:last].copy()
    at = 0
    while first and at < len(own) and own[at] in (INSIDE, LAST):
        own[at] = IGNORED
        at += 1
    if last < len(roles) and roles[last] in (INSIDE, LAST):
        begun = len(own) - 1
        while begun > 0 and own[begun] == INSIDE:
            begun -= 1
        own[begun:] = IGNORED
    return own
