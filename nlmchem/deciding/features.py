"""The features of each candidate: what the tagger, the lexicon, the form and the neighbours show. And in words.

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
from corpora.words.english import word_counts
from indexing.learning.linear import Columns, Floats, matrix_of
from nlmchem.deciding.candidates import is_brand, is_misspelt
from nlmchem.deciding.knowledge import is_known_in_other_form, is_whole
from nlmchem.deciding.meanings import Meanings
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.rules.meanings import part_of_protein
from sieves.lexicon.concepts import CHEMICAL_KIND
from sieves.lexicon.keys import tidy
from sieves.registry import facts

if TYPE_CHECKING:
    from nlmchem.tagging.inference.scoring import ScoredPassage

_VIEW = ("inside", "least", "begin", "before", "after", "cut")
_TAGGER = ("marked", "score", *_VIEW, "in larger", "has smaller")
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
OF_THE_FLOOR = ("reliable", "notation", "rare word")
"""Columns that no model has as features."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "tagger": _TAGGER, "surfaces": _SURFACE, "meaning": _MEANING, "form": _FORM, "neighbours": _NEIGHBOURS,
    "article": _ARTICLE,
}  # fmt: skip
"""The features by what they are about."""
MONOTONE: Mapping[str, int] = {
    "marked": 1, "score": 1, "inside": 1, "least": 1, "begin": 1, "before": -1, "after": -1, "cut": -1,
    "share marked": 1, "surface inside": 1, "surface least": 1, "known": 1, "unknown": -1, "chemical": 1,
    "protein": -1, "role": -1, "named": 1, "protein follows": -1,
}  # fmt: skip
"""Features that can only raise (1) or lower (-1) the probability."""

RELIABLE = 0.9
"""The precision of the sieves whose answers are reliable."""
_LIMIT = 8.0
_CODE = re.compile(r"[A-Z][A-Za-z]{0,5}[- ]?\d+[A-Za-z]?")
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*|\(|\)\d*|[+\-−·]){2,}")
_ABBREVIATION = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Za-z0-9-]{2,8}")
_WORD = re.compile(r"[^\W\d_]+")
_CONJUNCTION = re.compile(r" (?:and|or|plus|with) |, ")


@dataclass(frozen=True, slots=True)
class SpanFeatures:
    """The candidates of an article and their features."""

    spans: list[tuple[int, int, int]]
    """Passage, start, end."""
    texts: list[str]
    columns: Columns
    """One for each of `FEATURES` and `OF_THE_FLOOR`."""

    def matrix(self, features: Sequence[str] = FEATURES) -> Floats:
        """The values of features, (candidates, features)."""
        return matrix_of(self.columns, features)


def features_of(
    passages: Sequence[PassageSpans],
    candidates: Sequence[Sequence[Span]],
    named: Sequence[Sequence[Span]],
    meanings: Meanings,
) -> SpanFeatures:
    """The features of the candidates of each passage of an article. `named`: the spans of the lexicon."""
    spans = [(number, *span) for number, of_passage in enumerate(candidates) for span in of_passage]
    texts = [passages[number].text[start:end] for number, start, end in spans]
    if not spans:
        return SpanFeatures(spans, texts, dict.fromkeys((*FEATURES, *OF_THE_FLOOR), np.zeros(0)))
    forms = {text: {**_meaning(text, meanings), **_form(text)} for text in dict.fromkeys(texts)}
    columns = _columns([forms[text] for text in texts])
    columns |= _columns([_neighbours(passages[number].text, start, end) for number, start, end in spans])
    columns |= {name: np.full(len(spans), value) for name, value in _article(passages, meanings).items()}
    places = [np.array(of_passage, dtype=np.int64) for of_passage in candidates]
    parts = [
        _tagger(passage, at, of_lexicon)
        for passage, at, of_lexicon in zip(passages, places, named, strict=True)
        if len(at)
    ]
    columns |= {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    sure = [_sure(passages[number].text, (start, end), meanings) for number, start, end in spans]
    return SpanFeatures(spans, texts, {**columns, **_surfaces(columns, texts), **_columns(sure)})


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def _surfaces(columns: Columns, texts: Sequence[str]) -> dict[str, Floats]:
    """The features of surfaces: counts and means over the candidates with the same text."""
    _, group = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)
    size = np.bincount(group).astype(np.float64)
    most = np.full(len(size), -np.inf)
    np.maximum.at(most, group, columns["inside"])

    def mean(name: str) -> Floats:
        return (np.bincount(group, columns[name]) / size)[group]

    return {
        "places": np.log1p(size)[group],
        "share marked": mean("marked"),
        "surface inside": mean("inside"),
        "surface least": mean("least"),
        "surface most": most[group],
    }


