"""The evidence for each candidate: what the tagger, the lexicon, the form and the neighbours show.

Values are numbers; missing values are 0. `FEATURES` has the names, `MONOTONE` the features whose effect has one sign.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.words import word_counts
from nlmchem.deciding.meanings import Meanings, Sense
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.rules.proteins import part_of_protein
from sieves.lexicon.keys import tidy
from sieves.lexicon.kinds import CHEMICAL_KIND

if TYPE_CHECKING:
    from nlmchem.tagging.inference.scoring import ScoredPassage

__all__ = ["FEATURES", "GROUPS", "MONOTONE", "Evidence", "evidence_of"]

Floats = NDArray[np.float64]

_TAGGER = ("marked", "score", "inside", "least", "begin", "before", "after", "cut", "in larger", "has smaller")
_SURFACE = ("places", "share marked", "surface inside", "surface least", "surface most")
_MEANING = (
    "known", "guessed", "unknown", "chemical", "protein", "role", "other kind", "elsewhere", "named", "in named",
    "has named", "part known", "short form", "long form chemical",
)  # fmt: skip
_FORM = (
    "length", "words", "digits", "capitals", "brackets", "hyphens", "slash", "conjunction", "formula", "code",
    "abbreviation", "ends with digit", "common word", "common first word", "common last word",
)  # fmt: skip
_NEIGHBOURS = ("protein follows", "hyphen before", "hyphen after", "bracket before", "bracket after", "number after")
_ARTICLE = ("article unknown", "article sure", "article density")

FEATURES: tuple[str, ...] = (*_TAGGER, *_SURFACE, *_MEANING, *_FORM, *_NEIGHBOURS, *_ARTICLE)
"""The names of the features, in the order of the columns."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "tagger": _TAGGER, "surfaces": _SURFACE, "meaning": _MEANING, "form": _FORM, "neighbours": _NEIGHBOURS,
    "article": _ARTICLE,
}  # fmt: skip
"""The features by the kind of evidence."""
MONOTONE: Mapping[str, int] = {
    "marked": 1, "score": 1, "inside": 1, "least": 1, "begin": 1, "before": -1, "after": -1, "cut": -1,
    "share marked": 1, "surface inside": 1, "surface least": 1, "known": 1, "unknown": -1, "chemical": 1,
    "protein": -1, "role": -1, "named": 1, "protein follows": -1,
}  # fmt: skip
"""Features that can only raise (1) or lower (-1) the probability."""

