"""From an article to candidates for keyphrases: words, their stems, and phrases of up to five words, by numpy.

No tagger of parts of speech is needed: a phrase neither begins nor ends with a word of `STOP`, and does not reach
across punctuation. Features of its edges replace the parts of speech.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np
import snowballstemmer
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model import sections
from corpora.model.passages import passage_kind, passage_text
from corpora.words.short_texts import cached

_WORD = re.compile(r"[a-z]+")
_PORTER = snowballstemmer.stemmer("porter")
_VOWEL_CONSONANT = re.compile(r"(?:[aeiou]|[^aeiou]y)[^aeiou]")
_RARE_DOUBLE = re.compile(r"([chjkqvwx])\1(?:ed|ing)$")


def stemmed(phrase: str) -> str:
    """A phrase in lower case, with each run of the letters a to z stemmed and one blank between words.

    `Encoder/decoders of real-time video` -> `encod/decod of real-time video`.
    """
    return " ".join(map(_token, phrase.lower().split()))


def word_hash(stem: str) -> int:
    """The hash of a stemmed word, the same on every machine."""
    return crc32(stem.encode())


Keys = tuple[tuple[str, ...], ...]
"""Stemmed keyphrases; each is a tuple of accepted variants."""


def key_of(phrase: str) -> str:
    """The stems of the words of a phrase, without punctuation between words, as in `Candidates.stem`."""
    return stemmed(" ".join(token for token in tokens_of(phrase) if token[0].isalnum()))


def stemmed_keys(keys: Iterable[Sequence[str]]) -> Keys:
    """Keyphrases, each given by its variants as they are written; equal and empty ones are left out."""
    stems = dict.fromkeys(tuple(dict.fromkeys(filter(None, map(key_of, variants)))) for variants in keys)
    return tuple(variants for variants in stems if variants)


@cached(1 << 16)
def _token(token: str) -> str:
    return _WORD.sub(lambda match: stem(match.group()), token)


def stem(word: str) -> str:
    """The stem of a word of the letters a to z in lower case: Porter 1980, Program 14:130-137.

    With the departures of the program that the author distributes (tartarus.org/martin/PorterStemmer), which stemmed
    the keys of SemEval-2010 task 5: words of one or two letters stay as they are, `bli` becomes `ble`, and `logi`
    becomes `log`. The stemmer `porter` of snowballstemmer has none of them, and keeps the doubled k of `trekking`.
    """
    if len(word) <= 2:
        return word
    found: str = _PORTER.stemWord(word)
    # `immunologie` has its e until after these two steps.
    if not word.endswith("e"):
        if found.endswith("logi") and _VOWEL_CONSONANT.search(found[:-4]):
            return found[:-1]
        if found.endswith("bli") and _VOWEL_CONSONANT.search(found[:-3]):
            return str(_PORTER.stemWord(f"{found[:-1]}e"))
    return found[:-1] if _RARE_DOUBLE.search(word) and found[-2:-1] == found[-1] else found


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


_STOP_WORDS = """
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
STOP = frozenset(_STOP_WORDS.split())
"""Words that neither begin nor end a keyphrase."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an article, with a break between passages. All arrays have one item for each token."""

    tokens: list[str]  # as written
    stems: NDArray[np.int64]  # numbers of stems; 0 for breaks (`BREAK`), which no phrase may contain
    edges: NDArray[np.bool_]  # whether a phrase may begin or end with it
    capitals: NDArray[np.bool_]  # whether it has a capital letter behind its first letter
    digits: NDArray[np.bool_]
    brackets: NDArray[np.bool_]  # opening brackets
    places: NDArray[np.int64]  # numbers in `PLACES`
    passages: NDArray[np.int64]  # the number of the passage in the document
    vocabulary: list[str]  # stem by number
    hashes: NDArray[np.uint64]  # hash of a stem by number

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which tokens are no content words; one more behind the last token."""
        return np.append(~self.edges | (self.stems == BREAK), True)


def words_of(document: BioCDocument) -> Words:
    """The words of the sections that are read, in the order of the file. Cells of tables are left out."""
    tokens: list[str] = []
    of_passages: list[tuple[int, int, int]] = []  # number, place and tokens of each passage that is read
    for number, (passage, section) in enumerate(zip(document.passages, sections.sections_of(document), strict=True)):
        kind, text = passage_kind(passage), passage_text(passage)
        if section in LEFT_OUT or kind == "table" or _KEYWORDS.match(text):
            continue
        heading = kind.startswith("title") and section != sections.TITLE
        before = len(tokens)
        tokens += [*tokens_of(text), "."]
        place = "heading" if heading else _PLACE_OF.get(section, "other")
        of_passages.append((number, _NUMBER[place], len(tokens) - before))
    passages, places, lengths = np.array(of_passages, dtype=np.int64).reshape(-1, 3).T
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    codes = np.fromiter(map(numbers.__getitem__, tokens), dtype=np.int64, count=len(tokens))
    kinds = list(map(_kind, numbers))
    stems: dict[str, int] = {"": BREAK}
    stem_of = np.array([stems.setdefault(kind[0], len(stems)) for kind in kinds], dtype=np.int64)
    hashes = np.zeros(len(stems), dtype=np.uint64)
    hashes[stem_of] = np.array([kind[1] for kind in kinds], dtype=np.uint64)
    flags = [(*kind[2:], token == "(") for kind, token in zip(kinds, numbers, strict=True)]
    edges, capitals, digits, brackets = np.array(flags, dtype=np.bool_).reshape(-1, 4).T[:, codes]
    return Words(
        tokens,
        stem_of[codes],
        edges,
        capitals,
        digits,
        brackets,
        np.repeat(places, lengths),
        np.repeat(passages, lengths),
        list(stems),
        hashes,
    )


@cached(1 << 16)
def _kind(token: str) -> tuple[str, int, bool, bool, bool]:
    """The stem of a token and its hash (empty if no phrase may contain it), and its `edges`, `capitals`, `digits`."""
    lower = token.lower().translate(_DASHES)
    if not token[0].isalnum() or len(token) > _LONGEST_WORD:
        return "", 0, False, False, False
    stem = stemmed(lower)
    letters = sum(map(str.isalpha, lower))
    edge = lower not in STOP and letters > 0 and len(lower) > 1
    return stem, word_hash(stem), edge, any(map(str.isupper, token[1:])), letters < len(lower)


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


LONGEST = 5
"""Words of a candidate."""
_REFERENCE = PLACES.index("reference")
_ONCE = np.array([PLACES.index(place) for place in ("title", "abstract", "heading", "conclusion", "introduction")])
"""Where one occurrence is enough. Elsewhere a candidate needs two, without those in the references."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of an article, in the order of their length, then of their first occurrence.

    `lengths`, `hashes`: words and hash of each candidate. `of`, `starts`: candidate and first token of each occurrence;
    the occurrences of a candidate are in the order of the article. `counts`: occurrences by place (candidates, PLACES).
    `first`: the first occurrence outside the references, as a token.
    """

    words: Words
    lengths: Ints
    hashes: NDArray[np.uint64]
    of: Ints
    starts: Ints
    counts: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.lengths)

    def stem(self, number: int) -> str:
        """The stemmed phrase, with blanks between words."""
        start = int(self.first[number])
        stems = self.words.stems[start : start + int(self.lengths[number])]
        return " ".join(self.words.vocabulary[stem] for stem in stems)

    def places(self, number: int) -> Ints:
        """The first tokens of its occurrences."""
        places: Ints = self.starts[self.of == number]
        return places

    def tokens(self, numbers: Ints | slice = slice(None)) -> tuple[Ints, NDArray[np.bool_]]:
        """The tokens of candidates at their first place, (candidates, LONGEST), and which are inside; others are 0."""
        inside = np.arange(LONGEST) < self.lengths[numbers][:, None]
        return np.where(inside, self.first[numbers][:, None] + np.arange(LONGEST), 0), inside

    def surface(self, number: int) -> str:
        """The phrase as it is most often written; of several, the one with fewer capitals, then the first."""
        length = int(self.lengths[number])
        texts = Counter(" ".join(self.words.tokens[start : start + length]) for start in self.places(number).tolist())
        return min(texts, key=lambda text: (-texts[text], sum(map(str.isupper, text))))


def candidates_of(words: Words, longest: int = LONGEST) -> Candidates:
    parts = []
    total = 0
    for length, starts, numbers, hashes in phrases_of(words, longest):
        of_phrases = words.places[starts]
        body = np.bincount(numbers, weights=of_phrases != _REFERENCE, minlength=len(hashes))
        front = np.bincount(numbers, weights=np.isin(of_phrases, _ONCE), minlength=len(hashes))
        kept = (body >= 2) | (front >= 1)
        renumbered = np.cumsum(kept) - 1 + total
        inside = kept[numbers]
        parts.append((np.full(int(kept.sum()), length), hashes[kept], renumbered[numbers[inside]], starts[inside]))
        total += int(kept.sum())
    lengths, hashes, of, starts = (np.concatenate(column) for column in zip(*parts, strict=True))
    counts = np.bincount(of * len(PLACES) + words.places[starts], minlength=total * len(PLACES))
    outside = words.places[starts] != _REFERENCE
    first = np.full(total, len(words.tokens), dtype=np.int64)
    np.minimum.at(first, of[outside], starts[outside])
    return Candidates(words, lengths, hashes, of, starts, counts.reshape(total, len(PLACES)), first)


def phrases_of(words: Words, longest: int) -> list[tuple[int, Ints, Ints, NDArray[np.uint64]]]:
    """For each length: the first tokens of the phrases, the number of each phrase, and the hash of each number."""
    stems, edges = words.stems, words.edges
    base = np.int64(len(words.vocabulary))
    starts = np.flatnonzero(edges & (stems != BREAK))
    running, rolling = stems[starts], words.hashes[stems[starts]]
    phrases = []
    for length in range(1, longest + 1):
        if length > 1:
            # Only phrases that may become longer: their next word is no break.
            longer = starts + length <= len(stems)
            longer[longer] = stems[starts[longer] + length - 1] != BREAK
            starts, running, rolling = starts[longer], running[longer], rolling[longer]
            behind = stems[starts + length - 1]
            _, running = np.unique(running * base + behind, return_inverse=True)
            rolling = (rolling * _FACTOR) ^ (words.hashes[behind] + np.uint64(length))
        whole = edges[starts + length - 1]
        numbers, first = _by_first(running[whole])
        phrases.append((length, starts[whole], numbers, rolling[whole][first]))
    return phrases


def _by_first(values: Ints) -> tuple[Ints, Ints]:
    """The values renumbered by their first occurrence, and the position of the first occurrence of each number."""
    # Backwards, so that the first position is written last. The order does not depend on numbers of stems.
    first = np.full(int(values.max(initial=-1)) + 1, len(values))
    first[values[::-1]] = np.arange(len(values))[::-1]
    used = np.flatnonzero(first < len(values))
    order = used[np.argsort(first[used])]
    numbers = np.empty(len(first), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return numbers[values], first[order]
