"""Finds the undefined short forms of an article and decides, all together, what they mean."""

from __future__ import annotations

import hashlib
import re
import string
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from bioc import BioCDocument, BioCPassage
from numpy.typing import NDArray

from corpora.model.document import Span, definitions, fresh_ids, text_at
from corpora.model.metadata import is_english, word_counts
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import WITHOUT_ABBREVIATIONS
from corpora.model.short_forms import DICTIONARY as BY_DICTIONARY
from corpora.model.short_forms import Inferred, add_inferred, remove_inferred
from corpora.reporting import Report, log
from corpora.storage.atomic import sha256_of
from corpora.words.quantities import quantity
from indexing.learning.linear import Floats, Linear
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.inventory import EMBEDDED, Inventory, InventorySense, read_inventory
from nlmchem.abbreviations.stage import define, each_article
from nlmchem.abbreviations.undefined import EMBEDDED_NAME, Expanded, SenseQuery, SenseSource
from nlmchem.companions.senses.choice import (
    CUT_OFF,
    FEWEST_WORDS,
    ChoiceModel,
    ambiguous_form,
    features_of,
    read_choice,
)
from nlmchem.companions.senses.names import read_names
from nlmchem.companions.senses.vectors import ContextIndex, embedded_vectors, read_context_index

# -- sentences (optional) -----------------------------------------------------------------------

# How near the sentences with a short form are to each long form, by an encoder. The cosine is the method that did best
# without training in single sentences of other fields (docs/measurements/senses.md). It is off by default, because an
# encoder is large and slow.

LEAST = 0.01
"""Senses with a smaller share of the probability of the best one are not compared: they do not win
(docs/measurements/senses.md)."""
KEPT = 1 << 14
"""Texts whose rows are kept: long forms occur in many articles."""
MOST_PLACES = 3
"""The places of a short form whose sentences are read: the first ones."""
AROUND = 300
"""Characters that are read before and behind a short form, at most."""
_BORDER = re.compile(r"[.!?]\s+(?=[A-Z(\[])|\n")

Row = NDArray[np.float32]


