"""Writes PubTator: chooses the form for an article and reports what PubTator cannot store.

corpora/formats/pubtator.py describes the two forms, docs/reference/pubtator.md the losses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Any, Literal

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.columns import Abbreviations, is_definition
from corpora.formats.format import Joined
from corpora.formats.losses import Losses, infon_value
from corpora.formats.pubtator import (
    MENTION_COLUMNS,
    RELATION_COLUMNS,
    classical_infons,
    columns_from,
    is_empty,
    is_relation,
    passage_infons,
)
from corpora.model.document import Holder, every_annotation
from corpora.model.passages import PassageSearch, passage_text, section_type
from corpora.reporting import Report

MAX_DIGITS = 15
"""Digits of an offset. A longer number cannot be a place in an article."""
Form = Literal["classical", "passages"]

_BREAK = re.compile(r"[\t\n\r]")
_BAD_ID = re.compile(r"[|\t\r\n]|^\ufeff")


def form(document: BioCDocument) -> Form:
    """The form that loses least of a document.

    Classical for a title with an abstract, for a single passage, and for two passages without section and type.
    Passages for everything else: only an abstract should be written as `|a|`, and an empty second passage is read
    back only from a block of its own.
    """
    kinds = [_kind(passage) for passage in document.passages]
    if len(kinds) < 2:
        return "classical"
    if len(kinds) > 2 or kinds[0] not in ("t", "") or kinds[1] not in ("a", ""):
        return "passages"
    return "passages" if _is_written_empty(passage_text(document.passages[1])) else "classical"


def _is_written_empty(text: str) -> bool:
    """Whether a text is empty once its line breaks are written as blanks."""
    return is_empty(_BREAK.sub(" ", text))


def _kind(passage: BioCPassage) -> str:
    """`t` for a title, `a` for an abstract, empty for a passage without section and type, else `other`."""
    section = section_type(passage) or str(passage.infons.get("type") or "").upper()
    return {"": "", "TITLE": "t", "FRONT": "t", "ABSTRACT": "a"}.get(section, "other")


def dumps(document: BioCDocument, report: Report, abbreviations: bool = False) -> bytes:
    """One article in the form that `form` selects, without the blank line after it.

    `abbreviations`: short forms are written, with their long form in column 7.

    Reports what it leaves out or changes (docs/reference/pubtator.md). Raises `ArticleError` for an id or a text
    that PubTator cannot store.
    """
    writer = _DocumentWriter(document, abbreviations)
    text = writer.classical() if form(document) == "classical" else writer.passage_blocks()
    writer.lost.report(report, "PubTator")
    writer.abbreviations.report(report, "PubTator")
    writer.changed.report_changes(report, "PubTator")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.start]
        raise ArticleError(
            f"a lone surrogate (U+{ord(text[error.start]):04X}) follows {around!r}; "
            "UTF-8 cannot store it; correct the text"
        ) from error


class _DocumentWriter:
    """Writes one document and counts what it leaves out (`lost`) and what it changes (`changed`)."""

    def __init__(self, document: BioCDocument, abbreviations: bool) -> None:
        self.document = document
        self.abbreviations = Abbreviations(document, abbreviations)
        self.id = str(document.id if document.id is not None else "")
        if _BAD_ID.search(self.id) or not self.id.strip():
            raise ArticleError(
                f"PubTator cannot store the document id {self.id!r}: it is empty or contains a bar, tab or line "
                "break; give the document another id, or write BioC"
            )
        self.lost, self.changed = Losses(), Losses()
        self.passages: list[BioCPassage] = list(document.passages)
        if not self.passages:
            self.changed.add("documents without passages (written as an empty title)")
            self.passages = [BioCPassage()]
        self.texts = [passage_text(passage) for passage in self.passages]
        self.search = PassageSearch(list(zip((passage.offset for passage in self.passages), self.texts, strict=True)))
        self.mentions: list[list[BioCAnnotation]] = [[] for _ in self.passages]
        indices = {id(passage): index for index, passage in enumerate(self.passages)}
        for annotation, passage in every_annotation(document):
            if self.abbreviations.leave_out(annotation):
                continue
            self.lost.extra(annotation)
            if not annotation.locations:
                self.lost.add("annotations without location")
                continue
            # A mention outside its passage is assigned to the passage that contains it.
            index = indices.get(id(passage))
            start, end = _outer(annotation)
            first = None if index is None else self.passages[index].offset
            if index is None or first is None or not (first <= start and end <= first + len(self.texts[index])):
                fallback = index if index is not None else self.search.last_before(start) or 0
                index = next(iter(self.search.around(start, end)), fallback)
            self.mentions[index].append(annotation)
        self.lost.extra(document)
        self.lost.add("infons of the document", len(document.infons))
        for passage in self.passages:
            self.lost.extra(passage)
            self.lost.add("sentences", len(passage.sentences))

    def classical(self) -> str:
        """One block. An abstract without title follows an empty title, which takes one character."""
        lone_abstract = [_kind(passage) for passage in self.passages] == ["a"] and not _is_written_empty(self.texts[0])
        texts = ["", *self.texts] if lone_abstract else [*self.texts, ""][:2]
        lines = [f"{self.id}|{tag}|{self._clean(text)}" for tag, text in zip("ta", texts, strict=True)]
        places = [("t", 0), ("a", len(texts[0]) + 1)][lone_abstract:]
        for index, (tag, offset) in zip(range(len(self.passages)), places, strict=False):
            lines += self._table_lines(index, offset, offset, classical_infons(tag))
        if len(self.passages) == 2 and _is_written_empty(texts[0]):
            self.lost.add("empty passages")
        return "\n".join([*lines, *self._relation_lines(self.document), ""])

    def passage_blocks(self) -> str:
        """One block for each passage, with offsets from the start of the passage."""
        blocks: list[list[str]] = []
        offset = 0
        for index, text in enumerate(self.texts):
            lines = [f"{self.id}|t|{self._clean(text)}", f"{self.id}|a|"]
            blocks.append(lines + self._table_lines(index, 0, offset, passage_infons(index)))
            offset += len(text) + 1
        blocks[-1] += self._relation_lines(self.document)
        return "\n".join("\n".join([*lines, ""]) for lines in blocks)

    def _table_lines(self, index: int, base: int, offset: int, implied: dict[str, str]) -> list[str]:
        """Mentions and relations of a passage, which begins at `base` in its block and, when read back, at `offset`."""
        passage = self.passages[index]
        if passage.offset != offset:
            self.changed.add("passages that begin at another offset when read back")
        odd = [key for key, value in passage.infons.items() if implied.get(key) != value]
        self.lost.add("infons of passages", len(odd))
        lines: list[str] = []
        for annotation in self.mentions[index]:
            lines += self._mention_lines(annotation, index, base - passage.offset)
        for holder in (passage, *passage.sentences):
            lines += self._relation_lines(holder)
        return lines

    def _mention_lines(self, annotation: BioCAnnotation, index: int, shift: int) -> list[str]:
        start, end = _outer(annotation)
        if start + shift < 0:
            self.lost.add("mentions that begin before their text")
            return []
        if len(str(end + shift)) > MAX_DIGITS:
            self.lost.add(f"mentions with an offset of more than {MAX_DIGITS} digits")
            return []
        text = str(annotation.text or "")
        if len(annotation.locations) > 1:
            self.changed.add("mentions in several pieces (written as one, from the first to the last)")
            offset = self.passages[index].offset
            text = self.texts[index][max(0, start - offset) : max(0, end - offset)] or text
        long_form = self.abbreviations.long_form(annotation)
        if long_form is not None:
            values = [str(annotation.infons["type"]), "", long_form[0]]
        else:
            values = self._values(annotation.infons, 5, MENTION_COLUMNS, "infons of mentions")
        # There is always a fifth column: some readers regard each line with four as a relation.
        return [self._line(str(start + shift), str(end + shift), text, *(values or [""]))]

    def _relation_lines(self, holder: Holder) -> list[str]:
        """The lines of relations between concepts. PubTator cannot store relations between mentions."""
        lines: list[str] = []
        for relation in holder.relations:
            if is_definition(relation):
                # Counted with its annotations, or written with its short form.
                continue
            infons = relation.infons
            named = infons.get("entity1") is not None and infons.get("entity2") is not None
            # A reader takes only rows with a type in words and two ids for relations.
            if named and not relation.nodes and is_relation([self.id, *map(str, map(infons.get, RELATION_COLUMNS))]):
                self.lost.extra(relation)
                values = self._values(infons, 2, RELATION_COLUMNS, "infons of relations")
                lines.append(self._line(*values))
            else:
                self.lost.add("relations")
        return lines

    def _values(self, infons: dict[str, Any], first: int, named: Sequence[str], kind: str) -> list[str]:
        """The values of infons that have a column, without missing ones at the end. Counts the others as lost."""
        keys = list(takewhile(lambda key: key in named or key in infons, columns_from(first, named)))
        self.lost.add(kind, len(infons.keys() - set(keys)))
        while keys and infons.get(keys[-1]) is None:
            keys.pop()
        return [infon_value(infons[key], self.changed) or "" if key in infons else "" for key in keys]

    def _line(self, *values: str) -> str:
        return "\t".join([self.id, *map(self._clean, values)])

    def _clean(self, text: str) -> str:
        """The text with each line break and tab replaced by one blank, so that offsets stay right."""
        cleaned, breaks = _BREAK.subn(" ", text)
        self.changed.add("line breaks and tabs (written as blanks)", breaks)
        return cleaned


def _outer(annotation: BioCAnnotation) -> tuple[int, int]:
    places = annotation.locations
    return min(place.offset for place in places), max(place.offset + place.length for place in places)


# A blank line stands after each article: many readers of PubTator regard it as complete only then.
WRITER = Joined(dumps, b"\n", closing=lambda header: b"\n")
WITH_ABBREVIATIONS = Joined(partial(dumps, abbreviations=True), b"\n", closing=lambda header: b"\n")
