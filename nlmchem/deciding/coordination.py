"""Names that share a word with a name beside them, `linoleic and linolenic acids`, and divided words."""

from __future__ import annotations

import re

from corpora.model.document import Span
from nlmchem.deciding.meanings import Meanings
from sieves.chemistry.composites import LABEL
from sieves.chemistry.variants import with_greek_letter, without_configuration

_PLACED = r"(?:(?:[mopαβγ]|\d(?:,\d){0,3})[-‐‑–])?"
"""The place of a group: `p-coumaric`, `α-linolenic`."""
_WITH_HEAD = re.compile(rf"{_PLACED}[a-z]+ic (acids?)")
_ADJECTIVES = re.compile(rf"(?:{_PLACED}[A-Za-z][a-z]{{2,}}ic(?:, and |, or |, | and | or |/))+$")
_ACID_FOLLOWS = re.compile(rf"(?:(?:, and |, or |, | and | or |/){_PLACED}[A-Za-z][a-z]+ic)+ acids?(?![^\W_])")
_WORD = re.compile(rf"{_PLACED}[A-Za-z][a-z]+")
_SERIES = re.compile(r"(?:n|ω|omega)[-‐‑–]\d ?(?:and|or|/|,) ?$", re.IGNORECASE)
_IN_SERIES = re.compile(r"(?:n|ω|omega)[-‐‑–]\d[ -]", re.IGNORECASE)
_MULTIPLE = re.compile(r"(?:mono|di|tri|tetra|oligo|poly)[a-z]{4}", re.IGNORECASE)
_MULTIPLES = re.compile(r"(?:(?:mono|di|tri|tetra|oligo|poly)-(?:, ?(?:and |or )?| and | or |/))+$", re.IGNORECASE)
_DIVIDED_AFTER = re.compile(r"(?:[-‐]|\u00ad)\s?\n\s?[a-z]{2,}|\u00ad[a-z]{2,}")
_DIVIDED_BEFORE = re.compile(r"(?<![^\W_])[A-Za-z]{2,}(?:(?:[-‐]|\u00ad)\s?\n\s?|\u00ad)$")
_NEXT_LINE = re.compile(r"\n([a-z]{3,20})(?![^\W_])(?P<more>[^\n])?")
"""The next word of a name that goes on in the next line: `Sodium\\nchloride`."""
_PREFIX = re.compile(r"(?<![^\s(\[])(?:[abg]|[Aa]lfa|[DL]{1,2}|[dl]{1,2}|D,L|rac|\((?:[RSEZ+±-]|\+/-)\))[-‐‑]$")
"""A Greek letter that is written as a Latin one, or a configuration, before a name: `a-tocopherol`, `DL-tyrosine`."""
_LABELS = rf"{LABEL.pattern}(?:(?:, (?:and |or )?| and | or |/){LABEL.pattern})+"
_FAMILY = re.compile(rf"(?P<head>[A-Za-z][a-z]{{4,}})s (?P<labels>{_LABELS})(?![\w-])")
_REACH = 60
"""Characters before a name in which its coordinated parts are searched for."""
COORDINATION = re.compile(
    rf"(?:{_PLACED}[A-Za-z][a-z]{{2,}}ic(?:, and |, or |, | and | or |/))+[a-z]+ic acids?"
    r"|(?:(?:mono|di|tri|tetra|oligo|poly)-(?:, ?(?:and |or )?| and | or |/))+(?:di|tri|tetra|oligo|poly)[a-z]{4,}"
    r"|(?:n|ω|omega)[-‐‑–]\d ?(?:and|or|/|,) ?(?:n|ω|omega)?[-‐‑–]\d[ -].+"
    rf"|(?-i:{_FAMILY.pattern})",
    re.IGNORECASE,
)


def coordinated(text: str, span: Span, reached: int, meanings: Meanings) -> Span:
    """The span with the coordinated parts beside it: `linoleic and linolenic acids`, `prostaglandins E2 and F2alpha`.

    Each part must be a chemical with the shared word. `reached`: the parts begin at this place at the earliest.
    """
    start, end = span
    family = _FAMILY.match(text, start)
    if family is not None and end <= family.end() and _are_members(family, meanings):
        return family.span()
    first = max(reached, start - _REACH)
    prefix = _PREFIX.search(text, first, start)
    name = text[prefix.start() : end] if prefix is not None else ""
    forms = (with_greek_letter(name), without_configuration(name))
    if prefix is not None and any(form is not None and meanings.is_known_chemical(form) for form in forms):
        return prefix.start(), end
    head = _WITH_HEAD.fullmatch(text, start, end)
    before = _ADJECTIVES.search(text, first, start) if head is not None else None
    if head is not None and before is not None:
        for word in reversed(list(_WORD.finditer(text, *before.span()))):
            if word[0] in ("and", "or"):
                continue
            if not meanings.is_known_chemical(f"{word[0].lower()} acid"):
                break
            start = word.start()
    for form, sign in ((_IN_SERIES, _SERIES), (_MULTIPLE, _MULTIPLES)):
        series = sign.search(text, first, start) if form.match(text, start, end) else None
        start = series.start() if series is not None else start
    return start, end


def opens_acids(text: str, span: Span) -> bool:
    """Whether a span is an adjective that shares the word `acid` with a name after it: `nitric and sulfuric acid`."""
    return text[slice(*span)].endswith("ic") and _ACID_FOLLOWS.match(text, span[1]) is not None


def _are_members(family: re.Match[str], meanings: Meanings) -> bool:
    head = family["head"][0].lower() + family["head"][1:]
    return all(meanings.is_known_chemical(f"{head} {label[0]}") for label in LABEL.finditer(family["labels"]))


def rejoined(text: str, span: Span, meanings: Meanings) -> Span:
    """The span with the rest of a name or word that the end of a line divides, where the whole is a chemical.

    `meto-\\nprolol` is one name; in `glucose-\\ninduced` the hyphen is a hyphen.
    """
    start, end = span
    following = _NEXT_LINE.match(text, end)
    # Lines with one word each are a list.
    is_text = following is not None and (following["more"] or (start and text[start - 1] != "\n"))
    if following is not None and is_text and meanings.is_known_chemical(text[start : following.end(1)]):
        return start, following.end(1)
    after = _DIVIDED_AFTER.match(text, end)
    before = _DIVIDED_BEFORE.search(text, max(0, start - _REACH), start)
    for first, last in ((start, after.end() if after else end), (before.start() if before else start, end)):
        if (first, last) != span and meanings.is_known_chemical(text[first:last]):
            return first, last
    return span


def is_coordination(text: str) -> bool:
    """Whether a text is a list of names with a shared word."""
    return COORDINATION.fullmatch(text) is not None
