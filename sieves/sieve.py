"""What a sieve is: a mention in its article goes in, candidates with evidence come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sieves.lexicon.keys import bag, plain, plurals, relaxed, tidy
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lexicon.store import TRADE
from sieves.rewriting.variants import reordered

__all__ = ["Article", "Candidate", "Names", "Resolver", "Rewriting", "Sieve"]

SHORTEST_RELAXED = 3
"""Keys of fewer letters and digits are told apart by case and punctuation alone."""
SHORTEST_CASELESS = 5
"""In keys of fewer letters and digits case counts."""
LONGEST = 400
"""Characters; what is longer is looked up as it is and no sieve works on it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer and why: the concepts in text order, the sieve that gave it, the name of the lexicon it matched.

    `score` lies in 0..1 where the sieve has degrees (edit distance, cosine). `layer` is the source of the name.
    `via` is what the sieve made of the mention before it asked the lexicon, where that is not the text itself.
    """

    identifiers: tuple[str, ...]
    sieve: str
    matched_name: str
    layer: str = ""
    score: float | None = None
    via: str | None = None


@dataclass(frozen=True, slots=True)
class Article:
    """What a sieve may know of the article: what it defines, and what else it names.

    `definitions`: short form -> long forms, in the order of the article. `surfaces`: texts of all mentions, tidied.
    """

    definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    surfaces: frozenset[str] = frozenset()


class Resolver(Protocol):
    """Resolves a text that is a part, or another form, of a mention; None where no sieve knows it."""

    def __call__(self, text: str, whole: bool = False) -> Candidate | None:
        """Asks the sieves before the one that calls; `whole`: all, but the article's definitions are forgotten."""
        ...


class Sieve(Protocol):
    """A way to find what a mention means."""

    @property
    def name(self) -> str: ...

    def __call__(self, text: str, article: Article, resolve: Resolver) -> Sequence[Candidate]:
        """Candidates for a tidied text, best first; empty where the sieve has no answer."""
        ...


class Names:
    """How sieves ask a lexicon: the text itself, then folded, then in the other number.

    `external`: whether names of external terminologies count, too; they are right less often than MeSH's own.
    """

    __slots__ = ("_external", "_left_out", "lexicon")

    def __init__(self, lexicon: Lexicon, external: bool = False) -> None:
        self.lexicon = lexicon
        self._external = external
        self._left_out = frozenset() if external else lexicon.external

    def find(self, text: str) -> Sequence[Match]:
        """The concepts of a text in the first form that any concept bears, best first."""
        return self._as_spelt(text) or self.numbered(text)

    def exact(self, text: str) -> Sequence[Match]:
        """The concepts that bear the text as a name (`Lexicon.lookup`)."""
        return self.lexicon.spelt(text, self._external)

    def not_traded(self, text: str) -> Sequence[Match]:
        """The concepts that bear the text as a name that is no trade name."""
        return [match for match in self.exact(text) if match.layer != TRADE]

    def folded(self, text: str) -> Sequence[Match]:
        """The concepts that bear the text in any case and punctuation; of three letters or digits at least."""
        key = relaxed(text)
        if len(key) < SHORTEST_RELAXED:
            return ()
        found = self._trusted(self.lexicon.with_key(key))
        # Case tells `BaS` from `bas`, `Gly` from `GL-Y`.
        return (
            found if len(key) >= SHORTEST_CASELESS else [one for one in found if _letters(one.name) == _letters(text)]
        )

    def numbered(self, text: str) -> Sequence[Match]:
        """The concepts that bear the text as a plural, or as a singular."""
        for other in plurals(text):
            found = self._as_spelt(other)
            if found:
                return found
        return ()

    def in_any_order(self, text: str) -> Sequence[Match]:
        """The concepts of names with the same parts (`sieves.lexicon.keys.bag`), or of two or three words reordered."""
        parts = bag(text)
        found = self._trusted(self.lexicon.with_bag(parts)) if parts else ()
        return found or next(filter(None, map(self.exact, reordered(text))), ())

    def begins(self, text: str) -> bool:
        """Whether any name begins with the text in any case and punctuation."""
        return self.lexicon.begins(relaxed(text))

    def traded(self, text: str) -> Sequence[Match]:
        """The concepts that bear the text as a name that NLM marks as a trade name."""
        return [match for match in self.exact(text) or self.folded(text) if match.layer == TRADE]

    def heading(self, text: str) -> Sequence[Match]:
        """The headings of a name that the view's year knows by its heading alone (`Lexicon.headings`)."""
        return self._trusted(self.lexicon.headings(text))

    def _as_spelt(self, text: str) -> Sequence[Match]:
        # Most of what sieves make of a text is nobody's name in any spelling: that is one question.
        return (self.exact(text) or self.folded(text)) if self.lexicon.has_key(relaxed(text)) else ()

    def _trusted(self, matches: Sequence[Match]) -> Sequence[Match]:
        if not self._left_out or not matches:
            return matches
        return [match for match in matches if match.layer not in self._left_out]


def _letters(text: str) -> str:
    """Letters and digits in their case, but for the first: MeSH begins names with a capital."""
    letters = "".join(filter(str.isalnum, plain(text)))
    return letters[:1].lower() + letters[1:]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A sieve that says the mention in other words and asks the lexicon for these.

    `rewrite` gives texts, best first. `deep`: where the lexicon knows none of them, the sieves before this one are
    asked too.
    """

    name: str
    rewrite: Callable[[str], Iterable[str]]
    names: Names
    deep: bool = False

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        variants = list(dict.fromkeys(tidy(variant) for variant in self.rewrite(text)))
        found = [candidate for variant in variants for candidate in candidates(self.name, self.names, variant)]
        return found or (list(self._resolved(variants, resolve)) if self.deep else [])

    def _resolved(self, variants: Iterable[str], resolve: Resolver) -> Iterator[Candidate]:
        for variant in variants:
            found = resolve(variant) if variant else None
            if found is not None:
                yield Candidate(found.identifiers, self.name, found.matched_name, found.layer, via=variant)


def candidates(sieve: str, names: Names, text: str) -> Iterator[Candidate]:
    """What the lexicon has for a text that a sieve has made."""
    for match in names.find(text) if text else ():
        yield Candidate(match.identifiers, sieve, match.name, match.layer, via=text)
