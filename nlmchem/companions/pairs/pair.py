"""A word-in-context pair: two terms, each in its sentence, and whether they mean the same."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.model.document import Span

GROUPS = ("term_identity", "abbreviations", "synonyms", "label_similarity")
"""The four groups of pairs in BioWiC, as named in its files."""


@dataclass(frozen=True, slots=True)
class ContextPair:
    """Two terms, each in its sentence. Spans count code points in the sentence.

    `same`: whether the meanings are equal; None if the pair has no answer. `id`: unique in a file; "" in BioWiC.
    `documents`, `places`: the articles of the sentences, and the offsets of the terms in them (code points); ("", "")
    and (-1, -1) if they are unknown. `concepts`: the identifiers from which the answer follows; a solver must not read
    them.
    """

    term1: str
    term2: str
    sentence1: str
    sentence2: str
    span1: Span
    span2: Span
    group: str
    same: bool | None
    id: str = ""
    documents: tuple[str, str] = ("", "")
    places: tuple[int, int] = (-1, -1)
    concepts: tuple[str, str] = ("", "")

    def counts(self) -> dict[str, int]:
        """What `nlmchem corpora stats` adds up."""
        return {"pairs": 1, f"{self.group}.{'same' if self.same else 'different'}": 1}

    @property
    def is_in_place(self) -> bool:
        """Whether each term is at its span in its sentence."""
        (start1, end1), (start2, end2) = self.span1, self.span2
        return (
            0 <= start1 < end1
            and 0 <= start2 < end2
            and self.sentence1[start1:end1] == self.term1
            and self.sentence2[start2:end2] == self.term2
        )
