"""Mentions that stand beside each other, divided by a bracket only: `potassium iodide (KI)`, `KI (potassium iodide)`.

Authors name a chemical twice in this way. The definitions of abbreviations (`nlmchem.abbreviations`) do not include
formulae such as `KI`, which have no letters of the name.
"""

from __future__ import annotations

import re
from itertools import pairwise

from bioc import BioCDocument

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, mentions_of
from corpora.model.passages import passage_text
from sieves.lexicon.keys import tidy

_BETWEEN = re.compile(r"\s?[(\[]\s?")
_AFTER = re.compile(r"\s?[)\]]")


def appositions(document: BioCDocument) -> dict[str, tuple[str, ...]]:
    """For the text of each mention in an apposition: the texts beside it, sorted. Both sides are entered."""
    found: dict[str, set[str]] = {}
    for passage in document.passages:
        text = passage_text(passage)
        chemicals = sorted(filter(_is_whole_chemical, mentions_of(passage)), key=lambda mention: mention.spans)
        for before, after in pairwise(chemicals):
            name, other = tidy(before.text), tidy(after.text)
            (start, end) = before.spans[0][1] - passage.offset, after.spans[0][0] - passage.offset
            in_brackets = _AFTER.match(text, after.spans[0][1] - passage.offset)
            if name != other and in_brackets and _BETWEEN.fullmatch(text[start:end]):
                found.setdefault(name, set()).add(other)
                found.setdefault(other, set()).add(name)
    return {name: tuple(sorted(others)) for name, others in found.items()}


def _is_whole_chemical(mention: Mention) -> bool:
    return mention.type == CHEMICAL and len(mention.spans) == 1