class TextEncoder(Protocol):
    """Turns texts into rows of unit length (float32). The row of a text does not depend on the other texts."""

    @property
    def version(self) -> str:
        """The sha256 of the weights, in hex."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


Doubt = tuple[Floats, Sequence[str], Sequence[str], Linear | None]
"""A short form: the probabilities of its senses, its sentences, the long forms of the senses, and the weight of the
cosine, if it was fitted with the probabilities."""


class SentenceEvidence:
    """Changes the probabilities of senses by the cosines of sentences and long forms."""

    def __init__(self, encoder: TextEncoder, weight: Linear) -> None:
        """`weight`: of the cosine, for probabilities that were not fitted with an encoder."""
        self.version = f"{encoder.version}:weight={(weight.weights / weight.scales).item():g}"
        self._encoder = encoder
        self._weight = weight
        self._rows: dict[str, Row] = {}

    def decided(self, doubts: Sequence[Doubt]) -> list[Floats]:
        """The probabilities of the senses of short forms. All texts are encoded together, each once."""
        # The senses that can win; none if there is no choice, or no sentence.
        compared: list[list[int]] = []
        for scores, sentences, _, _ in doubts:
            likely = np.flatnonzero(scores >= LEAST * scores.max(initial=0)).tolist()
            compared.append(likely if len(likely) > 1 and sentences and scores.any() else [])
        texts = [
            text
            for (_, sentences, long_forms, _), senses in zip(doubts, compared, strict=True)
            if senses
            for text in (*sentences, *(long_forms[at] for at in senses))
        ]
        rows = self._encoded(texts)
        results = []
        for (scores, sentences, long_forms, fitted), senses in zip(doubts, compared, strict=True):
            if senses:
                middle = np.mean([rows[sentence] for sentence in sentences], axis=0, dtype=np.float64)
                cosines = np.array([rows[long_forms[at]].astype(np.float64) @ middle for at in senses])
                before, scores = float(scores.sum()), scores.copy()
                scores[senses] *= np.exp((fitted or self._weight).log_odds(cosines[:, None]))
                whole = float(scores.sum())
                # If no weight was fitted with them, their sum stays: "another sense" is as probable as before.
                scores = scores * (before / whole) if fitted is None else scores / (whole + 1 - before)
            results.append(scores)
        return results

    def _encoded(self, texts: Sequence[str]) -> dict[str, Row]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        rows = self._encoder.encode(missing) if missing else ()
        new = {text: row.copy() for text, row in zip(missing, rows, strict=True)}
        encoded = {text: new[text] if text in new else self._rows.pop(text) for text in dict.fromkeys(texts)}
        # The texts that were used last are at the end.
        self._rows |= encoded
        for text in list(self._rows)[: max(0, len(self._rows) - KEPT)]:
            del self._rows[text]
        return encoded


def sentence_at(place: Place) -> str:
    """The sentence around a place, as single blanks divide its words; at most `AROUND` characters on each side."""
    passage, (start, end) = place
    text = passage_text(passage)
    start, end = start - passage.offset, end - passage.offset
    before, behind = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    borders = [match.end() for match in _BORDER.finditer(before)]
    border = _BORDER.search(behind)
    # The mark at the end of the sentence belongs to it.
    last = len(behind) if border is None else border.start() + 1
    return " ".join((before[borders[-1] if borders else 0 :] + text[start:end] + behind[:last]).split())


# -- undefined short forms ------------------------------------------------------------------------

_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9&/+-]*[A-Za-z0-9])?(?!\w)")
# The first capital of a token that has two. It is among the first five characters, because most words have none.
_CAPITAL = re.compile(
    r"[A-Z](?=[a-z0-9&/+-]*[A-Z])(?:(?<=\W[A-Z])|(?<=\W[a-z0-9][A-Z])|(?<=\W[a-z0-9]{2}[A-Z])|(?<=\W[a-z0-9]{3}[A-Z])"
    r"|(?<=\W[a-z0-9]{4}[A-Z]))"
)
_SMALL = frozenset(string.ascii_lowercase + string.digits)
_PART = re.compile(r"[A-Za-z0-9&]+")

Place = tuple[BioCPassage, Span]
"""A passage, and a span in the document (code points)."""


def undefined(document: BioCDocument, defined: Iterable[str], known: Callable[[str], bool]) -> dict[str, list[Place]]:
    """The short forms of an article that are not among the defined ones, with their places, in text order.

    `known` returns whether a dictionary contains a form. Other forms count if they look like an acronym. A plural s and
    parts at hyphens and slashes are considered: `FFAs`, `DHA-rich`. References and author contributions are skipped.
    Forms are as in the dictionary: `FFA` also for the places of `FFAs`.
    """
    excluded = set(defined)
    excluded |= {form.removesuffix("s") for form in excluded} | {form + "s" for form in excluded}
    passages = [passage for passage in document.passages if section_type(passage) not in WITHOUT_ABBREVIATIONS]
    texts = [passage_text(passage) for passage in passages]
    # One search in the whole article. No token contains a line break.
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    found: dict[str, list[Place]] = {}
    for form, span in places("\n".join(texts), known, excluded.__contains__):
        number = bisect_right(starts, span[0]) - 1
        passage, shift = passages[number], passages[number].offset - starts[number]
        found.setdefault(form, []).append((passage, (span[0] + shift, span[1] + shift)))
    return found


def places(text: str, known: Callable[[str], bool], defined: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The forms without definition in a text, with their spans, in text order."""
    forms: dict[str, tuple[tuple[str, Span], ...]] = {}
    reached = 0
    # The patterns look at the character before a token.
    text = "\n" + text
    for capital in _CAPITAL.finditer(text):
        start = capital.start()
        if start < reached:
            continue
        while text[start - 1] in _SMALL:
            start -= 1
        match = _TOKEN.match(text, start)
        if match is not None:
            reached, token = match.end(), match[0]
            if token not in forms:
                forms[token] = tuple(_forms(token, known, defined))
            for form, (begin, end) in forms[token]:
                yield form, (start - 1 + begin, start - 1 + end)


def _forms(whole: str, known: Callable[[str], bool], defined: Callable[[str], bool]) -> Iterator[tuple[str, Span]]:
    """The form of a token, or the forms of its parts, with their spans in the token."""
    if defined(whole):
        return
    form = _form(whole, known)
    if form is not None:
        yield form, (0, len(whole))
    elif "-" in whole or "/" in whole:
        for part in _PART.finditer(whole):
            form = None if defined(part[0]) else _form(part[0], known)
            if form is not None:
                yield form, part.span()


