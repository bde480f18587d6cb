"""Chemical names as short forms of proteins, and as residues of proteins with their position.

Three-letter names of amino acids with their position in a protein are `Ser326Cys`, `Glu-597`, `Ser/Cys`. NLM-Chem marks
the letters without the position: 171 of 172 such names in the 30 open articles. Few training articles contain them, so
a rule marks them. Names without a position are left to the model: `His` is also a tag of recombinant proteins, `Met` a
receptor, `Pro` a trade name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from corpora.model.document import Span
from nlmchem.tagging.inference.spans import PassageSpans
from sieves.chemistry.amino_acids import CODES

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


NAMES = "|".join(CODES)
"""The names, as part of a regular expression. Sec is left out, because `Sec61` is a protein."""
_NAME = f"({NAMES})"
_PLACED = re.compile(
    rf"(?<![A-Za-z]){_NAME}[- ]?\d{{1,4}}(?:[- ]?{_NAME}(?![A-Za-z])|(?!\w))|(?<![A-Za-z]){_NAME}/{_NAME}(?![A-Za-z])"
    rf"|(?<![A-Za-z]){_NAME}(?: to |[-‐‑–]to[-‐‑–]| ?(?:→|->|>) ?){_NAME}(?![A-Za-z])"
)


def residues(text: str) -> list[Span]:
    """The spans of the names, from left to right."""
    return [
        match.span(group)
        for match in _PLACED.finditer(text)
        for group in range(1, _PLACED.groups + 1)
        if match[group] is not None
    ]


def is_placed(text: str) -> bool:
    """Whether a text consists of residues with their position only (`Cys797`)."""
    return _PLACED.fullmatch(text) is not None
