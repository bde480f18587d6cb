"""Sieves one after another: the first with an answer wins. The order is data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from corpora.errors import ConfigurationError
from sieves.chemistry import elements, formulae, lipids, peptides, residues
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lookup.edit_distance import EditDistance
from sieves.lookup.shorthand import CLASS_WORDS, LabShorthand
from sieves.rewriting import composites, peeling, variants
from sieves.sieve import LONGEST, Article, Candidate, Names, Resolver, Rewriting, Sieve, candidates

__all__ = ["DEFAULT_ORDER", "Cascade", "build_sieves"]

DEFAULT_ORDER = (
    "defined", "class", "exact", "trade", "shorthand", "ion", "formula", "residue", "peptide", "isotope", "label",
    "lipid", "folded", "number", "expanded", "salt", "words", "bare", "stem", "locants", "external", "composite",
    "qualified", "heading", "edit",
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
        self._cache: dict[str, tuple[int, tuple[Candidate, ...]]] = {}
        """For each text how many sieves were asked, and the answer of the last of them."""

    def resolve(self, text: str, article: Article = NO_ARTICLE) -> Candidate | None:
        """The answer of the first sieve that has one; None where none has."""
        return next(iter(self.candidates(text, article)), None)

    def candidates(self, text: str, article: Article = NO_ARTICLE) -> tuple[Candidate, ...]:
        """All that the first sieve with an answer has to say, best first; empty where none has one."""
        return self._resolve(tidy(text), article, len(self.sieves))

    def explain(self, text: str, article: Article = NO_ARTICLE) -> Iterator[tuple[str, list[Candidate]]]:
        """Every sieve, in order, with all that it has to say to a text."""
        for name, found in self._asked(tidy(text), article, 0, len(self.sieves)):
            yield name, list(found)

    def _resolve(self, text: str, article: Article, before: int) -> tuple[Candidate, ...]:
        """What the sieves before one say."""
        if not any(map(str.isalnum, text)):
            return ()
        if len(text) > LONGEST:
            before = min(before, SIEVES_FOR_LONG)
        if article is NO_ARTICLE or not _depends(text, article):
            return self._remembered(text, before)
        return self._first(text, article, 0, before)[1]

    def _remembered(self, text: str, before: int) -> tuple[Candidate, ...]:
        """What the sieves before one say to a text of no article; none is asked the same twice."""
        asked, answer = self._cache.get(text, (0, ()))
        if not answer and asked < before:
            asked, answer = self._first(text, NO_ARTICLE, asked, before)
            if len(self._cache) >= CACHED_ANSWERS:
                self._cache.clear()
            self._cache[text] = asked, answer
        return answer if asked <= before else ()

    def _first(self, text: str, article: Article, start: int, before: int) -> tuple[int, tuple[Candidate, ...]]:
        """How many sieves there are up to the first from `start` on that has an answer, and its answer."""
        for asked, (_, found) in enumerate(self._asked(text, article, start, before), start + 1):
            if found:
                return asked, tuple(found)
        return before, ()

    def _asked(self, text: str, article: Article, start: int, before: int) -> Iterator[tuple[str, Sequence[Candidate]]]:
        """What each sieve from `start` on and before one says to a text."""
        at = start

        def part(text: str, whole: bool = False) -> Candidate | None:
            # A sieve hears only those before it, and a definition hears all but definitions: every way ends.
            known = Article(surfaces=article.surfaces) if whole else article
            return next(iter(self._resolve(tidy(text), known, len(self.sieves) if whole else at)), None)

        for at in range(start, before):
            sieve = self.sieves[at]
            yield sieve.name, sieve(text, article, part)


def _depends(text: str, article: Article) -> bool:
    """Whether the answer may differ between articles: a definition in the text, or what may be an amino-acid code."""
    return len(text) <= LONGEST_CODE or any(short in text for short in article.definitions)


# -- the sieves ---------------------------------------------------------------------------------


def build_sieves(lexicon: Lexicon) -> dict[str, Sieve]:
    """Every sieve that there is, by name."""
    names, every = Names(lexicon), Names(lexicon, external=True)
    sieves: list[Sieve] = [
        Defined(),
        LabShorthand.open(CLASS_WORDS).sieve("class", names),
        Asking("exact", names.not_traded),
        Trade(names, every),
        Asking("heading", names.heading),
        LabShorthand.open().sieve("shorthand", every),
        Rewriting("ion", elements.ions, names),
        Asking("folded", names.folded),
        Asking("number", names.numbered),
        Rewriting("formula", formulae.salts, names),
        Residues(names),
        Rewriting("peptide", peptides.protected, names),
        Rewriting("isotope", elements.isotopes, names),
        Labels(names),
        Rewriting("lipid", lipids.shorthand, names),
        Expanded(),
        Rewriting("salt", peeling.parent, names, deep=True),
        Asking("words", names.in_any_order),
        # What no name begins with needs no word behind it: one question in place of eight.
        Rewriting("qualified", partial(variants.qualified, begins=names.begins), names),
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
        if not article.definitions:
            return []
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
        if not article.definitions:
            return []
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

    def __init__(self, names: Names) -> None:
        self._names = names

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        found = elements.label(text)
        if found is None:
            return []

        def part(text: str, whole: bool = False) -> Candidate | None:
            # What is labelled may be known by a sieve before this one, or as a name in other punctuation.
            return resolve(text, whole) or next(candidates(self.name, self._names, text), None)

        isotope, rest = found
        return _joined(self.name, (isotope, rest) if isotope else (rest,), part)


class Composite:
    """A mention that names several concepts has the ids of all, in text order; each part must be known."""

    name = "composite"

    def __init__(self, names: Names) -> None:
        self._names = names

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        for parts in composites.splits(text):
            found = _joined(self.name, parts, resolve)
            if found:
                # A combination that has a record of its own is that record; a list with a shared word is none.
                written_out = all(part in text for part in parts)
                names = composites.combinations(parts) if written_out else ()
                whole = [one for name in names for one in candidates(self.name, self._names, name)]
                return whole or found
        return []


def _joined(sieve: str, parts: Sequence[str], resolve: Resolver) -> list[Candidate]:
    """The one answer that parts have together; empty as soon as one of them is not known."""
    known: list[Candidate] = []
    for part in parts:
        found = resolve(part)
        if found is None:
            return []
        known.append(found)
    ids = tuple(dict.fromkeys(id for part in known for id in part.identifiers))
    return [Candidate(ids, sieve, " | ".join(part.matched_name for part in known), known[0].layer)]
