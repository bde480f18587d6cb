"""Decides what the undefined short forms of an article mean. All short forms of an article are decided together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model.document import definitions
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import AUTH_CONT, REF
from corpora.reporting import Report, log
from nlmchem.abbreviations.article.glossary import Glossary
from nlmchem.abbreviations.article.stage import define
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.senses.choice import FEWEST_WORDS, ChoiceModel, read_choice
from nlmchem.abbreviations.senses.context_index import ContextIndex, read_context_index
from nlmchem.abbreviations.senses.encoding import SentenceEvidence
from nlmchem.abbreviations.senses.features import CUT_OFF, AmbiguousForm, ambiguous_form, features_of
from nlmchem.abbreviations.senses.inventory import Inventory, InventorySense, read_inventory
from nlmchem.abbreviations.senses.names import read_names
from nlmchem.abbreviations.senses.undefined import Undefined, undefined
from nlmchem.abbreviations.senses.vectors import embedded_vectors
from nlmchem.abbreviations.senses.words import STOP_WORDS, counts_of

__all__ = ["DEFAULT", "FILES", "THRESHOLD", "Answer", "Resolver", "is_english", "open_resolver", "words_of"]

DEFAULT = Path(__file__).with_name("default")
"""The dictionary and the model that come with the package; README.md in the folder is the card."""
DICTIONARY, NAMES, CONTEXT, WEIGHTS = FILES = (
    "dictionary.tsv.gz", "names.tsv.gz", "context.safetensors", "weights.json",
)  # fmt: skip
THRESHOLD = 0.8
ALTERNATIVES = 3
ENGLISH = 0.1
"""The least share of articles and prepositions among the words of an English text. It is about 0.25; in German and
French texts, 0.04 or less are equal to an English one."""

_SKIPPED = frozenset({REF, AUTH_CONT})

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answer:
    """The most probable sense of an undefined short form, with its probability (0..1) and the next ones.

    `long_form` is None, and the probability 0, if the dictionary does not have the form. `articles`: how many define
    it. `identifier`: of the concept with this name, or empty.
    """

    undefined: Undefined
    long_form: str | None
    score: float
    alternatives: tuple[tuple[str, float], ...] = ()
    articles: int = 0
    identifier: str = ""

    @property
    def form(self) -> str:
        """The short form."""
        return self.undefined.form


class Resolver:
    """A dictionary with what is needed to choose among its senses.

    Without context index and model, the share of the articles that define a sense is its probability, with the share of
    senses that were seen once for a sense that the dictionary does not have (Good 1953).
    """

    def __init__(
        self,
        inventory: Inventory,
        context: ContextIndex | None = None,
        model: ChoiceModel | None = None,
        version: str = "",
        sentences: SentenceEvidence | None = None,
    ) -> None:
        """`sentences`: the evidence of an encoder, which changes the probabilities."""
        self.inventory = inventory
        self.version = version if sentences is None else f"{version}:{sentences.version}"
        self.sentences = sentences
        self._context = context
        self._model = model

    def with_sentences(self, sentences: SentenceEvidence) -> Resolver:
        """The same resolver with the evidence of an encoder."""
        return Resolver(self.inventory, self._context, self._model, self.version, sentences)

    def resolve(
        self, document: BioCDocument, glossary: Glossary | None = None, counts: Mapping[str, int] | None = None
    ) -> list[Answer]:
        """An answer for each undefined short form of an article, in text order.

        `glossary`: the definitions of the article. By default those in its annotations, or else in its text. `counts`:
        its words (`words_of`), if they are known already.
        """
        if glossary is None:
            glossary = Glossary.of(definitions(document)) or define(document)
        found = undefined(document, glossary, self.inventory.__contains__)
        if counts is None:
            counts = words_of(document) if found else {}
        return list(self._answers(found, counts))

    def probabilities(self, counts: Mapping[str, int], candidates: Sequence[InventorySense], short_form: str) -> Floats:
        """The probabilities of the first `CUT_OFF` candidates of another dictionary, by the words of a text.

        What is known of a candidate is that of the sense of this dictionary that has the same words.
        """
        if self._context is None or self._model is None:
            return _by_frequency(candidates)
        known = {key_of(sense.long_form): sense for sense in self.inventory.senses(short_form)}
        senses = [_with_facts(one, known.get(key_of(one.long_form))) for one in candidates[:CUT_OFF]]
        none = np.zeros(0, dtype=np.int64)
        articles = [none if one.row < 0 else self._context.of_sense(one.row) for one in senses]
        return self._weighted([AmbiguousForm(short_form, senses, articles)], counts)[0]

    def _answers(self, found: Sequence[Undefined], counts: Mapping[str, int]) -> Iterator[Answer]:
        lists = [self.inventory.senses(one.form) for one in found]
        known = [(one.form, senses) for one, senses in zip(found, lists, strict=True) if senses]
        scores = iter(self._scores(known, counts))
        for one, senses in zip(found, lists, strict=True):
            if not senses:
                yield Answer(one, None, 0.0)
                continue
            senses, own = senses[:CUT_OFF], next(scores)
            if self.sentences is not None:
                own = self.sentences.at_places(own, one.places, [sense.long_form for sense in senses])
            yield _answer(one, senses, own)

    def _scores(
        self, forms: Sequence[tuple[str, Sequence[InventorySense]]], counts: Mapping[str, int]
    ) -> Sequence[Floats]:
        """The probabilities of the senses of each short form of an article."""
        context = self._context
        if context is None or self._model is None or not forms:
            return [_by_frequency(senses) for _, senses in forms]
        return self._weighted([ambiguous_form(short, senses, context) for short, senses in forms], counts)

    def _weighted(self, forms: Sequence[AmbiguousForm], counts: Mapping[str, int]) -> Sequence[Floats]:
        """The same by the model. A short text is read as a sentence."""
        context, model = self._context, self._model
        assert context is not None
        assert model is not None
        short = sum(counts.values()) < FEWEST_WORDS
        vectors = embedded_vectors() if short and model.reads_sentences else None
        found = features_of(forms, context.query(counts), counts, context, vectors)
        weights = model.sentence if short else model.article
        return np.split(weights.probabilities(found), found.starts[1:-1])


def _answer(one: Undefined, senses: Sequence[InventorySense], scores: Floats) -> Answer:
    # Of equal scores the first sense, which is the more frequent one.
    rounded = np.round(scores, 6).tolist()
    order = sorted(range(len(senses)), key=rounded.__getitem__, reverse=True)
    first, *others = ((senses[index], float(scores[index])) for index in order[: ALTERNATIVES + 1])
    alternatives = tuple((sense.long_form, score) for sense, score in others)
    return Answer(one, first[0].long_form, first[1], alternatives, first[0].articles, first[0].identifier)


def _with_facts(candidate: InventorySense, known: InventorySense | None) -> InventorySense:
    """A candidate of another dictionary with what this dictionary knows of it."""
    if known is None:
        return replace(candidate, row=-1)
    return replace(known, long_form=candidate.long_form, articles=max(candidate.articles, known.articles))


def _by_frequency(senses: Sequence[InventorySense]) -> Floats:
    counts = np.array([sense.articles for sense in senses], dtype=np.float64)
    shares: Floats = counts[:CUT_OFF] / (counts.sum() + (counts == 1).sum() + 1)
    return shares


def words_of(document: BioCDocument) -> Counter[str]:
    """The counts of the folded words of an article, without its references."""
    return counts_of(texts_of(document))


def texts_of(document: BioCDocument) -> Iterator[str]:
    """The texts of an article without its references."""
    return (passage_text(passage) for passage in document.passages if section_type(passage) not in _SKIPPED)


def is_english(counts: Mapping[str, int]) -> bool:
    """Whether a text is English, by its articles and prepositions. Short texts count as English."""
    total = sum(counts.values())
    return total < FEWEST_WORDS or sum(counts.get(word, 0) for word in STOP_WORDS) >= ENGLISH * total


def open_resolver(
    dictionary: str | Path | None = None, report: Report = log, encoder: str | Path | None = None
) -> Resolver:
    """The resolver of a dictionary: a file, a folder that `nlmchem train senses` made, or None for the embedded one.

    `encoder`: the folder of an encoder of sentences; its similarities are used as well. Raises `ResourceError` for a
    missing or damaged file, or a folder without an encoder.
    """
    resolver = _opened(dictionary, report)
    if encoder is None:
        return resolver
    from sieves.dense.sentences import SentenceEncoder

    return resolver.with_sentences(SentenceEvidence(SentenceEncoder(Path(encoder))))


def _opened(dictionary: str | Path | None, report: Report) -> Resolver:
    if dictionary is None:
        return _embedded()
    path = Path(dictionary)
    if path.is_dir() and (path / DICTIONARY).exists():
        return _of_folder(path)
    if path.is_dir():
        # A folder that `nlmchem corpora dictionary` made.
        path = path / "dictionary.json"
    inventory = read_inventory(path)
    _report_long_lists(inventory, path, report)
    return Resolver(inventory, version=hashlib.sha256(path.read_bytes()).hexdigest())


@cache
def _embedded() -> Resolver:
    return _of_folder(DEFAULT)


def _of_folder(folder: Path) -> Resolver:
    inventory = read_inventory(folder / DICTIONARY)
    size = sum(len(senses) for _, senses in inventory.items())
    names = read_names(folder / NAMES, size)
    context = read_context_index(folder / CONTEXT, size + len(names))
    model = read_choice(folder / WEIGHTS)
    digest = hashlib.sha256((folder / DICTIONARY).read_bytes() + (folder / NAMES).read_bytes())
    vectors = embedded_vectors().version if model.reads_sentences else ""
    digest.update(f"{context.version}\n{model.version}\n{vectors}".encode())
    return Resolver(inventory.with_names(names), context, model, digest.hexdigest())


def _report_long_lists(inventory: Inventory, path: Path, report: Report) -> None:
    long = [(len(senses), short) for short, senses in inventory.items() if len(senses) > CUT_OFF]
    if long:
        most, short = max(long, key=lambda item: (item[0], item[1]))
        report(
            f"{path}: {len(long)} short forms have more than {CUT_OFF} senses ({short} has {most}); "
            f"only the {CUT_OFF} most frequent senses are considered"
        )
