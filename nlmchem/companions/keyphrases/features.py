"""The features of keyphrase candidates: one column for each name in `FEATURES`, one row for each candidate.

Positions, lengths and counts come from KEA (Witten et al. 1999) and HUMB (Lopez and Romary 2010, SemEval, pages
248-251). The shares of free edges replace a tagger of parts of speech: a word that often ends a phrase is a noun more
often than not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from indexing.learning.linear import Columns, Flags, Floats, Ints, matrix_of
from nlmchem.companions.keyphrases.candidates import BREAK, LONGEST, PLACES, Candidates
from nlmchem.companions.keyphrases.frequencies import Frequencies, KeyphrasePrior

_NUMBER = {place: number for number, place in enumerate(PLACES)}
_REFERENCE = _NUMBER["reference"]
_FRONT = [_NUMBER[place] for place in ("title", "abstract", "heading")]


class _ArticlePhrases:
    """The candidates of an article, with values that several features use."""

    def __init__(self, found: Candidates, table: Frequencies, prior: KeyphrasePrior) -> None:
        words, size = found.words, len(found)
        self.found, self.prior = found, prior
        self.rows, self.word_rows = table.rows(found.hashes), table.rows(words.hashes)
        outside = words.places != _REFERENCE
        # Tokens, and occurrences of each word of the vocabulary, outside the references.
        self.size = max(1, int(np.count_nonzero(outside)))
        word_counts = np.bincount(words.stems[outside], minlength=len(words.vocabulary))
        self.word_counts = np.maximum(word_counts, 1).astype(np.float64)
        # Occurrences of each candidate, those outside the references, and the last of these.
        self.occurrences = np.maximum(np.bincount(found.of, minlength=size), 1)
        body = found.counts.sum(axis=1) - found.counts[:, _REFERENCE]
        self.body: Floats = np.maximum(body, 1).astype(np.float64)
        self.last = np.zeros(size, dtype=np.int64)
        counted = outside[found.starts]
        np.maximum.at(self.last, found.of[counted], found.starts[counted])
        # The stems of each candidate (candidates, LONGEST), and which of them may stand at the edge of a phrase.
        tokens, self.inside = found.tokens()
        self.stems = words.stems[tokens]
        self.content = self.inside & words.edges[tokens]
        self.content_words: Ints = self.content.sum(axis=1)
        # Like `Words.free`, `brackets` has one more item behind the last token.
        self.free, self.brackets = words.free, np.append(words.brackets, False)
        self.before, self.behind = found.starts - 1, found.starts + found.lengths[found.of]

    @cached_property
    def nesting(self) -> tuple[Floats, Floats, Floats]:
        """Of each candidate: the count of its most frequent longer candidate, the number of different ones, and the
        count of the most frequent candidate inside."""
        return _nesting(self.found, self.body)

    def share(self, flags: Flags) -> Floats:
        """The share of the occurrences of each candidate with a flag."""
        return np.bincount(self.found.of, weights=flags, minlength=len(self.found)) / self.occurrences

    def share_with(self, words: Flags) -> Floats:
        """The share of the occurrences of each candidate that have a word with a flag."""
        lengths = self.found.lengths[self.found.of]
        flags = np.zeros(len(lengths), dtype=np.bool_)
        for shift in range(LONGEST):
            inside = shift < lengths
            flags[inside] |= words[self.found.starts[inside] + shift]
        return self.share(flags)

    def mean(self, values: Floats) -> Floats:
        """The mean of a value over the content words of each candidate."""
        means: Floats = (values[self.stems] * self.content).sum(axis=1) / self.content_words
        return means

    def least(self, values: Floats) -> Floats:
        minima: Floats = np.where(self.content, values[self.stems], np.inf).min(axis=1)
        return minima

    def most(self, values: Floats) -> Floats:
        return -self.least(-values)

    def at_first(self, values: Floats) -> Floats:
        return values[self.stems[:, 0]]

    def at_last(self, values: Floats) -> Floats:
        return values[self.stems[np.arange(len(self.found)), self.found.lengths - 1]]

    def of_vocabulary(self, value: Callable[[str], float]) -> Floats:
        """The value of each stem of each candidate (candidates, LONGEST); 0 behind the end."""
        values = np.fromiter(map(value, self.found.words.vocabulary), dtype=np.float64)
        return np.where(self.inside, values[self.stems], 0.0)

    def in_place(self, place: str) -> Floats:
        """Of each word of the vocabulary, whether it occurs in a kind of text."""
        words = self.found.words
        flags = np.zeros(len(words.vocabulary))
        flags[words.stems[words.places == _NUMBER[place]]] = 1.0
        flags[BREAK] = 0.0
        return flags


def _nesting(candidates: Candidates, body: Floats) -> tuple[Floats, Floats, Floats]:
    size = len(candidates)
    longer, richness, inner = np.zeros(size), np.zeros(size), np.zeros(size)
    at = np.full((LONGEST + 1, len(candidates.words.tokens) + LONGEST), -1, dtype=np.int64)
    at[candidates.lengths[candidates.of], candidates.starts] = candidates.of
    pairs = []
    for length in range(2, LONGEST + 1):
        starts = np.flatnonzero(at[length] >= 0)
        outer = at[length, starts]
        for part in range(1, length):
            for shift in range(length - part + 1):
                nested = at[part, starts + shift]
                inside = nested >= 0
                pairs.append(nested[inside] * size + outer[inside])
    nested, outer = np.divmod(np.unique(np.concatenate(pairs)), size)
    np.maximum.at(longer, nested, body[outer])
    np.maximum.at(inner, outer, body[nested])
    np.add.at(richness, nested, 1.0)
    return longer, richness, inner


Feature = Callable[[_ArticlePhrases], Floats]


def _count(place: int) -> Feature:
    return lambda view: np.log1p(view.found.counts[:, place].astype(np.float64))


def _has(*places: str) -> Feature:
    numbers = [_NUMBER[place] for place in places]
    return lambda view: np.asarray((view.found.counts[:, numbers] > 0).all(axis=1), dtype=np.float64)


def _passages(view: _ArticlePhrases) -> Floats:
    candidates = view.found
    passages = candidates.words.passages[candidates.starts]
    new = np.ones(len(passages), dtype=np.bool_)
    order = np.lexsort((passages, candidates.of))
    of, passages = candidates.of[order], passages[order]
    new[1:] = (of[1:] != of[:-1]) | (passages[1:] != passages[:-1])
    return np.log1p(np.bincount(of, weights=new, minlength=len(candidates)))


def _pointwise(view: _ArticlePhrases) -> Floats:
    """Pointwise mutual information of the words, by their number; 0 for one word."""
    logs = np.where(view.content, np.log(view.word_counts / view.size)[view.stems], 0.0).sum(axis=1)
    return np.where(view.found.lengths > 1, (np.log(view.body / view.size) - logs) / view.found.lengths, 0.0)


_FEATURES: dict[str, Feature] = {
    **{f"log:{place}": _count(number) for number, place in enumerate(PLACES)},
    "log": lambda view: np.log(view.body),
    "share": lambda view: view.body / view.size * 1000,
    "log-passages": _passages,
    "places": lambda view: (view.found.counts > 0).sum(axis=1).astype(np.float64),
    "title-and-abstract": _has("title", "abstract"),
    "abstract-and-conclusion": _has("abstract", "conclusion"),
    "abstract-and-reference": _has("abstract", "reference"),
    "first": lambda view: np.log1p(view.found.first.astype(np.float64)),
    "first-share": lambda view: view.found.first / view.size,
    "last-share": lambda view: view.last / view.size,
    "spread": lambda view: (view.last - view.found.first) / view.size,
    "rarity": lambda view: view.rows.rarity,
    "known": lambda view: view.rows.known,
    "titled": lambda view: np.log(view.rows.titled),
    "burst": lambda view: view.rows.burst,
    "background-left": lambda view: view.rows.left,
    "background-right": lambda view: view.rows.right,
    "tf-idf": lambda view: np.log1p(view.body) * view.rows.rarity,
    "tf-idf-front": lambda view: np.log1p(view.found.counts[:, _FRONT].sum(axis=1)) * view.rows.rarity,
    "word-rarity": lambda view: view.mean(view.word_rows.rarity),
    "word-rarity-least": lambda view: view.least(view.word_rows.rarity),
    "word-rarity-most": lambda view: view.most(view.word_rows.rarity),
    "word-titled": lambda view: np.log(view.mean(view.word_rows.titled)),
    "word-burst": lambda view: view.mean(view.word_rows.burst),
    "first-word-left": lambda view: view.at_first(view.word_rows.left),
    "first-word-right": lambda view: view.at_first(view.word_rows.right),
    "last-word-left": lambda view: view.at_last(view.word_rows.left),
    "last-word-right": lambda view: view.at_last(view.word_rows.right),
    "last-word-titled": lambda view: np.log(view.at_last(view.word_rows.titled)),
    "word-count": lambda view: view.mean(np.log(view.word_counts)),
    "cohesion-most": lambda view: np.log(view.body / view.most(view.word_counts)),
    "cohesion-least": lambda view: np.log(view.body / view.least(view.word_counts)),
    "pointwise": _pointwise,
    "left-free": lambda view: view.share(view.free[view.before]),
    "right-free": lambda view: view.share(view.free[view.behind]),
    "both-free": lambda view: view.share(view.free[view.before] & view.free[view.behind]),
    "bracket-behind": lambda view: view.share(view.brackets[view.behind]),
    "bracket-before": lambda view: view.share(view.brackets[view.before]),
    "inside-longer": lambda view: view.nesting[0] / view.body,
    "log-longer": lambda view: np.log1p(view.nesting[1]),
    "of-inner": lambda view: np.log(np.maximum(view.nesting[2], 1.0) / view.body),
    "capitals": lambda view: view.share_with(view.found.words.capitals),
    "digits": lambda view: view.share_with(view.found.words.digits),
    "inner-stop": lambda view: (view.found.lengths > view.content_words).astype(np.float64),
    "one-word": lambda view: (view.found.lengths == 1).astype(np.float64),
    "two-words": lambda view: (view.found.lengths == 2).astype(np.float64),
    "words": lambda view: view.found.lengths.astype(np.float64),
    "letters": lambda view: np.log(view.of_vocabulary(len).sum(axis=1) + 1),
    "hyphen": lambda view: view.of_vocabulary(lambda stem: "-" in stem).max(axis=1, initial=0.0),
    "title-words": lambda view: view.mean(view.in_place("title")),
    "abstract-words": lambda view: view.mean(view.in_place("abstract")),
    "heading-words": lambda view: view.mean(view.in_place("heading")),
    "reference-words": lambda view: view.mean(view.in_place("reference")),
    "prior": lambda view: view.prior.of("phrases", view.found.hashes),
    "prior-word": lambda view: view.mean(view.prior.of("words", view.found.words.hashes)),
    "prior-first": lambda view: view.at_first(view.prior.of("first", view.found.words.hashes)),
    "prior-last": lambda view: view.at_last(view.prior.of("last", view.found.words.hashes)),
    "article:size": lambda view: np.full(len(view.found), np.log(view.size)),
    "article:abstract": lambda view: np.full(
        len(view.found), np.log1p(np.count_nonzero(view.found.words.places == _NUMBER["abstract"]))
    ),
}
FEATURES: tuple[str, ...] = tuple(_FEATURES)
"""The names of all features."""


def columns(candidates: Candidates, table: Frequencies, prior: KeyphrasePrior, features: Iterable[str]) -> Columns:
    """The features of an article's candidates, one column for each. Raises `KeyError` for an unknown feature."""
    chosen = {name: _FEATURES[name] for name in features}
    if not len(candidates):
        return dict.fromkeys(chosen, np.zeros(0))
    view = _ArticlePhrases(candidates, table, prior)
    return {name: feature(view) for name, feature in chosen.items()}


