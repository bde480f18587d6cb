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


def whole_chemicals(passage: BioCPassage) -> list[Span]:
    """The spans of the chemicals of a passage that have one span, from the start of its text."""
    chemicals = (mention for mention in mentions_of(passage) if mention.type == CHEMICAL and len(mention.spans) == 1)
    return [(start - passage.offset, end - passage.offset) for chemical in chemicals for start, end in chemical.spans]
