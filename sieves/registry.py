"""The sieves by name, and the default order. A new sieve is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from corpora.errors import ConfigurationError
from sieves.chemistry import congeners, formulae, ions, isotopes, lipids, peptides
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lookup.composites import Composites
from sieves.lookup.definitions import Defined, Expanded
from sieves.lookup.edit_distance import EditDistance
from sieves.lookup.inferred import InferredLongForm
from sieves.lookup.labels import Labels
from sieves.lookup.names import Lookup, Names
from sieves.lookup.parts import Parts
from sieves.lookup.residues import Residues
from sieves.lookup.rewriting import Rewriting
from sieves.lookup.shorthand import CLASS_WORDS, LAB_SHORTHAND, LabShorthand, Shorthand
from sieves.lookup.trade import TradeNames
from sieves.rewriting import peeling, variants
from sieves.sieve import Sieve

__all__ = ["DEFAULT", "DEFAULT_ORDER", "Lookups", "checked_order", "make_sieves"]


@dataclass(frozen=True, slots=True)
class Lookups:
    """The ways in which sieves look a name up: `names` without external terminologies, `every` with them."""

    lexicon: Lexicon
    names: Names
    every: Names


Maker = Callable[[str, Lookups], Sieve]
"""Makes a sieve of its name and the lookups."""


def _lookup(find: Callable[[Lookups, str], Sequence[Match]]) -> Maker:
    return lambda name, by: Lookup(name, partial(find, by))


def _rewriting(rewrite: Callable[[str], Iterable[str]], deep: bool = False) -> Maker:
    return lambda name, by: Rewriting(name, rewrite, by.names, deep)


def _qualified(name: str, by: Lookups) -> Sieve:
    # A text that no name begins with needs no qualifying word: one query instead of eight.
    return Rewriting(name, partial(variants.qualified, begins=by.names.begins), by.names)


_BY_DEFAULT: dict[str, Maker] = {
    "defined": lambda name, by: Defined(name),
    "class": lambda name, by: Shorthand(name, LabShorthand.open(CLASS_WORDS), by.names),
    "exact": _lookup(lambda by, text: by.names.not_traded(text)),
    "trade": lambda name, by: TradeNames(name, by.names, by.every),
    "shorthand": lambda name, by: Shorthand(name, LabShorthand.open(LAB_SHORTHAND), by.every),
    "ion": _rewriting(ions.names),
    "formula": _rewriting(formulae.salts),
    "residue": lambda name, by: Residues(name, by.names),
    "peptide": _rewriting(peptides.protected),
    "isotope": _rewriting(isotopes.names),
    "label": lambda name, by: Labels(name, by.names),
    "lipid": _rewriting(lipids.shorthand),
    "folded": _lookup(lambda by, text: by.names.folded(text)),
    "number": _lookup(lambda by, text: by.names.other_number(text)),
    "expanded": lambda name, by: Expanded(name),
    "salt": _rewriting(peeling.parent, deep=True),
    "words": _lookup(lambda by, text: by.names.in_any_order(text)),
    "bare": _rewriting(peeling.bare, deep=True),
    "stem": _rewriting(peeling.acids),
    "locants": _rewriting(variants.renumbered),
    "external": _lookup(lambda by, text: by.every.find(text)),
    "composite": lambda name, by: Composites(name, by.names),
    "qualified": _qualified,
    "heading": _lookup(lambda by, text: by.names.heading(text)),
    "edit": lambda name, by: EditDistance(name, by.lexicon),
}
"""In the default order; docs/measurements/normalization.md has the accuracy of each."""

_OPTIONAL: dict[str, Maker] = {
    "congener": _rewriting(congeners.names),
    "inferred": lambda name, by: InferredLongForm(name),
    "parts": lambda name, by: Parts(name, by.lexicon, by.names),
}
"""Used only where an order names them."""

DEFAULT = "default"
"""In an order: all sieves of the default order."""
DEFAULT_ORDER = tuple(_BY_DEFAULT)
_SIEVES = _BY_DEFAULT | _OPTIONAL


def checked_order(order: str | Sequence[str]) -> tuple[str, ...]:
    """The names of sieves in an order, given as names or as text with commas.

    `default` stands for the default order, and `-NAME` removes a sieve that stands before it.

    >>> checked_order("exact, ion"), checked_order(["default"]) == DEFAULT_ORDER
    (('exact', 'ion'), True)
    >>> checked_order("default,-edit,parts,edit")[-3:]
    ('heading', 'parts', 'edit')

    Raises `ConfigurationError` for an order that is empty, repeats a sieve or names an unknown one.
    """
    given = [name.strip() for name in order.split(",")] if isinstance(order, str) else order
    names = tuple(_expanded(given))
    if not any(names):
        raise ConfigurationError(f"the order of sieves is empty; choose from {DEFAULT}, {', '.join(_SIEVES)}")
    for name in names:
        if name not in _SIEVES:
            raise ConfigurationError(f"there is no sieve {name!r}; choose from {DEFAULT}, {', '.join(_SIEVES)}")
        if names.count(name) > 1:
            raise ConfigurationError(f"the order of sieves names {name!r} more than once; name each sieve once")
    return names


def make_sieves(lexicon: Lexicon, order: Sequence[str]) -> tuple[Sieve, ...]:
    """The sieves of an order (`checked_order`) for a lexicon."""
    by = Lookups(lexicon, Names(lexicon), Names(lexicon, external=True))
    return tuple(_SIEVES[name](name, by) for name in order)


def _expanded(names: Sequence[str]) -> list[str]:
    order: list[str] = []
    for name in names:
        if name == DEFAULT:
            order += DEFAULT_ORDER
        elif name.startswith("-"):
            if name[1:] not in order:
                raise ConfigurationError(
                    f"the order of sieves removes {name[1:]!r}, which is not before it; write for example default,-edit"
                )
            order.remove(name[1:])
        else:
            order.append(name)
    return order
