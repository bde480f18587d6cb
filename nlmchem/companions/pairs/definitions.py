"""Links the short and long forms that articles define, so that pairs can be made from articles without annotations.

The concept of a form is its long form. A form is a mention only in sentences that do not define it, because a
definition would give the answer away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from bioc import BioCDocument
from rapidfuzz.distance import Indel

from corpora.model.document import Definition, add_mention, set_identifiers
from corpora.model.passages import passage_text
from corpora.words.inflection import singular
from nlmchem.abbreviations import define
from nlmchem.abbreviations.dictionary import Detector
from nlmchem.companions.pairs.occurrences import Splitter
from sieves.lexicon.keys import relaxed

CERTAIN = 0.95
"""Definitions with a lower score are not used."""
RESEMBLING = 0.6
"""Long forms with a higher ratio may be spellings of the same words, so they make no pair."""
TYPE = "Defined"


class LongFormNames:
    """What is known of long forms as concepts: those that resemble each other, or contain each other, are related."""

    def concepts(self, name: str) -> frozenset[str]:
        return frozenset()

    def related(self, concept1: str, concept2: str) -> bool:
        return (
            concept1 in concept2 or concept2 in concept1 or Indel.normalized_similarity(concept1, concept2) > RESEMBLING
        )


def definitions_of(document: BioCDocument) -> Sequence[Definition]:
    """The definitions of the detector."""
    return define(document).definitions


def link_definitions(
    documents: Iterable[BioCDocument], sentences: Splitter, detect: Detector = definitions_of
) -> Iterator[BioCDocument]:
    """The documents with a mention for each place of a defined form. `sentences`: splits a text into sentences.

    `detect`: finds the definitions of an article. Forms with two meanings in one article are left out.
    """
    for document in documents:
        meanings = _meanings(detect(document))
        if meanings:
            _mark(document, meanings, sentences)
        yield document


def _meanings(definitions: Iterable[Definition]) -> dict[str, str]:
    """The concept of each form."""
    concepts: dict[str, set[str]] = {}
    for definition in definitions:
        if (definition.score or 0.0) >= CERTAIN and len(definition.short_form) > 1:
            concept = relaxed(singular(definition.long_form))
            for form in (definition.short_form, definition.long_form):
                concepts.setdefault(form, set()).add(concept)
    return {form: next(iter(form_concepts)) for form, form_concepts in concepts.items() if len(form_concepts) == 1}


def _mark(document: BioCDocument, meanings: dict[str, str], sentences: Splitter) -> None:
    longest_first = sorted(meanings, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")
    ids = map(str, count(1))
    for passage in document.passages:
        text = passage_text(passage)
        for start, end in sentences(text):
            matches = list(pattern.finditer(text, start, end))
            forms = {match.group() for match in matches}
            for match in matches:
                concept = meanings[match.group()]
                if all(meanings[form] != concept for form in forms - {match.group()}):
                    span = (passage.offset + match.start(), passage.offset + match.end())
                    mention = add_mention(passage, [span], id=f"D{next(ids)}", annotator=None, type=TYPE, text=text)
                    set_identifiers(mention, [concept])
