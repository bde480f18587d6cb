"""Abbreviations of an article: from its passages to a glossary, and into its annotations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from bioc import BioCDocument, BioCPassage

from corpora.model.document import (
    Definition,
    add_definition,
    add_occurrence,
    definitions,
    fresh_ids,
    passage_text,
    section_type,
)
from corpora.model.sections import ABBR, AUTH_CONT, REF
from nlmchem.abbreviations.ab3p.additions import ALL, Addition
from nlmchem.abbreviations.ab3p.detector import detect
from nlmchem.abbreviations.ab3p.reading import written_out
from nlmchem.abbreviations.article.glossary import Glossary
from nlmchem.abbreviations.article.listing import in_list, list_begin
from nlmchem.abbreviations.article.occurrences import occurrences, pattern

__all__ = ["AbbreviationStage", "annotate", "define", "glossary_of"]

# Other articles' titles, and authors' initials.
_SKIPPED = frozenset({REF, AUTH_CONT})
# Table cells: a long form does not reach from one into the next.
_CELL = re.compile(r"[^\t\n]+")


def define(document: BioCDocument, *, additions: Collection[Addition] = ALL) -> Glossary:
    """The glossary of an article, from its text alone; nothing is written into it.

    References and authors' contributions are left out: what another article's title defines does not hold in this
    one. Raises `ArticleError` where sentences overlap.
    """
    return Glossary.of(_found(document, additions))


def annotate(
    document: BioCDocument, *, with_occurrences: bool = True, additions: Collection[Addition] = ALL
) -> Glossary:
    """Write an article's definitions, and the occurrences of their short forms, into it; gives its glossary.

    Definitions that the document holds already stay, and are not written twice. Each definition is two annotations
    and a relation in its passage; each other occurrence of its short form is an annotation and a relation with
    the long form, in the passage of both or else in the document.
    """
    homes = _found(document, additions)
    glossary = Glossary.of(homes)
    known = {(one.short_span, one.long_span) for one in definitions(document)}
    ids = fresh_ids(document, "ABBR")
    long_ids: dict[Definition, tuple[str, BioCPassage]] = {}
    for definition in glossary.definitions:
        if (definition.short_span, definition.long_span) not in known:
            home = homes[definition]
            long_ids[definition] = add_definition(home, definition, ids), home
    if with_occurrences:
        _tie_occurrences(document, glossary, long_ids, ids)
    return glossary


def glossary_of(document: BioCDocument) -> Glossary:
    """The glossary that was written into a document; an occurrence counts as a definition of the same sense."""
    return Glossary.of(definitions(document))


class AbbreviationStage:
    """A pipeline stage that writes abbreviations into articles; no article learns from another."""

    def __init__(self, *, with_occurrences: bool = True) -> None:
        self._with_occurrences = with_occurrences

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            annotate(document, with_occurrences=self._with_occurrences)


def _found(document: BioCDocument, additions: Collection[Addition]) -> dict[Definition, BioCPassage]:
    """Every definition with its passage: offsets alone do not tell where passages overlap."""
    return {definition: passage for passage in document.passages for definition in _defined_in(passage, additions)}


def _defined_in(passage: BioCPassage, additions: Collection[Addition]) -> list[Definition]:
    section = section_type(passage)
    text = passage_text(passage)
    if section in _SKIPPED or not text:
        return []
    found: list[Definition] = []
    begin = 0 if section == ABBR else list_begin(text) if Addition.LISTS in additions else None
    if begin is not None and Addition.LISTS in additions:
        found += (written_out(text, reading, passage.offset) for reading in in_list(text, begin, additions=additions))
    taken = {one.short_span for one in found}
    listed = min((one.short_span[0] for one in found), default=len(text) + passage.offset)
    for definition in _detected(text, passage.offset, additions):
        # Inside a list its own form says more than brackets do.
        if definition.short_span not in taken and (definition.long_span[1] <= listed or section != ABBR):
            found.append(definition)
    return found


def _detected(text: str, offset: int, additions: Collection[Addition]) -> Iterator[Definition]:
    if "\t" not in text:
        yield from detect(text, offset=offset, additions=additions)
        return
    for cell in _CELL.finditer(text):
        yield from detect(cell[0], offset=offset + cell.start(), additions=additions)


def _tie_occurrences(
    document: BioCDocument,
    glossary: Glossary,
    long_ids: dict[Definition, tuple[str, BioCPassage]],
    ids: Iterator[str],
) -> None:
    defining = {one.short_span for one in glossary.definitions} | {one.short_span for one in definitions(document)}
    wanted = pattern(glossary)
    for passage in document.passages:
        if section_type(passage) in _SKIPPED:
            continue
        for form, span in occurrences(passage_text(passage), wanted, passage.offset):
            meaning = glossary.meaning(form, span[0])
            if meaning is None or span in defining or meaning not in long_ids:
                continue
            if meaning.long_span[0] < span[1] and span[0] < meaning.long_span[1]:
                continue
            long_id, home = long_ids[meaning]
            add_occurrence(document, passage, span, long_id, ids, same_passage=home is passage)
