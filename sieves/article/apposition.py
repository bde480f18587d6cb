"""Mentions that stand beside each other, divided by a bracket only: `zinc iodide (ZnI)`, `ZnI (zinc iodide)`.

Authors name a chemical twice in this way. The definitions of abbreviations (`nlmchem.abbreviations`) do not include
formulae such as `ZnI`, which have no letters of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from bioc import BioCPassage

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, mentions_of
from sieves.lexicon.keys import tidy

_BETWEEN = re.compile(r"\s?[(\[]\s?")
_AFTER = re.compile(r"\s?[)\]]")
_AFTER_SHORT_FORM = re.compile(r"\s?[)\]]|[:;,] ")
"""`(DEN)`, `(DEN: 10 mg/kg)`."""
_LISTED = re.compile(r"\s?(?:, ?(?:and |or )?|and |or |plus |with |[/+-])\s?|\s")


def appositions(passages: Iterable[tuple[str, Iterable[Span]]]) -> dict[str, tuple[str, ...]]:
    """For the text of each chemical in an apposition: the texts beside it, sorted. Both sides are entered.

    `passages`: the text of each passage, and the spans of its chemicals in this text.
    """
    beside: dict[str, set[str]] = {}
    for text, spans in passages:
        for before, after in pairwise(sorted(spans)):
            name, other = tidy(text[slice(*before)]), tidy(text[slice(*after)])
            in_brackets = _AFTER.match(text, after[1])
            if name != other and in_brackets and _BETWEEN.fullmatch(text, before[1], after[0]):
                beside.setdefault(name, set()).add(other)
                beside.setdefault(other, set()).add(name)
    return {name: tuple(sorted(others)) for name, others in beside.items()}


def names_before(passages: Iterable[tuple[str, Iterable[Span]]]) -> dict[str, tuple[str, ...]]:
    """For the text of each chemical that begins a bracket: the texts of the chemicals directly before the bracket.

    A name that ends a list is left out: in `methotrexate and leucovorin (MFL)` the bracket means the whole list. So is
    a bracket with a list: `mycotoxins (AFB1, ZEN)`. `passages`: as in `appositions`.
    """
    before: dict[str, set[str]] = {}
    for text, spans in passages:
        in_order = sorted(spans)
        ends = [(len(text), len(text))]
        for previous, name, short, following in zip(
            [(0, 0), *in_order], in_order, in_order[1:], [*in_order[2:], *ends], strict=False
        ):
            if _LISTED.fullmatch(text, previous[1], name[0]) or _LISTED.fullmatch(text, short[1], following[0]):
                continue
            if _AFTER_SHORT_FORM.match(text, short[1]) and _BETWEEN.fullmatch(text, name[1], short[0]):
                before.setdefault(tidy(text[slice(*short)]), set()).add(tidy(text[slice(*name)]))
    return {short: tuple(sorted(names)) for short, names in before.items()}


def whole_chemicals(passage: BioCPassage) -> list[Span]:
    """The spans of the chemicals of a passage that have one span, from the start of its text."""
    chemicals = (mention for mention in mentions_of(passage) if mention.type == CHEMICAL and len(mention.spans) == 1)
    return [(start - passage.offset, end - passage.offset) for chemical in chemicals for start, end in chemical.spans]
