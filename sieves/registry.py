"""The sieves by name, with all facts about each, and the default order. A new sieve is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from sieves.chemistry import amino_acids, elements, formulae, lipids, variants
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lookup.edit_distance import EditDistance
from sieves.lookup.names import NameLookup
from sieves.lookup.rewriting import Composites, Labels, Lookup, Residues, Rewriting, TradeNames
from sieves.lookup.short_forms import (
    CLASS_WORDS,
    LAB_SHORTHAND,
    DefinedForm,
    ExpandedForm,
    InferredLongForm,
    Shorthand,
    read_shorthand,
)
from sieves.sieve import Sieve


@dataclass(frozen=True, slots=True)
class Lookups:
    """The ways in which sieves look a name up: `names` without external terminologies, `every` with them."""

    lexicon: Lexicon
    names: NameLookup
    every: NameLookup


Maker = Callable[[str, Lookups], Sieve]
"""Makes a sieve of its name and the lookups."""


@dataclass(frozen=True, slots=True)
class SieveEntry:
    """A sieve: how it is made, and how much its answers count."""

    make: Maker
    trusted: bool = False
    """It looks a text up as it is, or reads its notation; others guess, or change the name."""
    firm: bool = False
    """The answer to a text that is no short form counts as evidence for the other mentions of the article."""
    same_name: bool = False
    """All its candidates have the same name, so the article can choose among them."""
    doubted: bool = False
    """Its answer to a short form gives way to a concept that the article mentions by another name."""
    dropped: bool = False
    """Without such a concept, a short form of letters has no answer."""
    for_long: bool = False
    """It is also tried for very long texts; the time of others grows with the length."""
    fixed: bool = False
    """It keeps its place when an order is learnt."""
    guess: bool = False
    """The name of a concept that is no substance is preferred to it."""
    precision: float | None = None
    """The share of its answers that are right on gold mentions of the texts in docs/measurements/normalization.md,
    after adding one right and one wrong answer; None if it was not measured. It decides nothing."""
    words: str = ""
    """Why its answer is the concept of the text, for readers of pages; empty if it has no words."""


def _lookup(find: Callable[[Lookups, str], Sequence[Match]], **facts: Any) -> SieveEntry:
    return SieveEntry(lambda name, by: Lookup(name, partial(find, by)), **facts)


def _rewriting(rewrite: Callable[[str], Iterable[str]], deep: bool = False, **facts: Any) -> SieveEntry:
    return SieveEntry(lambda name, by: Rewriting(name, rewrite, by.names, deep), **facts)


def _shorthand(file: Path, lookups: Callable[[Lookups], NameLookup], **facts: Any) -> SieveEntry:
    return SieveEntry(lambda name, by: Shorthand(name, read_shorthand(file), lookups(by)), **facts)


_ENTRIES = {
    "defined": SieveEntry(
        lambda name, by: DefinedForm(name),
        trusted=True,
        for_long=True,
        fixed=True,
        precision=0.98,
        words="the article defines the short form, and its long form has this concept",
    ),
    "class": _shorthand(
        CLASS_WORDS,
        lambda by: by.names,
        trusted=True,
        firm=True,
        for_long=True,
        precision=0.88,
        words="in articles, the text means this, although MeSH has another concept with this name",
    ),
    "exact": _lookup(
        lambda by, text: by.names.not_traded(text),
        trusted=True,
        firm=True,
        same_name=True,
        for_long=True,
        precision=0.99,
        words="the text is a name in the lexicon",
    ),
    "trade": SieveEntry(
        lambda name, by: TradeNames(name, by.names, by.every),
        trusted=True,
        firm=True,
        same_name=True,
        precision=0.98,
        words="the text is a trade name",
    ),
    "shorthand": _shorthand(
        LAB_SHORTHAND,
        lambda by: by.every,
        doubted=True,
        guess=True,
        precision=0.81,
        words="the text is shorthand of laboratories",
    ),
    "ion": _rewriting(
        formulae.ion_names, trusted=True, precision=0.78, words="the text is the symbol of an element or ion"
    ),
    "formula": _rewriting(formulae.salts, trusted=True, precision=0.83, words="the text is a chemical formula"),
    "residue": SieveEntry(
        lambda name, by: Residues(name, by.names),
        trusted=True,
        guess=True,
        precision=0.99,
        words="the text is the code of an amino acid",
    ),
    "peptide": _rewriting(
        amino_acids.peptide_names, precision=0.8, words="the text is the code of a protected peptide"
    ),
    "isotope": _rewriting(elements.isotope_names, trusted=True, precision=0.83, words="the text is an isotope"),
    "label": SieveEntry(
        lambda name, by: Labels(name, by.names), precision=0.68, words="the text is a name with an isotope label"
    ),
    "lipid": _rewriting(lipids.shorthand, trusted=True, precision=0.69, words="the text is shorthand for lipids"),
    "folded": _lookup(
        lambda by, text: by.names.folded(text),
        trusted=True,
        firm=True,
        same_name=True,
        precision=0.94,
        words="the text is a name in the lexicon, in another case or spelling",
    ),
    "number": _lookup(
        lambda by, text: by.names.other_number(text),
        trusted=True,
        firm=True,
        same_name=True,
        precision=0.93,
        words="the text is the plural or the singular of a name",
    ),
    "expanded": SieveEntry(
        lambda name, by: ExpandedForm(name), words="the text is a name if its short forms are written out"
    ),
    "salt": _rewriting(
        variants.parent,
        deep=True,
        firm=True,
        precision=0.89,
        words="the text is a name with a salt, water or a stereo prefix added",
    ),
    "words": _lookup(
        lambda by, text: by.names.in_any_order(text),
        precision=0.67,
        words="the text is a name with its parts in another order",
    ),
    "bare": _rewriting(
        variants.bare,
        deep=True,
        precision=0.23,
        words="the text is a name with a compound number or a word of use added",
    ),
    "stem": _rewriting(
        variants.acids, precision=0.86, words="the text is another form of a name: acid or salt, noun or adjective"
    ),
    "locants": _rewriting(
        variants.renumbered,
        precision=0.92,
        words="the text is a name with para, ortho or meta for the numbers, or the reverse",
    ),
    "external": _lookup(
        lambda by, text: by.every.find(text),
        same_name=True,
        doubted=True,
        dropped=True,
        precision=0.92,
        words="the text is a name in another terminology, which is mapped to MeSH",
    ),
    "composite": SieveEntry(
        lambda name, by: Composites(name, by.names),
        guess=True,
        precision=0.93,
        words="the text has several names, one for each concept",
    ),
    "qualified": _lookup(
        lambda by, text: by.names.qualified(text),
        doubted=True,
        dropped=True,
        precision=0.92,
        words="the text is a name that has a qualifying word in MeSH",
    ),
    "heading": _lookup(
        lambda by, text: by.names.heading(text),
        precision=0.33,
        words="the concept of the name is too new for the lexicon; this is the concept above it",
    ),
    "edit": SieveEntry(
        lambda name, by: EditDistance(name, by.lexicon),
        guess=True,
        precision=0.93,
        words="the text is most similar to this name in the lexicon",
    ),
    "inferred": SieveEntry(
        lambda name, by: InferredLongForm(name),
        precision=0.88,
        words="other articles define the short form, and its long form has this concept",
    ),
}
"""In the default order; docs/measurements/normalization.md has the accuracy of each."""

DEFAULT = "default"
"""In an order: all sieves of the default order."""
DEFAULT_ORDER = tuple(_ENTRIES)
SIEVES = Registry("nlmchem.sieves", SieveEntry, _ENTRIES)
"""Sieves of plugins are used only where an order names them: installing one changes no default result."""


def _not_made(name: str, by: Lookups) -> Sieve:
    raise LookupError(name)


_NO_SIEVE = SieveEntry(_not_made)
_ELSEWHERE = {
    "article": SieveEntry(_not_made, words="the article mentions this concept by another name"),
    "dense": SieveEntry(_not_made, words="the text is nearest to this name, by the similarity of their vectors"),
}
"""What answers after the sieves."""


def facts(sieve: str) -> SieveEntry:
    """The entry of the sieve that gave an answer; for answers from elsewhere (`article`, `dense`) words only."""
    return SIEVES.get(sieve) or _ELSEWHERE.get(sieve, _NO_SIEVE)


def checked_order(order: str | Sequence[str]) -> tuple[str, ...]:
    """The names of sieves in an order, given as names or as text with commas.

    `default` means the default order, and `-NAME` removes a sieve that was named before it.

    >>> checked_order("exact, ion"), checked_order(["default"]) == DEFAULT_ORDER
    (('exact', 'ion'), True)
    >>> checked_order("default,-edit,edit")[-2:]
    ('inferred', 'edit')

    Raises `ConfigurationError` for an order that is empty, repeats a sieve or names an unknown one.
    """
    choice = f"choose from {DEFAULT}, {', '.join(SIEVES.names())}"
    names: list[str] = []
    for name in (part.strip() for part in order.split(",")) if isinstance(order, str) else order:
        if name == DEFAULT:
            names += DEFAULT_ORDER
        elif not name.startswith("-"):
            names.append(name)
        elif name[1:] in names:
            names.remove(name[1:])
        elif SIEVES.get(name[1:]) is None:
            raise ConfigurationError(f"there is no sieve {name[1:]!r}; {choice}")
        else:
            raise ConfigurationError(
                f"the order of sieves removes {name[1:]!r}, which is not before it; write for example default,-edit"
            )
    if not any(names):
        raise ConfigurationError(f"the order of sieves is empty; {choice}")
    for name in names:
        if SIEVES.get(name) is None:
            raise ConfigurationError(f"there is no sieve {name!r}; {choice}")
        if names.count(name) > 1:
            raise ConfigurationError(f"the order of sieves names {name!r} more than once; name each sieve once")
    return tuple(names)


def make_sieves(lexicon: Lexicon, order: Sequence[str]) -> tuple[Sieve, ...]:
    """The sieves of an order (`checked_order`) for a lexicon."""
    by = Lookups(lexicon, NameLookup(lexicon), NameLookup(lexicon, external=True))
    return tuple(SIEVES.named(name, "sieve").make(name, by) for name in order)