def _form(token: str, known: Callable[[str], bool]) -> str | None:
    """The form of the dictionary for a token, the token itself if it looks like an acronym, else None."""
    if len(token) < 2 or not looks_like_acronym(token):
        return None
    if known(token):
        return token
    if token.endswith("s") and known(token[:-1]):
        return token[:-1]
    return token if "-" not in token and "/" not in token else None


DEFAULT = Path(__file__).with_name("default")
"""What comes with the package beside the dictionary (`EMBEDDED`); README.md in the folder is the card."""
DICTIONARY, NAMES, CONTEXT, WEIGHTS = FILES = (
    "dictionary.tsv.gz", "names.tsv.gz", "context.safetensors", "weights.json",
)  # fmt: skip
THRESHOLD = 0.8
ALTERNATIVES = 3

Form = tuple[str, Sequence[InventorySense]]
"""A short form and its senses."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The most probable sense of an undefined short form."""

    form: str
    places: Sequence[Place]
    """Where it stands, in text order."""
    long_form: str | None = None
    """None, and the probability 0, if the dictionary does not have the form."""
    score: float = 0.0
    """Its probability (0..1)."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """The next senses with their probabilities."""
    articles: int = 0
    """How many define it."""
    identifier: str = ""
    """Of the concept with this name, or empty."""


class Resolver:
    """A dictionary with what is needed to choose among its senses.

    Without context index and model, texts of fewer than `FEWEST_WORDS` words are decided by what the embedded
    dictionary knows of the senses. In longer ones, the share of the articles that define a sense is its probability,
    with the share of senses that were seen once for a sense that the dictionary does not have (Good 1953).
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

    def resolve(self, document: BioCDocument, counts: Mapping[str, int] | None = None) -> list[Answer]:
        """An answer for each short form that neither the annotations nor else the text define, in text order.

        `counts`: the words of the article (`word_counts`), if they are known already.
        """
        defined: Iterable[str] = {definition.short_form for definition in definitions(document)} or define(document)
        found = undefined(document, defined, self.inventory.__contains__)
        if counts is None:
            counts = word_counts(document) if found else {}
        known = [(form, senses) for form in found if (senses := self.inventory.senses(form))]
        # The sentences around the first places of each short form, each once.
        read = 0 if self.sentences is None else MOST_PLACES
        sentences = [list(dict.fromkeys(map(sentence_at, found[form][:read]))) for form, _ in known]
        answers = {form: Answer(form, form_places) for form, form_places in found.items()}
        for (form, senses), scores in zip(known, self._decided(known, counts, sentences), strict=True):
            # Of equal scores the first sense, which is the more frequent one.
            rounded = np.round(scores, 6).tolist()
            order = sorted(range(len(rounded)), key=rounded.__getitem__, reverse=True)
            first, *others = ((senses[index], float(scores[index])) for index in order[: ALTERNATIVES + 1])
            sense, score = first
            alternatives = tuple((other.long_form, probability) for other, probability in others)
            answers[form] = Answer(
                form, found[form], sense.long_form, score, alternatives, sense.articles, sense.identifier
            )
        return list(answers.values())

    def probabilities(
        self,
        short_form: str,
        counts: Mapping[str, int],
        candidates: Sequence[InventorySense] | None = None,
        sentences: Sequence[str] = (),
    ) -> Floats:
        """The probabilities of the first `CUT_OFF` senses of a short form, by the words of a text.

        `candidates`: senses of another dictionary, which replace the senses of this one. They get the counts and
        contexts of the senses of this dictionary with the same words. `sentences`: what the encoder reads.
        """
        form = short_form, self.inventory.senses(short_form) if candidates is None else candidates
        [scores] = self._decided([form], counts, [sentences], foreign=candidates is not None)
        return scores

    def _decided(
        self,
        forms: Sequence[Form],
        counts: Mapping[str, int],
        sentences: Sequence[Sequence[str]],
        foreign: bool = False,
    ) -> Sequence[Floats]:
        """The probabilities of the senses of each short form of a text. `sentences`: the sentences around each form."""
        read = self.sentences is not None and any(sentences)
        scores, weight = self._scores(forms, counts, foreign, read)
        if self.sentences is None or not read:
            return scores
        return self.sentences.decided(
            [
                (form_scores, texts, [sense.long_form for sense in senses[:CUT_OFF]], weight)
                for form_scores, texts, (_, senses) in zip(scores, sentences, forms, strict=True)
            ]
        )

    def _scores(
        self, forms: Sequence[Form], counts: Mapping[str, int], foreign: bool, read: bool
    ) -> tuple[Sequence[Floats], Linear | None]:
        """The probabilities without the cosines of an encoder, and the weight of these, if it was fitted with them.

        `read`: there are cosines.
        """
        # A short text is read as a sentence.
        short = sum(counts.values()) < FEWEST_WORDS
        context, model = self._context, self._model
        if context is None or model is None:
            if short:
                return _embedded()._scores(forms, counts, True, read)
            lists = [np.array([sense.articles for sense in senses], dtype=np.float64) for _, senses in forms]
            return [articles[:CUT_OFF] / (articles.sum() + (articles == 1).sum() + 1) for articles in lists], None
        weights = model.weights(short, foreign, read)
        if not forms:
            return [], None
        if foreign:
            forms = [(form, self._with_facts(form, senses)) for form, senses in forms]
        asked = [ambiguous_form(form, senses, context) for form, senses in forms]
        vectors = embedded_vectors() if short and model.reads_sentences else None
        features = features_of(asked, context.query(counts), counts, context, vectors)
        return np.split(weights.probabilities(features), features.starts[1:-1]), weights.encoder

    def _with_facts(self, short_form: str, candidates: Sequence[InventorySense]) -> list[InventorySense]:
        """Senses of another dictionary with what this one knows of them. Of others, `row` is -1."""
        known = {key_of(sense.long_form): sense for sense in self.inventory.senses(short_form)}
        matched = [(candidate, known.get(key_of(candidate.long_form))) for candidate in candidates[:CUT_OFF]]
        return [
            replace(candidate, row=-1)
            if sense is None
            else replace(sense, long_form=candidate.long_form, articles=max(candidate.articles, sense.articles))
            for candidate, sense in matched
        ]


