"""Sieves one after another: the first with an answer wins. The order is data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from corpora.errors import ConfigurationError
from sieves import composites, elements, formulae, lipids, peeling, residues, variants
from sieves.fuzzy import EditDistance
from sieves.keys import tidy
from sieves.lexicon import Lexicon, Match
from sieves.shorthand import LabShorthand
from sieves.sieve import LONGEST, Article, Candidate, Names, Resolver, Rewriting, Sieve, candidates

__all__ = ["DEFAULT_ORDER", "Cascade", "build_sieves"]

DEFAULT_ORDER = (
    "defined", "exact", "trade", "shorthand", "ion", "formula", "residue", "isotope", "label", "lipid", "folded",
    "number", "expanded", "salt", "words", "bare", "stem", "locants", "external", "composite", "qualified", "heading",
    "edit",
)  # fmt: skip
"""Names of sieves in the order in which they are asked; docs/normalization.md gives what each is worth."""

CACHED_ANSWERS = 65_536
SIEVES_FOR_LONG = 2
"""How many sieves are asked about a text of more than `LONGEST` characters."""
NO_ARTICLE = Article()
LONGEST_CODE = 6
"""Characters of an amino-acid code with its number: what it means depends on the article's other mentions."""
_TRADE_MARK = re.compile(r"\s*(?:[®™]|\((?:R|TM|r|tm)\)(?=\s|$))")
_WORD = re.compile(r"[^\W_]+")


class Cascade:
    """Resolves texts by the sieves in their order; answers that do not depend on the article are remembered."""

    __slots__ = ("_cache", "sieves")

    def __init__(self, lexicon: Lexicon, order: Sequence[str] = DEFAULT_ORDER) -> None:
        """Raises `ConfigurationError` where `order` names a sieve twice or one that there is not."""
        made = build_sieves(lexicon)
        unknown = [name for name in order if name not in made]
        if unknown or len(set(order)) != len(order):
            wrong = ", ".join(unknown or order)
            raise ConfigurationError(f"no such order of sieves: {wrong}; there are {', '.join(sorted(made))}")
        self.sieves: tuple[Sieve, ...] = tuple(made[name] for name in order)
        self._cache: dict[tuple[str, int], tuple[Candidate, ...]] = {}

    def resolve(self, text: str, article: Article = NO_ARTICLE) -> Candidate | None:
        """The answer of the first sieve that has one; None where none has."""
        return next(iter(self.candidates(text, article)), None)

    def candidates(self, text: str, article: Article = NO_ARTICLE) -> tuple[Candidate, ...]:
        """All that the first sieve with an answer has to say, best first; empty where none has one."""
        return self._resolve(tidy(text), article, len(self.sieves))

    def explain(self, text: str, article: Article = NO_ARTICLE) -> Iterator[tuple[str, list[Candidate]]]:
        """Every sieve, in order, with all that it has to say to a text."""
        text = tidy(text)
        for at, sieve in enumerate(self.sieves):
            yield sieve.name, self._ask(at, text, article)

    def _resolve(self, text: str, article: Article, before: int) -> tuple[Candidate, ...]:
        """What the sieves before one say."""
        if not any(map(str.isalnum, text)):
            return ()
        if article is not NO_ARTICLE and not _depends(text, article):
            article = NO_ARTICLE
        if article is not NO_ARTICLE:
            return self._first(text, article, before)
        key = (text, before)
        if key not in self._cache:
            answer = self._first(text, article, before)
            if len(self._cache) >= CACHED_ANSWERS:
                self._cache.clear()
            self._cache[key] = answer
        return self._cache[key]

    def _first(self, text: str, article: Article, before: int) -> tuple[Candidate, ...]:
        for at in range(before if len(text) <= LONGEST else min(before, SIEVES_FOR_LONG)):
            found = self._ask(at, text, article)
            if found:
                return tuple(found)
        return ()

    def _ask(self, at: int, text: str, article: Article) -> list[Candidate]:
        def part(text: str, whole: bool = False) -> Candidate | None:
            # A sieve hears only those before it, and a definition hears all but definitions: every way ends.
            known = Article(surfaces=article.surfaces) if whole else article
            return next(iter(self._resolve(tidy(text), known, len(self.sieves) if whole else at)), None)

        return list(self.sieves[at](text, article, part))


