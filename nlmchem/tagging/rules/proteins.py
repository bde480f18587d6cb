"""Chemicals' names that are part of a protein's, and proteins' short forms that look like a chemical's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from nlmchem.tagging.inference.spans import PassageFinds
from nlmchem.tagging.lexicon.context import in_protein_name

__all__ = ["part_of_protein", "short_forms_of_proteins"]

# `glutamate receptor`, `Ca2+ channel`, `glutathione S-transferase`, `cytochrome P450 reductase`, and the first half of
# `serine/threonine kinase`. Publishers write hyphens in more ways than one.
_FOLLOWING = re.compile(r"(?:/[^\W_]{1,12})?[ \-‐‑](?:[0-9A-Zα-ω]{1,2}[-‐‑ ])?([^\W\d_]{2,40})")


def part_of_protein(text: str, start: int, end: int) -> bool:
    """Whether what follows the span makes a protein's name of it (Erdengasileng et al. 2022, post-processing)."""
    following = _FOLLOWING.match(text, end)
    return following is not None and in_protein_name(following[1].lower())


_SHORT_FORM = re.compile(r"(?=.{2,8}$)[A-Z][A-Za-z0-9-]*[A-Z0-9]")
_OF_PROTEINS = re.compile(
    r"[ -](?:alleles?|antibod(?:y|ies)|cDNA|genes?|isoforms?|locus|mRNAs?|mutants?|polymorphisms?|promoters?|proteins?"
    r"|siRNA|transcripts?)\b"
)
_TIMES = 2
"""So often an article must call a short form a gene or a protein; once may be a turn of phrase."""


def short_forms_of_proteins(passages: Iterable[PassageFinds]) -> set[str]:
    """The short forms among the finds of one article that it calls a gene or protein (`the AMO gene`)."""
    called = Counter(
        text[find.start : find.end]
        for text, finds in ((passage.text, passage.finds) for passage in passages)
        for find in finds
        if _OF_PROTEINS.match(text, find.end) and _SHORT_FORM.fullmatch(text, find.start, find.end)
    )
    return {surface for surface, times in called.items() if times >= _TIMES}