_LIMIT = 8.0
_CODE = re.compile(r"[A-Z][A-Za-z]{0,5}[- ]?\d+[A-Za-z]?")
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*|\(|\)\d*|[+\-−·]){2,}")
_ABBREVIATION = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Za-z0-9-]{2,8}")
_WORD = re.compile(r"[^\W\d_]+")
_CONJUNCTION = re.compile(r" (?:and|or|plus|with) |, ")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of an article and their features (candidates x features). `spans`: passage, start, end."""

    spans: list[tuple[int, int, int]]
    texts: list[str]
    values: Floats


def evidence_of(
    passages: Sequence[PassageSpans],
    candidates: Sequence[Sequence[Span]],
    named: Sequence[Sequence[Span]],
    meanings: Meanings,
) -> Evidence:
    """The evidence for the candidates of each passage of an article. `named`: the spans of the lexicon."""
    spans = [(number, *span) for number, own in enumerate(candidates) for span in own]
    texts = [passages[number].text[start:end] for number, start, end in spans]
    values = np.zeros((len(spans), len(FEATURES)))
    if not spans:
        return Evidence(spans, texts, values)
    forms = {text: [*_meaning(text, meanings), *_form(text)] for text in dict.fromkeys(texts)}
    values[:, _AT_MEANING:_AT_NEIGHBOURS] = [forms[text] for text in texts]
    values[:, _AT_NEIGHBOURS:_AT_ARTICLE] = [_neighbours(passages[n].text, start, end) for n, start, end in spans]
    values[:, _AT_ARTICLE:] = _article(passages, meanings)
    first = 0
    for passage, own, of_lexicon in zip(passages, candidates, named, strict=True):
        if own:
            rows, places = slice(first, first + len(own)), np.array(own, dtype=np.int64)
            values[rows, :_AT_SURFACE] = _tagger(passage, places)
            values[rows, _AT_NAMED : _AT_NAMED + 3] = _named(places, of_lexicon)
            first += len(own)
    _add_surfaces(values, texts)
    return Evidence(spans, texts, values)


_AT_SURFACE, _AT_MEANING, _AT_NAMED, _AT_NEIGHBOURS, _AT_ARTICLE = map(
    FEATURES.index, (_SURFACE[0], _MEANING[0], "named", _NEIGHBOURS[0], _ARTICLE[0])
)
"""Columns."""


def _add_surfaces(values: Floats, texts: Sequence[str]) -> None:
    """Fill the features of surfaces: counts and means over the candidates with the same text."""
    _, group = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)
    size = np.bincount(group).astype(np.float64)
    inside, least = values[:, _TAGGER.index("inside")], values[:, _TAGGER.index("least")]
    most = np.full(len(size), -np.inf)
    np.maximum.at(most, group, inside)
    columns = (
        np.log1p(size)[group],
        (np.bincount(group, values[:, 0]) / size)[group],
        (np.bincount(group, inside) / size)[group],
        (np.bincount(group, least) / size)[group],
        most[group],
    )
    values[:, _AT_SURFACE : _AT_SURFACE + len(columns)] = np.stack(columns, axis=1)


def _tagger(passage: PassageSpans, places: NDArray[np.int64]) -> Floats:
    """The features of the tagger for candidates (start, end) of a passage."""
    marked = [(span.start, span.end) for span in passage.spans]
    same, larger, smaller = _relations(places, marked)
    views = [_view(scored, places) for scored in passage.scored]
    values = np.zeros((len(places), len(_TAGGER)))
    values[:, 0] = same.any(axis=1)
    scores = np.array([_logit(span.score) for span in passage.spans])
    values[:, 1] = np.where(same, scores, 0.0).sum(axis=1) if marked else 0.0
    values[values[:, 0] == 0, 1] = -_LIMIT
    values[:, 2:8] = np.mean(views, axis=0) if views else 0.0
    values[:, 8], values[:, 9] = larger.any(axis=1), smaller.any(axis=1)
    return values


Relation = NDArray[np.bool_]


def _relations(places: NDArray[np.int64], others: Sequence[Span]) -> tuple[Relation, Relation, Relation]:
    """For candidates (rows) and other spans: whether the other span is the same, contains it, lies inside it."""
    starts, ends = places[:, :1], places[:, 1:]
    first, last = np.array(others, dtype=np.int64).reshape(-1, 2).T
    same = (starts == first) & (ends == last)
    return same, (first <= starts) & (ends <= last) & ~same, (starts <= first) & (last <= ends) & ~same


def _view(scored: ScoredPassage, places: NDArray[np.int64]) -> Floats:
    """Log-odds from one model: inside, least, begin, before, after, cut."""
    probabilities, encoded = scored.probabilities, scored.encoded
    firsts = np.searchsorted(encoded.ends, places[:, 0], side="right")
    lasts = np.maximum(firsts, np.searchsorted(encoded.starts, places[:, 1], side="left"))
    pieces = np.flatnonzero(lasts > firsts)
    values = np.full((len(places), 6), -_LIMIT)
    if not len(pieces):
        return values
    firsts, lasts = firsts[pieces], lasts[pieces]
    outside = probabilities[:, 0].astype(np.float64)
    inside, begins = 1.0 - outside, probabilities[:, 1].astype(np.float64)
    # A following piece that begins another mention is no reason to extend this one.
    after = np.append((1.0 - probabilities[:, 0] - probabilities[:, 1]).astype(np.float64), 0.0)
    shares = np.zeros((len(pieces), 6))
    shares[:, 2] = begins[firsts]
    shares[:, 3] = np.where(firsts > 0, inside[firsts - 1], 0.0)
    shares[:, 4] = after[lasts]
    sizes = lasts - firsts
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        columns = firsts[own, None] + np.arange(size)
        shares[own, 0], shares[own, 1] = inside[columns].mean(axis=1), inside[columns].min(axis=1)
        if size > 1:
            shares[own, 5] = begins[columns[:, 1:]].max(axis=1)
    values[pieces] = np.array([_logit(share) for share in shares.ravel().tolist()]).reshape(shares.shape)
    return values


def _meaning(text: str, meanings: Meanings) -> list[float]:
    sense = meanings.of(text)
    kind = sense.kind
    longs = meanings.article.definitions.get(tidy(text), ())
    return [
        float(sense.is_trusted),
        float(bool(sense.candidates) and not sense.is_trusted),
        float(not sense.candidates),
        float(kind == CHEMICAL_KIND),
        float(kind in ("protein", "enzyme", "nucleic acid")),
        float(kind == "pharmacological action"),
        float(kind not in ("", CHEMICAL_KIND, "protein", "enzyme", "nucleic acid", "pharmacological action")),
        float(not sense.candidates and bool(meanings.lexicon.elsewhere(text))),
        0.0,
        0.0,
        0.0,
        _known_part(text, sense, meanings),
        float(bool(longs)),
        float(any(meanings.is_known_chemical(long) for long in longs)),
    ]


def _known_part(text: str, sense: Sense, meanings: Meanings) -> float:
    """The share of the words of an unknown text that are known chemicals; 1 for a known text."""
    if sense.is_trusted:
        return 1.0
    words = _WORD.findall(text)[:8]
    return sum(len(word) > 2 and meanings.is_known_chemical(word) for word in words) / len(words) if words else 0.0


def _named(places: NDArray[np.int64], named: Sequence[Span]) -> Relation:
    """Whether a name of the lexicon is the candidate, contains it, lies inside it (candidates x 3)."""
    return np.stack([relation.any(axis=1) for relation in _relations(places, named)], axis=1)


def _form(text: str) -> list[float]:
    words = text.split()
    letters = sum(map(str.isalpha, text)) or 1
    return [
        math.log(len(text)),
        float(len(words)),
        sum(map(str.isdigit, text)) / len(text),
        sum(map(str.isupper, text)) / letters,
        float(sum(text.count(bracket) for bracket in "([{")),
        float(sum(text.count(hyphen) for hyphen in "-‐‑–")),
        float("/" in text),
        float(_CONJUNCTION.search(text) is not None),
        float(_FORMULA.fullmatch(text) is not None and any(map(str.isdigit, text))),
        float(_CODE.fullmatch(text) is not None),
        float(_ABBREVIATION.fullmatch(text) is not None),
        float(text[-1].isdigit()),
        _commonness(text),
        _commonness(words[0]) if len(words) > 1 else 0.0,
        _commonness(words[-1]) if len(words) > 1 else 0.0,
    ]


def _commonness(word: str) -> float:
    return math.log1p(word_counts().get(word.lower(), 0)) if word.isalpha() and not word.isupper() else 0.0


def _neighbours(text: str, start: int, end: int) -> list[float]:
    before, after = text[start - 1 : start], text[end : end + 1]
    return [
        float(part_of_protein(text, start, end)),
        float(bool(before) and before in "-‐‑–/"),
        float(bool(after) and after in "-‐‑–/"),
        float(before == "("),
        float(after == ")"),
        float(re.match(r" ?\(?\d", text[end : end + 3]) is not None),
    ]


def _article(passages: Sequence[PassageSpans], meanings: Meanings) -> list[float]:
    """Of the marked surfaces: the share without a meaning, the mean log-odds; marked spans in 100 characters."""
    scores = {passage.text_of(span): span.score for passage in passages for span in passage.spans}
    if not scores:
        return [0.0, 0.0, 0.0]
    unknown = sum(not meanings.of(text).candidates for text in scores)
    sure = sum(map(_logit, scores.values()))
    number, length = sum(len(passage.spans) for passage in passages), sum(len(passage.text) for passage in passages)
    return [unknown / len(scores), sure / len(scores), 100 * number / max(1, length)]


def _logit(probability: float) -> float:
    limited = min(max(probability, 1e-4), 1 - 1e-4)
    return max(-_LIMIT, min(_LIMIT, math.log(limited / (1 - limited))))
