"""The sieve of laboratory shorthand that no article defines: `PBS`, `MeOH`, `DMSO-d6`, `CHOP`.

A line of `shorthand.tsv` has a written form, a tab, and the names that it stands for, joined by `|`. The file gives
names, not identifiers, so that it works with any lexicon of any year.
docs/reference/normalization.md describes how it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpora.errors import ResourceError
from sieves.lexicon.keys import FOLDED_LENGTH, fold_key, plain, readings
from sieves.lookup.composites import joined
from sieves.lookup.names import NameLookup, candidates
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate

LAB_SHORTHAND = Path(__file__).with_name("shorthand.tsv")
CLASS_WORDS = Path(__file__).with_name("classes.tsv")
"""Words that name a class in running text, although MeSH also has a single compound of that name."""


@dataclass(frozen=True, slots=True)
class LabShorthand:
    """Written forms and the names that they stand for. `folded`: those forms that can be written in any case."""

    entries: Mapping[str, tuple[str, ...]]
    folded: Mapping[str, tuple[str, ...]]

    @classmethod
    def open(cls, path: Path = LAB_SHORTHAND) -> LabShorthand:
        """Read a file. Raises `ResourceError` if it is missing, malformed, or has a form twice."""
        return _read(path)

    def meaning(self, text: str) -> tuple[str, ...] | None:
        """The names that a text in plain characters stands for; None where it is not in the list.

        The text can also be a plural, start with the capital of a sentence, or, if it is long enough
        (`sieves.lexicon.keys.fold_key`), be written in any case.
        """
        text = text.replace(" ·", "·")
        known = self.entries.get(text) or self.entries.get(text.removesuffix("s"))
        if known is None and text[:1].isupper():
            forms = (value for column, value in readings(text) if column == "name")
            known = next((self.entries[form] for form in forms if form in self.entries), None)
        if known is None and len(text) >= FOLDED_LENGTH:
            key = text.casefold()
            known = self.folded.get(key) or self.folded.get(key.removesuffix("s"))
        return known


@cache
def _read(path: Path) -> LabShorthand:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise ResourceError(f"cannot read the shorthand file {path} ({error.strerror}); reinstall nlmchem") from error
    entries: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            form, tab, meaning = line.partition("\t")
            if not tab or not form or not meaning:
                raise ResourceError(f"{path}, line {number}: write a form, a tab and names joined by |")
            if plain(form) in entries:
                raise ResourceError(f"{path}, line {number}: the form {form!r} is already in the list; remove one line")
            entries[plain(form)] = tuple(name.strip() for name in meaning.split("|"))
    folded = {key: names for form, names in entries.items() if (key := fold_key(form)) is not None}
    return LabShorthand(entries, folded)


@dataclass(frozen=True, slots=True)
class Shorthand:
    """A form of a list has the concepts of the names it stands for; the lexicon must have all of them."""

    name: str
    forms: LabShorthand
    names: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        def look_up(text: str, whole: bool = False) -> SieveCandidate | None:
            return next(candidates(self.name, self.names, text), None)

        return joined(self.name, self.forms.meaning(text) or (), look_up)
