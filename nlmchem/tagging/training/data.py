"""Annotated articles in training: corpora, folds, augmented copies, and labelled windows as the tagger makes them.

Installed packages add augmentations by the entry point `nlmchem.augmentations`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

import corpora
from corpora.datasets import cards, open_corpus
from corpora.errors import Argument, ConfigurationError, ResourceError, Text
from corpora.model.document import Mention, mentions
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.plugins import Registry
from corpora.reporting import Report, log
from corpora.storage import cache
from corpora.words.quantities import quantity
from nlmchem.tagging.inference.labels import INSIDE, PieceSpan, roles_of_spans
from nlmchem.tagging.tokenization.windows import pack
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter

MASKED = "Masked"
"""The type of annotations whose text the loss of a training does not count. Any training corpus can have them."""
_INFON = "labels"
_DISTANT = "distant"
IGNORED = -100
"""The label of special pieces. The loss does not count them."""

Augment = Callable[[BioCDocument, int], BioCDocument]
"""Returns the n-th changed copy of an annotated article, with changed mentions and offsets."""


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """Annotated articles, their source, and the weight of one article in training (gold: 1)."""

    name: str
    documents: tuple[BioCDocument, ...]
    weight: float = 1.0
    licence: str = "not stated"
    source: str = ""

    def only(self, keep: Callable[[BioCDocument], bool]) -> TrainingCorpus:
        """The same corpus with the articles for which `keep` is true."""
        return replace(self, documents=tuple(document for document in self.documents if keep(document)))


@dataclass(frozen=True, slots=True)
class Example:
    """A training window: the ids and labels (roles; `IGNORED` on special pieces) of its pieces, and its weight."""

    ids: NDArray[np.int32]
    labels: NDArray[np.int64]
    weight: float


def read_corpus(given: str, weight: float = 1.0, report: Report = log) -> TrainingCorpus:
    """Read a corpus as the command line names it.

    - `PATH`: a file or folder in a format with annotations (BioC, PubTator).
    - `NAME=FOLDER` or `NAME/SPLIT=FOLDER`: a corpus of `nlmchem corpora list` in a folder.
    - `NAME` or `NAME/SPLIT`: the same corpus as `nlmchem fetch NAME` stored it.

    Raises `ConfigurationError` if it has no chemical mention, and the errors of the readers.
    """
    name, _, folder = given.rpartition("=") if "=" in given else (given, "", "")
    known, _, split = name.partition("/")
    if Path(given).exists() or ("=" not in given and known not in cards()):
        corpus = TrainingCorpus(Path(given).name, tuple(corpora.read(given, report=report)), weight, source=given)
    else:
        place = Path(folder) if folder else cache.folder(known)
        if not folder and not place.is_dir():
            named = Argument("corpus", f"{given}=FOLDER")
            raise ResourceError(f"{place} has no corpus {known}; name its folder, as in ", named)
        opened = open_corpus(known, place)
        documents = tuple(opened.read(split or None, report))
        corpus = TrainingCorpus(name, documents, weight, opened.card.licence, opened.card.source)
    if not any(True for document in corpus.documents for _ in mentions(document)):
        raise ConfigurationError(f"the corpus {given} has no mention of type Chemical; give annotated articles")
    return corpus


def without(
    corpora: Sequence[TrainingCorpus], left_out: Sequence[TrainingCorpus], report: Report = log
) -> list[TrainingCorpus]:
    """The corpora without the articles whose id an article of `left_out` has. `report` receives their number."""
    keys = {join_key(document) for corpus in left_out for document in corpus.documents}
    kept = [corpus.only(lambda document: join_key(document) not in keys) for corpus in corpora] if keys else [*corpora]
    for before, after in zip(corpora, kept, strict=True):
        if len(before.documents) > len(after.documents):
            removed = len(before.documents) - len(after.documents)
            what = f"{before.name}: {removed} of {quantity(len(before.documents), 'article')} left out ("
            report(Text(what, Argument("leave_out"), ")"))
    return kept


def fold_of(documents: Sequence[BioCDocument], folds: int) -> dict[str, int]:
    """The fold of each article, from a hash of its id. It does not depend on the order; fold sizes differ by 1 at most.

    Raises `ConfigurationError` if there are fewer articles than folds.
    """
    keys = sorted(
        {join_key(document) for document in documents}, key=lambda key: hashlib.sha256(key.encode()).hexdigest()
    )
    if folds > len(keys):
        raise ConfigurationError(
            f"{quantity(len(keys), 'article')} cannot be divided into {folds} folds; use fewer ", Argument("folds")
        )
    return {key: position % folds for position, key in enumerate(keys)}


def masked(document: BioCDocument) -> list[Mention]:
    """The places of an article that the loss does not count."""
    return list(mentions(document, MASKED))


def set_distant(document: BioCDocument) -> None:
    """Write that the labels of an article are names of the gazetteer: the infon `labels` with the value `distant`.

    Training then hides the gazetteer from the model, which otherwise would learn to copy it.
    """
    document.infons[_INFON] = _DISTANT


def is_distant(document: BioCDocument) -> bool:
    """Whether the labels of an article are names of the gazetteer."""
    source: object = document.infons.get(_INFON)
    return source == _DISTANT


def examples(
    documents: Iterable[BioCDocument], cutter: PieceCutter, size: int, weight: float = 1.0, report: Report = log
) -> list[Example]:
    """The labelled windows of articles, of at most `size` pieces.

    Discontinuous mentions are left out, because a tagger of spans cannot predict them. `report` receives their number.
    Pieces of annotations of the type `Masked` that are outside of mentions are ignored. Articles with distant labels do
    not get the classes of the gazetteer, which are the source of these labels.
    """
    made: list[Example] = []
    broken = 0
    for document in documents:
        own_cutter = cutter.without_classes() if is_distant(document) else cutter
        texts = [passage_text(passage) for passage in document.passages]
        encoded = own_cutter(texts)
        spans, left_out = _piece_spans(document, mentions(document), encoded)
        broken += left_out
        ignored, _ = _piece_spans(document, masked(document), encoded)
        roles = [roles_of_spans(found, len(pieces)) for found, pieces in zip(spans, encoded, strict=True)]
        for of_passage, hidden in zip(roles, ignored, strict=True):
            for first, last in hidden:
                of_span = of_passage[first:last]
                of_span[of_span == 0] = IGNORED
        for window in pack(texts, encoded, own_cutter, size):
            labels = np.full(len(window), IGNORED, dtype=np.int64)
            for part in window.parts:
                shown = _roles_in_window(roles[part.passage], part.first, part.last)
                labels[part.at : part.at + len(shown)] = shown
            made.append(Example(window.ids, labels, weight))
    if broken:
        report(
            f"{quantity(broken, 'mention was', 'mentions were')} left out of training: they are "
            "discontinuous or have no word piece"
        )
    return made


@dataclass(frozen=True, slots=True)
class Augmentation:
    """What the option `augment` can do with the articles of a corpus."""

    make: Callable[[str | None], Augment]
    """Given the path of a lexicon (None: the default one), returns what makes the copies. Raises `ResourceError`."""


AUGMENTATIONS = Registry("nlmchem.augmentations", Augmentation, {})


def augmenters_of(names: str, lexicon: str | None = None) -> Sequence[Augment]:
    """The augmentations of comma-separated names. Raises `ConfigurationError`, and `ResourceError` for the lexicon."""
    made = []
    for name in (part.strip() for part in names.split(",")):
        if not name:
            continue
        augmentation = AUGMENTATIONS.get(name)
        if augmentation is None:
            known = ", ".join(AUGMENTATIONS.names())
            remedy = f"choose from {known}" if known else "no installed package has one; leave it out"
            raise ConfigurationError(f"there is no augmentation {name!r}; {remedy}")
        made.append(augmentation.make(lexicon))
    return made


def augmented(corpus: TrainingCorpus, augments: Sequence[Augment], copies: int, seed: int) -> TrainingCorpus:
    """Changed copies of the articles, without the originals: `copies` per augmentation, different for each seed."""
    numbers = range(seed * copies + 1, (seed + 1) * copies + 1)
    changed = tuple(
        augment(document, number) for augment in augments for number in numbers for document in corpus.documents
    )
    return replace(corpus, name=f"{corpus.name}, augmented", documents=changed)


def _piece_spans(
    document: BioCDocument, gold: Iterable[Mention], encoded: Sequence[Encoded]
) -> tuple[list[list[PieceSpan]], int]:
    """Mentions as spans of pieces for each passage, and the number of mentions that have no such span."""
    position = {id(passage): number for number, passage in enumerate(document.passages)}
    spans: list[list[PieceSpan]] = [[] for _ in document.passages]
    left_out = 0
    for mention in gold:
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
    for of_passage in spans:
        # Of two mentions with the same start, the longer one is used.
        of_passage.sort(key=lambda span: (span[0], -span[1]))
    return spans, left_out


def _roles_in_window(roles: NDArray[np.int64], first: int, last: int) -> NDArray[np.int64]:
    """The roles of pieces `first` to `last`. Pieces of a mention that the window cuts are ignored.

    Half of a mention would teach the model wrong boundaries.
    """
    shown = roles[first:last].copy()
    at = 0
    while first and at < len(shown) and shown[at] == INSIDE:
        shown[at] = IGNORED
        at += 1
    if last < len(roles) and roles[last] == INSIDE:
        begun = len(shown) - 1
        while begun > 0 and shown[begun] == INSIDE:
            begun -= 1
        shown[begun:] = IGNORED
    return shown