def _tagger(passage: PassageSpans, places: NDArray[np.int64], named: Sequence[Span]) -> dict[str, Floats]:
    """The features of the tagger, and of the spans `named` of the lexicon, for candidates (start, end) of a passage."""
    same, larger, smaller = _relations(places, [(span.start, span.end) for span in passage.spans])
    of_lexicon = _relations(places, named)
    # The last value is that of candidates that are not marked (position -1).
    scores = np.array([*(_logit(span.score) for span in passage.spans), -_LIMIT], dtype=np.float64)
    views = [_view(scored, places) for scored in passage.scored]
    return {
        "marked": np.asarray(same >= 0, np.float64),
        "score": scores[same],
        **{name: np.mean([view[name] for view in views], axis=0) if views else np.zeros(len(places)) for name in _VIEW},
        "in larger": np.asarray(larger, np.float64),
        "has smaller": np.asarray(smaller, np.float64),
        "named": np.asarray(of_lexicon[0] >= 0, np.float64),
        "in named": np.asarray(of_lexicon[1], np.float64),
        "has named": np.asarray(of_lexicon[2], np.float64),
    }


def _relations(
    places: NDArray[np.int64], others: Sequence[Span]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """For each candidate: the position of the equal other span (-1: none); whether one contains it; lies inside it.

    `others` are in the order of the text and do not overlap, so that time is linear but for a logarithm.
    """
    starts, ends = places.T
    if not others:
        none = np.zeros(len(places), dtype=bool)
        return np.full(len(places), -1), none, none
    first, last = np.array(others, dtype=np.int64).T
    before = np.searchsorted(first, starts, side="right") - 1
    reached = np.maximum(before, 0)
    is_same = (before >= 0) & (first[reached] == starts) & (last[reached] == ends)
    following = np.searchsorted(first, starts, side="left")
    inside = (following < len(first)) & (last[np.minimum(following, len(first) - 1)] <= ends)
    larger = (before >= 0) & (last[reached] >= ends) & ~is_same
    return np.where(is_same, reached, -1), larger, inside & ~is_same


def _view(scored: ScoredPassage, places: NDArray[np.int64]) -> dict[str, Floats]:
    """Log-odds from one model (`_VIEW`)."""
    probabilities, encoded = scored.probabilities, scored.encoded
    firsts = np.searchsorted(encoded.ends, places[:, 0], side="right")
    lasts = np.maximum(firsts, np.searchsorted(encoded.starts, places[:, 1], side="left"))
    pieces = np.flatnonzero(lasts > firsts)
    values = {name: np.full(len(places), -_LIMIT) for name in _VIEW}
    if not len(pieces):
        return values
    firsts, lasts = firsts[pieces], lasts[pieces]
    outside = probabilities[:, 0].astype(np.float64)
    inside, begins = 1.0 - outside, probabilities[:, 1].astype(np.float64)
    # A following piece that begins another mention is no reason to extend this one.
    after = np.append((1.0 - probabilities[:, 0] - probabilities[:, 1]).astype(np.float64), 0.0)
    shares = {
        **{name: np.zeros(len(pieces)) for name in _VIEW},
        "begin": begins[firsts],
        "before": np.where(firsts > 0, inside[firsts - 1], 0.0),
        "after": after[lasts],
    }
    sizes = lasts - firsts
    for size in np.unique(sizes).tolist():
        same_size = np.flatnonzero(sizes == size)
        columns = firsts[same_size, None] + np.arange(size)
        shares["inside"][same_size] = inside[columns].mean(axis=1)
        shares["least"][same_size] = inside[columns].min(axis=1)
        if size > 1:
            shares["cut"][same_size] = begins[columns[:, 1:]].max(axis=1)
    for name, values_of in shares.items():
        values[name][pieces] = [_logit(share) for share in values_of.tolist()]
    return values


def _meaning(text: str, meanings: Meanings) -> dict[str, float]:
    sense = meanings.of(text)
    kind = sense.kind
    trusted = sense.is_trusted
    # The share of the words of an unknown text that are known chemicals.
    words = [] if trusted else _WORD.findall(text)[:8]
    part = sum(len(word) > 2 and meanings.is_known_chemical(word) for word in words) / max(1, len(words))
    longs = meanings.article.definitions.get(tidy(text), ())
    proteins, role = ("protein", "enzyme", "nucleic acid"), "pharmacological action"
    return {
        "known": trusted,
        "guessed": bool(sense.candidates) and not trusted,
        "unknown": not sense.candidates,
        "chemical": kind == CHEMICAL_KIND,
        "protein": kind in proteins,
        "role": kind == role,
        "other kind": kind not in ("", CHEMICAL_KIND, role, *proteins),
        "elsewhere": not sense.candidates and bool(meanings.lexicon.elsewhere(text)),
        "part known": 1.0 if trusted else part,
        "short form": bool(longs),
        "long form chemical": any(meanings.is_known_chemical(long) for long in longs),
    }


def _sure(passage: str, span: Span, meanings: Meanings) -> dict[str, float]:
    """What the floor of a decision needs beside the features (`nlmchem.deciding.decision`)."""
    text = passage[slice(*span)]
    sense = meanings.of(text)
    reliable = (facts(sense.sieve).precision or 0.0) >= RELIABLE and sense.kind == CHEMICAL_KIND
    return {
        "reliable": reliable or is_known_in_other_form(text, meanings),
        "notation": is_whole(text),
        "rare word": is_brand(passage, span, sense) or is_misspelt(text, sense),
    }


def _form(text: str) -> dict[str, float]:
    words = text.split()
    letters = sum(map(str.isalpha, text)) or 1
    return {
        "length": math.log(len(text)),
        "words": len(words),
        "digits": sum(map(str.isdigit, text)) / len(text),
        "capitals": sum(map(str.isupper, text)) / letters,
        "brackets": sum(text.count(bracket) for bracket in "([{"),
        "hyphens": sum(text.count(hyphen) for hyphen in "-‐‑–"),
        "slash": "/" in text,
        "conjunction": _CONJUNCTION.search(text) is not None,
        "formula": _FORMULA.fullmatch(text) is not None and any(map(str.isdigit, text)),
        "code": _CODE.fullmatch(text) is not None,
        "abbreviation": _ABBREVIATION.fullmatch(text) is not None,
        "ends with digit": text[-1].isdigit(),
        "common word": _commonness(text),
        "common first word": _commonness(words[0]) if len(words) > 1 else 0.0,
        "common last word": _commonness(words[-1]) if len(words) > 1 else 0.0,
    }


def _commonness(word: str) -> float:
    return math.log1p(word_counts().get(word.lower(), 0)) if word.isalpha() and not word.isupper() else 0.0


def _neighbours(text: str, start: int, end: int) -> dict[str, float]:
    before, after = text[start - 1 : start], text[end : end + 1]
    return {
        "protein follows": part_of_protein(text, start, end),
        "hyphen before": bool(before) and before in "-‐‑–/",
        "hyphen after": bool(after) and after in "-‐‑–/",
        "bracket before": before == "(",
        "bracket after": after == ")",
        "number after": re.match(r" ?\(?\d", text[end : end + 3]) is not None,
    }


def _article(passages: Sequence[PassageSpans], meanings: Meanings) -> dict[str, float]:
    """Of the marked surfaces: the share without a meaning, the mean log-odds; marked spans in 100 characters."""
    scores = {passage.text_of(span): span.score for passage in passages for span in passage.spans}
    if not scores:
        return dict.fromkeys(_ARTICLE, 0.0)
    unknown = sum(not meanings.of(text).candidates for text in scores)
    sure = sum(map(_logit, scores.values()))
    number, length = sum(len(passage.spans) for passage in passages), sum(len(passage.text) for passage in passages)
    return {
        "article unknown": unknown / len(scores),
        "article sure": sure / len(scores),
        "article density": 100 * number / max(1, length),
    }


def _logit(probability: float) -> float:
    limited = min(max(probability, 1e-4), 1 - 1e-4)
    return max(-_LIMIT, min(_LIMIT, math.log(limited / (1 - limited))))


# -- in words -----------------------------------------------------------------------------------

FACTS = {
    "marked": ("the tagger marked exactly this text", "the tagger did not mark exactly this text"),
    "in larger": ("a longer mention contains it", "no longer mention contains it"),
    "has smaller": ("it contains a shorter mention", "it contains no shorter mention"),
    "known": ("the lexicon has it", "the lexicon does not have it"),
    "guessed": ("only a sieve that is often wrong links it", "no sieve that is often wrong links it"),
    "unknown": ("no sieve links it", "a sieve links it"),
    "chemical": ("it means a chemical", "it does not mean a chemical"),
    "protein": ("it means a protein or a nucleic acid", "it does not mean a protein or a nucleic acid"),
    "role": ("it means a role of substances", "it does not mean a role of substances"),
    "other kind": ("it means something else than a chemical", "it means nothing else than a chemical"),
    "elsewhere": ("the lexicon has it with another meaning", "the lexicon does not have it with another meaning"),
    "named": ("it is exactly a name of the lexicon", "it is not exactly a name of the lexicon"),
    "in named": ("a longer name of the lexicon contains it", "no longer name of the lexicon contains it"),
    "has named": ("it contains a name of the lexicon", "it contains no name of the lexicon"),
    "short form": ("the article defines it as a short form", "the article does not define it as a short form"),
    "long form chemical": ("its long form is a chemical", "it has no long form that is a chemical"),
    "slash": ("it has a slash", "it has no slash"),
    "conjunction": ("it has a conjunction", "it has no conjunction"),
    "formula": ("it is written as a formula", "it is not written as a formula"),
    "code": ("it is written as a code", "it is not written as a code"),
    "abbreviation": ("it is written as an abbreviation", "it is not written as an abbreviation"),
    "ends with digit": ("it ends with a digit", "it does not end with a digit"),
    "protein follows": ("a protein is named after it", "no protein is named after it"),
    "hyphen before": ("there is a hyphen before it", "there is no hyphen before it"),
    "hyphen after": ("there is a hyphen after it", "there is no hyphen after it"),
    "bracket before": ("there is a bracket before it", "there is no bracket before it"),
    "bracket after": ("there is a bracket after it", "there is no bracket after it"),
    "number after": ("there is a number after it", "there is no number after it"),
}
"""Feature that is a fact -> the words if it holds, and if it does not."""
NUMBERS = {
    "score": "the score of the tagger",
    "inside": "how sure the tagger is of its words",
    "least": "how sure the tagger is of its least certain word",
    "begin": "how sure the tagger is that a name begins here",
    "before": "how sure the tagger is of the word before it",
    "after": "how sure the tagger is of the word after it",
    "cut": "how sure the tagger is that another name begins inside it",
    "places": "how often the article has this text",
    "share marked": "how many of its places the tagger marked",
    "surface inside": "how sure the tagger is of this text in the whole article",
    "surface least": "how sure the tagger is of its least certain word in the whole article",
    "surface most": "how sure the tagger is of its best place",
    "part known": "how many of its words are chemicals",
    "length": "its length",
    "words": "its number of words",
    "digits": "its share of digits",
    "capitals": "its share of capitals",
    "brackets": "its brackets",
    "hyphens": "its hyphens",
    "common word": "how common it is as an English word",
    "common first word": "how common its first word is in English",
    "common last word": "how common its last word is in English",
    "article unknown": "how many texts of the article have no meaning",
    "article sure": "how sure the tagger is in the whole article",
    "article density": "how many chemicals the article has",
}
"""Feature that is a number -> what it is about."""


def arguments(features: Sequence[str], values: Floats, added: Floats, number: int) -> str:
    """The `number` features that changed the log-odds most, as what is for a mention and what is against it.

    `values`: those of the features; `added`: what each added to the log-odds.
    """
    sides: dict[bool, list[str]] = {True: [], False: []}
    for at in strongest(features, added)[:number]:
        if added[at]:
            name = features[at]
            words = FACTS[name][0 if values[at] > 0 else 1] if name in FACTS else NUMBERS.get(name, name)
            sides[bool(added[at] > 0)].append(words)
    named = (("for it", sides[True]), ("against it", sides[False]))
    return "; ".join(f"{side}: {', '.join(words)}" for side, words in named if words)


def strongest(features: Sequence[str], added: Floats) -> list[int]:
    """The positions of the features, the greatest change first."""
    return sorted(range(len(features)), key=lambda at: (-abs(added[at]), features[at]))