def open_resolver(
    dictionary: str | Path | None = None, report: Report = log, encoder: str | Path | None = None
) -> Resolver:
    """The resolver of a dictionary: a file, or a folder that `nlmchem train senses` made.

    None and `default` mean the embedded dictionary. `encoder`: the folder of an encoder of sentences, or `default` for
    the embedded one; its similarities are used as well. Raises `ResourceError` for a missing or damaged file, or a
    folder without an encoder.
    """
    if dictionary is None or dictionary == EMBEDDED_NAME:
        resolver = _embedded()
    elif (path := Path(dictionary)).is_dir() and dictionary_of(path).exists():
        resolver = _of_folder(path)
    else:
        if path.is_dir():
            # A folder that `nlmchem corpora dictionary` made.
            path = path / "dictionary.json"
        inventory = read_inventory(path)
        long = [(len(senses), short) for short, senses in inventory.items() if len(senses) > CUT_OFF]
        if long:
            most, short = max(long)
            report(
                f"{path}: {quantity(len(long), 'short form has', 'short forms have')} more than {CUT_OFF} senses "
                f"({short} has {most}); only the {CUT_OFF} most frequent senses are considered"
            )
        resolver = Resolver(inventory, version=f"{sha256_of(path)}:{_embedded().version}")
    if encoder is None:
        return resolver
    from nlmchem.companions.senses.encoders import EmbeddedEncoder, SentenceEncoder

    reader = EmbeddedEncoder() if encoder == EMBEDDED_NAME else SentenceEncoder(Path(encoder))
    model = _embedded()._model
    # What the cosine adds where no weights were fitted with it.
    weight = None if model is None else model.weights(short=True, read=True).encoder
    assert weight is not None
    return resolver.with_sentences(SentenceEvidence(reader, weight))


@cache
def _embedded() -> Resolver:
    return _of_folder(DEFAULT)


def dictionary_of(folder: Path) -> Path:
    """The dictionary of a folder that `nlmchem train senses` made; that of the package stands in another room."""
    return EMBEDDED if folder.absolute() == DEFAULT else folder / DICTIONARY