def _depends(text: str, article: Article) -> bool:
    """Whether the answer may differ between articles: a definition in the text, or what may be an amino-acid code."""
    return len(text) <= LONGEST_CODE or any(short in text for short in article.definitions)


# -- the sieves ---------------------------------------------------------------------------------


def build_sieves(lexicon: Lexicon) -> dict[str, Sieve]:
    """Every sieve that there is, by name."""
    names, every = Names(lexicon), Names(lexicon, external=True)
    sieves: list[Sieve] = [
        Defined(),
        Asking("exact", names.not_traded),
        Trade(names, every),
        Asking("heading", names.heading),
        LabShorthand.open().sieve("shorthand", every),
        Rewriting("ion", elements.ions, names),
        Asking("folded", names.folded),
        Asking("number", names.numbered),
        Rewriting("formula", formulae.salts, names),
        Residues(names),
        Rewriting("isotope", elements.isotopes, names),
        Labels(),
        Rewriting("lipid", lipids.shorthand, names),
        Expanded(),
        Rewriting("salt", peeling.parent, names, deep=True),
        Asking("words", names.in_any_order),
        Rewriting("qualified", variants.qualified, names),
        Rewriting("locants", variants.renumbered, names),
        Rewriting("bare", peeling.bare, names, deep=True),
        Rewriting("stem", peeling.acids, names),
        Asking("external", every.find),
        Composite(names),
        EditDistance(lexicon),
    ]
    return {sieve.name: sieve for sieve in sieves}


class Asking:
    """A sieve that asks the lexicon one question about the text as it is."""

    __slots__ = ("_ask", "name")

    def __init__(self, name: str, ask: Callable[[str], Sequence[Match]]) -> None:
        self.name = name
        self._ask = ask

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        return [Candidate(match.identifiers, self.name, match.name, match.layer) for match in self._ask(text)]


class Trade:
    """A trade name: so marked by NLM, or by a trade mark in the text, whoever has it then."""

    name = "trade"

    def __init__(self, names: Names, every: Names) -> None:
        self._names = names
        self._every = every

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        bare = _TRADE_MARK.sub("", text).strip()
        if bare != text:
            return list(candidates(self.name, self._every, bare))
        return [Candidate(m.identifiers, self.name, m.name, m.layer) for m in self._names.traded(text)]


class Defined:
    """A short form that the article defines means what its long form means."""

    name = "defined"

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        for short in (text, text.removesuffix("s")):
            for long in article.definitions.get(short, ()):
                found = resolve(long, whole=True)
                if found is not None:
                    return [replace(found, sieve=self.name, via=long)]
        return []


class Expanded:
    """A mention that holds short forms of the article means what it means with their long forms (`GSH-MEE`)."""

    name = "expanded"

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        long = _WORD.sub(lambda word: _long_form(word[0], article), text)
        if long == text or text in article.definitions:
            return []
        found = resolve(long, whole=True)
        return [] if found is None else [replace(found, sieve=self.name, via=long)]


def _long_form(word: str, article: Article) -> str:
    return next(iter(article.definitions.get(word) or article.definitions.get(word.removesuffix("s")) or ()), word)


class Residues:
    """Amino-acid codes; they depend on the article's other mentions."""

    name = "residue"

    def __init__(self, names: Names) -> None:
        self._names = names

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        return [found for name in residues.codes(text, article) for found in candidates(self.name, self._names, name)]


class Labels:
    """A labelled compound is its label and what is labelled, in this order; a deuterated standard is the compound."""

    name = "label"

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        found = elements.label(text)
        if found is None:
            return []
        isotope, rest = found
        parts = [resolve(part) for part in ((isotope, rest) if isotope else (rest,))]
        return _joined(self.name, parts)


class Composite:
    """A mention that names several concepts has the ids of all, in text order; each part must be known."""

    name = "composite"

    def __init__(self, names: Names) -> None:
        self._names = names

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        for parts in composites.splits(text):
            found = _joined(self.name, [resolve(part) for part in parts])
            if found:
                # A combination that has a record of its own is that record.
                whole = (
                    one for name in composites.combinations(parts) for one in candidates(self.name, self._names, name)
                )
                return list(whole) or found
        return []


def _joined(sieve: str, parts: Sequence[Candidate | None]) -> list[Candidate]:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return []
    ids = tuple(dict.fromkeys(id for part in known for id in part.identifiers))
    return [Candidate(ids, sieve, " | ".join(part.matched_name for part in known), known[0].layer)]
