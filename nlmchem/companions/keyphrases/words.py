"""The words of an article as arrays: stems, kinds of section and the borders of phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model import sections
from corpora.model.passages import passage_kind, passage_text
from corpora.words.short_texts import cached
from nlmchem.companions.keyphrases.porter import stemmed, word_hash

PLACES = (
    "title", "abstract", "heading", "introduction", "methods", "results", "discussion", "conclusion", "caption",
    "reference", "other",
)  # fmt: skip
"""The kinds of text that are distinguished, in the order of the numbers in `Words.places`."""

_PLACE_OF = {
    sections.TITLE: "title", sections.ABSTRACT: "abstract", sections.INTRO: "introduction",
    sections.METHODS: "methods", sections.CASE: "results", sections.RESULTS: "results",
    sections.DISCUSS: "discussion", sections.CONCL: "conclusion", sections.FIG: "caption",
    sections.TABLE: "caption", sections.REF: "reference",
}  # fmt: skip
LEFT_OUT = frozenset({sections.KEYWORD, sections.ACK_FUND, sections.AUTH_CONT, sections.COMP_INT, sections.REVIEW_INFO})
"""Sections that are not read. The keywords of the authors are among them: the ranker must not copy them."""

_NUMBER = {place: number for number, place in enumerate(PLACES)}
_TOKEN = re.compile(r"[^\W_]+(?:[-‐‑−/'’+][^\W_]+)*|[^\w\s]")
_KEYWORDS = re.compile(r"\W*key ?words?(?: and phrases)?\s*[:;.—–-]", re.IGNORECASE)
"""The beginning of a list of keywords in the running text."""
_DASHES = str.maketrans(dict.fromkeys("‐‑−", "-"))
_LONGEST_WORD = 40
_LAST_BLANK = 0x3000
"""The highest code point of a blank."""

BREAK = 0
"""The number of everything that is not a word: no phrase reaches across it."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _words(
    """
    a about above across after again against all almost along also although always among an and another any are around
    as at be because been before being below best better between both but by can cannot could did do does doing done
    down due during each e.g either enough etc even ever every few first for from further fig figure get give given had
    has have having he hence her here him his how however i if in indeed instead into is it its itself just last least
    less let like likely made mainly make many may me might more moreover most much must my near nearly neither never
    new no nor not now of off often on once one only onto or other others otherwise our out over own per perhaps
    possible quite rather re really s same second see seem seen several shall she should show showed shown since so some
    such table than that the their them then there thereby therefore these they third this those though three through
    throughout thus to together too toward towards two under until up upon us use used using various very via was we
    well were what when where whereas whether which while who whole whom whose why will with within without would yet
    you your et al ie eg vs according based respectively therein furthermore found different following provide
    """
)
"""Words that neither begin nor end a keyphrase."""


@dataclass(frozen=True, slots=True)
class TokenKind:
    """What a token is, whatever its place. `stem`: empty if no phrase may contain it. `edge`: whether a phrase may
    begin or end with it. `capital`: whether it has a capital letter behind its first letter."""

    stem: str
    hash: int
    edge: bool
    capital: bool
    digit: bool


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an article, with a break between passages.

    All arrays have one item for each token. `tokens`: as written. `stems`: numbers of stems, 0 (`BREAK`) for breaks;
    `vocabulary[number]` is the stem and `hashes[number]` its hash. `edges`, `capitals`, `digits`: properties of
    the token (`TokenKind`). `brackets`: opening brackets. `places`: numbers in `PLACES`. `passages`: the number of the
    passage in the document.
    """

    tokens: list[str]
    stems: NDArray[np.int64]
    edges: NDArray[np.bool_]
    capitals: NDArray[np.bool_]
    digits: NDArray[np.bool_]
    brackets: NDArray[np.bool_]
    places: NDArray[np.int64]
    passages: NDArray[np.int64]
    vocabulary: list[str]
    hashes: NDArray[np.uint64]


def words_of(document: BioCDocument) -> Words:
    """The words of the sections that are read, in the order of the file. Cells of tables are left out."""
    tokens: list[str] = []
    lengths: list[int] = []
    read = list(_read(document))
    for _, _, text in read:
        text_tokens = tokens_of(text)
        tokens += text_tokens
        tokens.append(".")
        lengths.append(len(text_tokens) + 1)
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    codes = np.fromiter(map(numbers.__getitem__, tokens), dtype=np.int64, count=len(tokens))
    kinds = list(map(_kind, numbers))
    stems: dict[str, int] = {"": BREAK}
    stem_of = np.array([stems.setdefault(kind.stem, len(stems)) for kind in kinds], dtype=np.int64)
    hashes = np.zeros(len(stems), dtype=np.uint64)
    hashes[stem_of] = np.array([kind.hash for kind in kinds], dtype=np.uint64)

    def of(values: list[bool]) -> NDArray[np.bool_]:
        return np.array(values, dtype=np.bool_)[codes]

    return Words(
        tokens,
        stem_of[codes],
        of([kind.edge for kind in kinds]),
        of([kind.capital for kind in kinds]),
        of([kind.digit for kind in kinds]),
        of([token == "(" for token in numbers]),
        np.repeat(np.array([place for _, place, _ in read], dtype=np.int64), lengths),
        np.repeat(np.array([number for number, _, _ in read], dtype=np.int64), lengths),
        list(stems),
        hashes,
    )


def tokens_of(text: str) -> list[str]:
    """Words (with inner hyphens, slashes and apostrophes) and single punctuation marks."""
    return _TOKEN.findall(text)


def starts_of(text: str, tokens: Sequence[str]) -> NDArray[np.int64]:
    """The positions of the tokens of a text (`tokens_of`), in code points.

    Between tokens there are blanks and underscores only. So token i begins at the character that follows as many other
    characters as the tokens before it have; this takes a tenth of the time of a second search.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    inside = np.flatnonzero(~_gaps()[np.minimum(codes, _LAST_BLANK + 1)])
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    starts: NDArray[np.int64] = inside[np.cumsum(lengths) - lengths]
    return starts


@cache
def _gaps() -> NDArray[np.bool_]:
    """Which code points are blanks or underscores; the last entry stands for all others."""
    return np.array([chr(code).isspace() or chr(code) == "_" for code in range(_LAST_BLANK + 2)])


def _read(document: BioCDocument) -> Iterator[tuple[int, int, str]]:
    """Number, place and text of each passage that is read."""
    for number, (passage, section) in enumerate(zip(document.passages, sections.sections_of(document), strict=True)):
        kind = passage_kind(passage)
        if section in LEFT_OUT or kind == "table":
            continue
        text = passage_text(passage)
        if _KEYWORDS.match(text):
            continue
        heading = kind.startswith("title") and section != sections.TITLE
        place = "heading" if heading else _PLACE_OF.get(section, "other")
        yield number, _NUMBER[place], text


@cached(1 << 16)
def _kind(token: str) -> TokenKind:
    lower = token.lower().translate(_DASHES)
    if not token[0].isalnum() or len(token) > _LONGEST_WORD:
        return TokenKind("", 0, False, False, False)
    stem = stemmed(lower)
    letters = sum(map(str.isalpha, lower))
    edge = lower not in STOP and letters > 0 and len(lower) > 1
    return TokenKind(stem, word_hash(stem), edge, any(map(str.isupper, token[1:])), letters < len(lower))