def _of_folder(folder: Path) -> Resolver:
    dictionary = dictionary_of(folder)
    inventory = read_inventory(dictionary)
    size = sum(len(senses) for _, senses in inventory.items())
    names = read_names(folder / NAMES, size)
    context = read_context_index(folder / CONTEXT, size + len(names))
    model = read_choice(folder / WEIGHTS)
    digest = hashlib.sha256(dictionary.read_bytes() + (folder / NAMES).read_bytes())
    vectors = embedded_vectors().version if model.reads_sentences else ""
    digest.update(f"{context.version}\n{model.version}\n{vectors}".encode())
    return Resolver(inventory.with_names(names.of), context, model, digest.hexdigest())


# -- what is written into articles, or listed ---------------------------------------------------------------


class ExpandStage:
    """Writes long forms whose probability reaches a threshold. Articles do not affect each other."""

    def __init__(self, resolver: Resolver, threshold: float = THRESHOLD, report: Report = log) -> None:
        self._resolver = resolver
        self._threshold = threshold
        self._report = report

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            expand(document, self._resolver, self._threshold, self._report)


def expand(document: BioCDocument, resolver: Resolver, threshold: float = THRESHOLD, report: Report = log) -> int:
    """Write the inferred long forms of an article, at each place of the short form. Returns the number of short forms.

    Inferred long forms of an earlier run are replaced. An article in another language is reported and not changed.
    """
    resolved = _resolved(document, resolver, report)
    if resolved is None:
        return 0
    remove_inferred(document)
    answers = [answer for answer in resolved if answer.long_form is not None and answer.score >= threshold]
    ids = fresh_ids(document, "EXP")
    for answer in answers:
        for passage, span in answer.places:
            form = text_at(passage_text(passage), passage.offset, span)
            facts = answer.score, answer.alternatives, answer.articles, answer.identifier
            add_inferred(passage, Inferred(form, str(answer.long_form), span, *facts), next(ids))
    return len(answers)


def _resolved(document: BioCDocument, resolver: Resolver, report: Report) -> list[Answer] | None:
    """The answers for an article; one in another language is reported (None)."""
    counts = word_counts(document)
    if is_english(counts):
        return resolver.resolve(document, counts=counts)
    report(f"article {document.id} is not in English; its short forms are not expanded")
    return None


COLUMNS = (
    "document", "short_form", "long_form", "strategy", "score", "short_start", "places", "alternatives",
    "identifier",
)  # fmt: skip


def answers(sources: Sequence[str], query: SenseQuery, report: Report) -> Iterator[Expanded]:
    """The senses whose probability reaches the threshold; see `each_article`.

    Articles that are not in English are reported by name and skipped. Raises `ResourceError` as `open_resolver` does.
    """
    resolver = open_resolver(query.dictionary, report, query.encoder)
    threshold = THRESHOLD if query.threshold is None else query.threshold

    def expanded(article: BioCDocument) -> Expanded:
        resolved = _resolved(article, resolver, report)
        if resolved is None:
            return Expanded(articles=1)
        given = [answer for answer in resolved if answer.long_form is not None and answer.score >= threshold]
        objects = [as_object(str(article.id), answer) for answer in given]
        return Expanded(
            tuple(objects),
            tuple(map(tsv_line, objects)),
            articles=1,
            undefined=len(resolved),
            known=sum(answer.long_form is not None for answer in resolved),
            answered=len(given),
        )

    return each_article(sources, report, expanded, Expanded(failed=1))


SOURCE = SenseSource(COLUMNS, answers)


def as_object(document: str, answer: Answer) -> dict[str, Any]:
    """An answer for JSON. The offset counts code points from the start of the document; scores have 4 decimals."""
    return {
        "document": document,
        "short_form": answer.form,
        "long_form": answer.long_form,
        "strategy": BY_DICTIONARY,
        "score": round(answer.score, 4),
        "short_start": answer.places[0][1][0],
        "places": len(answer.places),
        "alternatives": [[long, round(score, 4)] for long, score in answer.alternatives],
        "identifier": answer.identifier or None,
    }


def tsv_line(value: Mapping[str, Any]) -> str:
    """An answer (`as_object`) as a tab-separated line, in the order of `COLUMNS`."""
    others = "; ".join(f"{long} ({score:.4f})" for long, score in value["alternatives"])
    shown = {**value, "score": f"{value['score']:.4f}", "alternatives": others, "identifier": value["identifier"] or ""}
    return "\t".join(" ".join(str(shown[column]).split()) for column in COLUMNS)