def matrix(
    candidates: Candidates, table: Frequencies, prior: KeyphrasePrior, features: Sequence[str] = FEATURES
) -> Floats:
    """The features of an article's candidates, (candidates, features). Raises `KeyError` for an unknown feature."""
    return matrix_of(columns(candidates, table, prior, features), features)


TOP = 150
"""Candidates that the second stage ranks: those with the highest log-odds of the first stage."""
SECOND = (
    "log-odds", "log-rank", "lead", "covered", "longer-lead", "inner-lead", "sharing-above", "likeness-above",
    "last-word-above",
)  # fmt: skip
"""The features of the second stage.

`lead`: log-odds minus those of the tenth candidate. `covered`: the share of content words that better candidates
contain. `longer-lead`, `inner-lead`: the log-odds of the best candidate that contains this one, or is contained in it,
minus its own. `sharing-above`: better candidates with a common word. `likeness-above`: the largest share of common
words with a better candidate. `last-word-above`: better candidates with the same last word.
"""
_TENTH = 10
_NONE = -8.0
"""The lead where there is no such candidate."""


def best(log_odds: Floats) -> Ints:
    """The candidates for the second stage, best first; of equal ones the first in the article."""
    return np.argsort(-log_odds, kind="stable")[:TOP]


def relations(candidates: Candidates, order: Ints, log_odds: Floats) -> Columns:
    """The features of the second stage (`SECOND`) for the candidates `order`, best first."""
    size = len(order)
    if not size:
        return dict.fromkeys(SECOND, np.zeros(0))
    ordered = log_odds[order]
    # Which content words each candidate has, (candidates, words), and its last word.
    tokens, inside = candidates.tokens(order)
    stems = candidates.words.stems[tokens]
    last = stems[np.arange(size), candidates.lengths[order] - 1]
    numbers = np.unique(stems, return_inverse=True)[1].reshape(stems.shape)
    rows, columns = np.nonzero(inside & candidates.words.edges[tokens])
    members = np.zeros((size, int(numbers.max()) + 1))
    members[rows, numbers[rows, columns]] = 1.0
    sizes = members.sum(axis=1)
    common = members @ members.T
    above = np.tri(size, k=-1)
    contains = (common >= sizes[None, :]) & (sizes[:, None] > sizes[None, :])
    differences = ordered[None, :] - ordered[:, None]
    likeness = common / (sizes[:, None] + sizes[None, :] - common)
    return {
        "log-odds": ordered,
        "log-rank": np.log1p(np.arange(size)),
        "lead": ordered - ordered[min(_TENTH, size) - 1],
        "covered": (members * (above @ members > 0)).sum(axis=1) / sizes,
        "longer-lead": np.where(contains.T, differences, _NONE).max(axis=1),
        "inner-lead": np.where(contains, differences, _NONE).max(axis=1),
        "sharing-above": np.log1p(((common > 0) * above).sum(axis=1)),
        "likeness-above": (likeness * above).max(axis=1),
        "last-word-above": np.log1p(((last[:, None] == last[None, :]) * above).sum(axis=1)),
    }
