"""Laboratory shorthand that no article defines: `PBS`, `MeOH`, `DMSO-d6`, `CHOP`.

`shorthand.tsv` has a written form a line, a tab, and the names it stands for, joined by `|`: in the order of the
text where it is a mixture. Names, not ids, so that any lexicon of any year can answer. docs/normalization.md says how
it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpora.errors import ResourceError
from sieves.lexicon.keys import FOLDED_LENGTH, fold_key, plain, readings
from sieves.sieve import Article, Candidate, Names, Resolver, candidates

__all__ = ["CLASS_WORDS", "LAB_SHORTHAND", "LabShorthand"]

LAB_SHORTHAND = Path(__file__).with_name("shorthand.tsv")
CLASS_WORDS = Path(__file__).with_name("classes.tsv")
"""Words that name a class in running text, although MeSH has a single compound of that name, too."""


@dataclass(frozen=True, slots=True)
class LabShorthand:
    """Written forms and the names that they stand for; `folded` has those of them that may stand in any case."""

    entries: Mapping[str, tuple[str, ...]]
    folded: Mapping[str, tuple[str, ...]]

    @classmethod
    def open(cls, path: Path = LAB_SHORTHAND) -> LabShorthand:
        """Read a file. Raises `ResourceError` where it is missing, malformed, or has a form twice."""
        return _read(path)

    def meaning(self, text: str) -> tuple[str, ...] | None:
        """The names of a text in plain characters: as it is written, as a plural, with a sentence's capital, or in any
        case where a name of its length may be (`sieves.lexicon.keys.fold_key`)."""
        text = text.replace(" ·", "·")
        known = self.entries.get(text) or self.entries.get(text.removesuffix("s"))
        if known is None and text[:1].isupper():
            forms = (value for column, value in readings(text) if column == "name")
            known = next((self.entries[form] for form in forms if form in self.entries), None)
        if known is None and len(text) >= FOLDED_LENGTH:
            key = text.casefold()
            known = self.folded.get(key) or self.folded.get(key.removesuffix("s"))
        return known

    def sieve(self, name: str, names: Names) -> ShorthandSieve:
        return ShorthandSieve(self, names, name)


@cache
def _read(path: Path) -> LabShorthand:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise ResourceError(
            f"cannot read the shorthand file {path} ({error.strerror}); install nlmchem anew"
        ) from error
    entries: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            form, tab, meaning = line.partition("\t")
            if not tab or not form or not meaning or plain(form) in entries:
                raise ResourceError(
                    f"{path}, line {number}: not a new form, a tab and names joined by |; mend the line"
                )
            entries[plain(form)] = tuple(name.strip() for name in meaning.split("|"))
    folded = {key: names for form, names in entries.items() if (key := fold_key(form)) is not None}
    return LabShorthand(entries, folded)


@dataclass(frozen=True, slots=True)
class ShorthandSieve:
    """Knows the shorthand of laboratories; all names of a form must be in the lexicon."""

    shorthand: LabShorthand
    names: Names
    name: str

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        meaning = self.shorthand.meaning(text)
        if meaning is None:
            return []
        found = [next(candidates(self.name, self.names, name), None) for name in meaning]
        return _one(self.name, found)


def _one(sieve: str, parts: Iterable[Candidate | None]) -> list[Candidate]:
    known = list(parts)
    if not known or None in known:
        return []
    ids = tuple(dict.fromkeys(id for part in known if part for id in part.identifiers))
    return [
        Candidate(
            ids, sieve, " | ".join(part.matched_name for part in known if part), known[0].layer if known[0] else ""
        )
    ]
