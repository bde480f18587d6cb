"""Runs sieves in their order: the first sieve with an answer wins. Learns the order from gold mentions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.model.document import mentions
from corpora.model.mesh_ids import mesh_ids
from sieves.article import article_of
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.tables import BLOCKED
from sieves.registry import DEFAULT_ORDER, checked_order, facts, make_sieves
from sieves.sieve import NOTHING, ArticleContext, PartResolver, Sieve, SieveCandidate

CACHED_ANSWERS = 65_536
LONGEST = 400
"""Characters. For longer texts only the sieves `for_long` are tried."""
FEWEST = 20
"""Answers that a sieve must have to change its place in a learnt order."""
NO_ARTICLE = ArticleContext()
_OF_OWN_NAMES = ("defined", "exact")


class Cascade:
    """Resolves texts by sieves in a given order. Answers that do not depend on the article are cached."""

    __slots__ = ("_after", "_cache", "_needs", "lexicon", "sieves")

    def __init__(self, lexicon: Lexicon, order: str | Sequence[str] = DEFAULT_ORDER) -> None:
        """`order`: see `sieves.registry.checked_order`, which raises `ConfigurationError` for a wrong one."""
        self.lexicon = lexicon
        self.sieves: tuple[Sieve, ...] = make_sieves(lexicon, checked_order(order))
        self._needs = tuple(dict.fromkeys(sieve.needs for sieve in self.sieves if sieve.needs != NOTHING))
        self._after: dict[str | None, int] = {sieve.name: at for at, sieve in enumerate(self.sieves, 1)}
        self._cache: dict[str, tuple[int, tuple[SieveCandidate, ...]]] = {}
        """For each text: the number of sieves tried, and the answer of the last of them."""

    def resolve(self, text: str, article: ArticleContext = NO_ARTICLE) -> SieveCandidate | None:
        """The best candidate of the first sieve that has an answer; None where no sieve has one."""
        return next(iter(self.candidates(text, article)), None)

    def candidates(
        self, text: str, article: ArticleContext = NO_ARTICLE, last: str | None = None
    ) -> tuple[SieveCandidate, ...]:
        """All candidates of the first sieve that has an answer, best first; empty where no sieve has one.

        `last`: the sieves after this one are not tried; without effect if the order does not have it.
        """
        return self._resolve(tidy(text), article, self._after.get(last, len(self.sieves)))

    def explain(self, text: str, article: ArticleContext = NO_ARTICLE) -> Iterator[tuple[str, list[SieveCandidate]]]:
        """Every sieve in order, with all its candidates for a text."""
        for name, candidates in self._tried(tidy(text), article, 0, len(self.sieves)):
            yield name, list(candidates)

    def _resolve(self, text: str, article: ArticleContext, before: int) -> tuple[SieveCandidate, ...]:
        """The candidates of the first of the sieves before position `before` that has an answer."""
        if not any(map(str.isalnum, text)):
            return ()
        if article is NO_ARTICLE or not any(needs.of(text, article) for needs in self._needs):
            return self._cached(text, before)
        return self._first(text, article, 0, before)[1]

    def _cached(self, text: str, before: int) -> tuple[SieveCandidate, ...]:
        """As `_resolve`, without an article. No sieve is tried twice for the same text."""
        tried, answer = self._cache.get(text, (0, ()))
        if not answer and tried < before:
            tried, answer = self._first(text, NO_ARTICLE, tried, before)
            if len(self._cache) >= CACHED_ANSWERS:
                self._cache.clear()
            if len(text) <= LONGEST:
                self._cache[text] = tried, answer
        return answer if tried <= before else ()

    def _first(
        self, text: str, article: ArticleContext, start: int, before: int
    ) -> tuple[int, tuple[SieveCandidate, ...]]:
        """The number of sieves up to the first one, from `start` on, that has an answer; and its answer."""
        for tried, (_, answer) in enumerate(self._tried(text, article, start, before), start + 1):
            if answer:
                return tried, answer
        return before, ()

    def _tried(
        self, text: str, article: ArticleContext, start: int, before: int
    ) -> Iterator[tuple[str, tuple[SieveCandidate, ...]]]:
        """The name and the candidates of each sieve from position `start` to position `before`.

        A name of the user means what the user states: only the definition of an article is preferred to it.
        """
        of_user = self.lexicon.own_meaning(text)
        allowed = None if of_user is None else () if of_user == BLOCKED else _OF_OWN_NAMES
        for at in range(start, before):
            sieve = self.sieves[at]
            is_asked = allowed is None or sieve.name in allowed
            if not is_asked or (len(text) > LONGEST and not facts(sieve.name).for_long):
                yield sieve.name, ()
            else:
                seen = NO_ARTICLE if sieve.needs == NOTHING else article
                # A sieve of a plugin can be a generator.
                yield sieve.name, tuple(sieve(text, seen, self._resolver(at, article)))

    def _resolver(self, at: int, article: ArticleContext) -> PartResolver:
        """Resolves parts of a text for the sieve at a position."""

        def part(text: str, whole: bool = False) -> SieveCandidate | None:
            # Recursion terminates: a part is resolved by earlier sieves only, a long form without definitions.
            known = ArticleContext(surfaces=article.surfaces) if whole else article
            return next(iter(self._resolve(tidy(text), known, len(self.sieves) if whole else at)), None)

        return part


# -- the order ----------------------------------------------------------------------------------


@dataclass(slots=True)
class SieveTally:
    """The mentions that reached a sieve, those that it answered, and those that it answered correctly."""

    sieve: str
    reached: int = 0
    answered: int = 0
    right: int = 0

    @property
    def precision(self) -> float | None:
        return self.right / self.answered if self.answered else None


def learned_order(documents: Sequence[BioCDocument], lexicon: Lexicon) -> tuple[list[SieveTally], tuple[str, ...]]:
    """The precision of each sieve alone, and the sieves in the order of falling precision (`by_precision`).

    Precision is measured on all mentions that a sieve answers, also if an earlier sieve answers them.
    """
    rows = {name: SieveTally(name) for name in DEFAULT_ORDER}
    cascade = Cascade(lexicon)
    for document in documents:
        article = article_of(document)
        gold: dict[str, list[frozenset[str]]] = {}
        for mention in mentions(document):
            gold.setdefault(tidy(mention.text), []).append(frozenset(mesh_ids(mention.identifiers)))
        for text, wanted in sorted(gold.items()):
            for name, candidates in cascade.explain(text, article):
                row = rows[name]
                row.reached += len(wanted)
                if candidates:
                    row.answered += len(wanted)
                    row.right += sum(frozenset(candidates[0].identifiers) == identifiers for identifiers in wanted)
    return list(rows.values()), by_precision(list(rows.values()))


def by_precision(rows: Sequence[SieveTally]) -> tuple[str, ...]:
    """The sieves in the order of falling precision.

    Sieves with fewer than 20 answers, and definitions, keep their places. Sieves with equal precision keep their order.
    """
    # Definitions of the article come before the lexicon in any sample.
    movable = [row for row in rows if not facts(row.sieve).fixed and row.answered >= FEWEST]
    queue = iter(sorted(movable, key=lambda row: -(row.precision or 0.0)))
    return tuple(next(queue).sieve if row in movable else row.sieve for row in rows)
