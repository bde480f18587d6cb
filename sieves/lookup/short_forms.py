"""Sieves of short forms: the article defines them, a list of laboratory shorthand has them, or a dictionary does.

A line of `shorthand.tsv` has a written form (`PBS`, `MeOH`, `DMSO-d6`, `CHOP`), a tab, and the names that it stands
for, joined by `|`. The file gives names, not identifiers, so that it works with any lexicon of any year.
docs/reference/normalization.md describes how it was made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from corpora.errors import ResourceError
from sieves.lexicon.keys import FOLDED_LENGTH, fold_key, plain, readings
from sieves.lookup.names import NameLookup
from sieves.lookup.rewriting import joined
from sieves.sieve import DEFINITIONS, NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate

LAB_SHORTHAND = Path(__file__).with_name("shorthand.tsv")
CLASS_WORDS = Path(__file__).with_name("classes.tsv")
"""Words that name a class in running text, although MeSH also has a single compound of that name."""
FEWEST_ARTICLES = 3
"""A long form from a dictionary is used if at least so many articles define it. Rarer ones are often misread."""
_WORD = re.compile(r"[^\W_]+")
_INFERRED = Needs(inferred=True)


@dataclass(frozen=True, slots=True)
class DefinedForm:
    """A short form that the article defines has the concepts of its long form."""

    name: str
    needs: Needs = DEFINITIONS

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        for short in (text, text.removesuffix("s"), f"{text}s"):
            for long in article.definitions.get(short, ()):
                candidate = resolve(long, whole=True)
                if candidate is not None:
                    return [replace(candidate, sieve=self.name, via=long)]
        return []


@dataclass(frozen=True, slots=True)
class ExpandedForm:
    """A mention that contains short forms of the article (`GSH-MEE`) is resolved with their long forms."""

    name: str
    needs: Needs = DEFINITIONS

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        defined = article.definitions
        if not defined or text in defined:
            return []

        def written_out(word: re.Match[str]) -> str:
            longs = defined.get(word[0]) or defined.get(word[0].removesuffix("s"))
            return longs[0] if longs else word[0]

        long = _WORD.sub(written_out, text)
        candidate = resolve(long, whole=True) if long != text else None
        return [] if candidate is None else [replace(candidate, sieve=self.name, via=long)]


@dataclass(frozen=True, slots=True)
class InferredLongForm:
    """A short form without definition has the concepts of the long form that an annotation of the file infers for it.

    Such annotations (`corpora.model.short_forms`) are part of the format; the step `expand` writes them. The score is
    the probability of the long form, so that the answer is no evidence for other mentions.
    """

    name: str
    needs: Needs = _INFERRED

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        for short in (text, text.removesuffix("s")):
            if short not in article.inferred or short in article.definitions:
                continue
            long, score = article.inferred[short]
            candidate = resolve(long, whole=True)
            if candidate is not None:
                return [replace(candidate, sieve=self.name, via=long, score=score)]
        return []


@dataclass(frozen=True, slots=True)
class Shorthand:
    """A form of a list has the concepts of the names it stands for; the lexicon must have all of them."""

    name: str
    forms: LabShorthand
    names: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        def look_up(name: str) -> SieveCandidate | None:
            return next(iter(self.names.candidates(self.name, name)), None)

        return joined(self.name, self.forms.meaning(text) or (), look_up)


@dataclass(frozen=True, slots=True)
class LabShorthand:
    """Written forms and the names that they stand for."""

    entries: Mapping[str, tuple[str, ...]]
    folded: Mapping[str, tuple[str, ...]]
    """Those forms that can be written in any case."""

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
def read_shorthand(path: Path = LAB_SHORTHAND) -> LabShorthand:
    """The forms of a file. Raises `ResourceError` if it is missing, malformed, or has a form twice."""
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
