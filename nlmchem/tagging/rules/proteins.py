"""Chemical names inside protein names, and short forms of proteins that look like chemicals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.lexicon.context import in_protein_name

__all__ = ["part_of_protein", "short_forms_of_proteins"]

# `glutamate receptor`, `Ca2+ channel`, `glutathione S-transferase`, `cytochrome P450 reductase`, and the first half of
# `serine/threonine kinase`. Publishers use different hyphens.
_FOLLOWING = re.compile(r"(?:/[^\W_]{1,12})?[ \-‐‑](?:[0-9A-Zα-ω]{1,2}[-‐‑ ])?([^\W\d_]{2,40})")


def part_of_protein(text: str, start: int, end: int) -> bool:
    """Whether the word after a span makes it part of a protein name (Erdengasileng et al. 2022, post-processing)."""
    following = _FOLLOWING.match(text, end)
    return following is not None and in_protein_name(following[1].lower())


_SHORT_FORM = re.compile(r"(?=.{2,8}$)[A-Z][A-Za-z0-9-]*[A-Z0-9]")
_OF_PROTEINS = re.compile(
    r"[ -](?:alleles?|antibod(?:y|ies)|cDNA|genes?|isoforms?|locus|mRNAs?|mutants?|polymorphisms?|promoters?|proteins?"
    r"|siRNA|transcripts?)\b"
)
_TIMES = 2
"""How often an article must call a short form a gene or a protein; once is not enough evidence."""


def short_forms_of_proteins(passages: Iterable[PassageSpans]) -> set[str]:
    """The short forms among the spans of one article that the article calls a gene or protein (`the AMO gene`)."""
    called = Counter(
        passage.text_of(span)
        for passage in passages
        for span in passage.spans
        if _OF_PROTEINS.match(passage.text, span.end) and _SHORT_FORM.fullmatch(passage.text, span.start, span.end)
    )
    return {surface for surface, times in called.items() if times >= _TIMES}
