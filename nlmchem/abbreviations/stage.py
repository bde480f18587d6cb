"""The abbreviations of an article: finds them, makes a glossary, writes annotations, and lists them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.model.document import Definition, add_definition, add_occurrence, definitions, fresh_ids
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import ABBR, WITHOUT_ABBREVIATIONS
from corpora.reading import Fault, articles
from corpora.reporting import Report
from corpora.storage.inputs import expand
from nlmchem.abbreviations.ab3p.detector import detect
from nlmchem.abbreviations.ab3p.rewriting import is_name_of
from nlmchem.abbreviations.glossary import Glossary, ShortFormFinder
from nlmchem.abbreviations.lists import in_list, list_begin, without_heading

# Table cells: a long form does not extend over several cells.
_CELL = re.compile(r"[^\t\n]+")


def define(document: BioCDocument) -> Glossary:
    """The glossary of an article, from its text. The document does not change.

    References and author contributions are skipped, because definitions in titles of other articles do not apply.
    Raises `ArticleError` if sentences overlap.
    """
    return Glossary.of(_found(document))


def annotate(document: BioCDocument, *, with_occurrences: bool = True) -> Glossary:
    """Write the definitions of an article and the occurrences of their short forms into it; return its glossary.

    Existing definitions stay and are not written again. A definition is two annotations and a relation in its
    passage. Each other occurrence of its short form is an annotation and a relation to the long form, in their common
    passage or else in the document.
    """
    passages_of = _found(document)
    glossary = Glossary.of(passages_of)
    former = list(definitions(document))
    known = {(definition.short_span, definition.long_span) for definition in former}
    ids = fresh_ids(document, "ABBR")
    long_ids: dict[Definition, tuple[str, BioCPassage]] = {}
    for definition in glossary.definitions:
        if (definition.short_span, definition.long_span) not in known:
            passage = passages_of[definition]
            long_ids[definition] = add_definition(passage, definition, ids), passage
    if not with_occurrences:
        return glossary
    defining = {definition.short_span for definition in (*glossary.definitions, *former)}
    short_forms = ShortFormFinder(glossary.written_forms)
    for passage in document.passages:
        if section_type(passage) in WITHOUT_ABBREVIATIONS:
            continue
        for form, span in short_forms.occurrences(passage_text(passage), passage.offset):
            meaning = glossary.meaning(form, span[0]) or glossary.meaning(f"{form}s", span[0])
            if meaning is None or span in defining or meaning not in long_ids:
                continue
            if meaning.long_span[0] < span[1] and span[0] < meaning.long_span[1]:
                continue
            long_id, defining_passage = long_ids[meaning]
            add_occurrence(document, passage, span, long_id, ids, same_passage=defining_passage is passage)
    return glossary


def glossary_of(document: BioCDocument) -> Glossary:
    """The glossary in the annotations of a document. An occurrence counts as a definition of the same sense."""
    return Glossary.of(definitions(document))


class AbbreviationStage:
    """A pipeline stage that writes abbreviations into articles. Articles do not affect each other."""

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            annotate(document)


def _found(document: BioCDocument) -> dict[Definition, BioCPassage]:
    """Every definition with its passage. If passages overlap, the offset does not identify the passage."""
    defined = {definition: passage for passage in document.passages for definition in _defined_in(passage)}
    formulae = {definition.short_form for definition in defined if _names_formula(definition)}
    return {
        definition: passage
        for definition, passage in defined.items()
        if definition.short_form not in formulae or _names_formula(definition)
    }


def _names_formula(definition: Definition) -> bool:
    """Whether a formula is defined by its name; the article then has no other meaning for it.

    In `carbon dioxide (CO2) ... 25% concentration (CO2)` the second is no definition.
    """
    short = definition.short_form
    return any(map(str.isdigit, short)) and is_name_of(definition.long_form, short)


def _defined_in(passage: BioCPassage) -> list[Definition]:
    section = section_type(passage)
    text = passage_text(passage)
    if section in WITHOUT_ABBREVIATIONS or not text:
        return []
    begin = 0 if section == ABBR else list_begin(text)
    readings = without_heading(text) if begin is None else in_list(text, begin)
    defined = [reading.definition(text, passage.offset) for reading in readings]
    taken = {known.short_span for known in defined}
    listed = min((known.short_span[0] for known in defined), default=len(text) + passage.offset)
    pieces = [(text, 0)] if "\t" not in text else ((cell[0], cell.start()) for cell in _CELL.finditer(text))
    for piece, start in pieces:
        for definition in detect(piece, offset=passage.offset + start):
            # Inside a list, the entries of the list are more reliable than brackets.
            if definition.short_span not in taken and (definition.long_span[1] <= listed or section != ABBR):
                defined.append(definition)
    return defined


COLUMNS = ("document", "short_form", "long_form", "strategy", "score", "short_start", "long_start")
Result = TypeVar("Result")


def listed(sources: Sequence[str], report: Report) -> Iterator[list[dict[str, Any]] | None]:
    """The definitions of each article in the sources, as JSON values with the keys `COLUMNS`; see `each_article`.

    Offsets are code points from the start of the document; the score has 4 decimals.
    """

    def of_article(document: BioCDocument) -> list[dict[str, Any]]:
        return [
            {
                "document": str(document.id),
                "short_form": definition.short_form,
                "long_form": " ".join(definition.long_form.split()),
                "strategy": definition.strategy,
                "score": round(definition.score or 0.0, 4),
                "short_start": definition.short_span[0],
                "long_start": definition.long_span[0],
            }
            for definition in define(document).definitions
        ]

    return each_article(sources, report, of_article, None)


def as_line(row: Mapping[str, Any]) -> str:
    """A definition of `listed` as a tab-separated line, in the order of `COLUMNS`."""
    cells = {**row, "score": f"{row['score']:.4f}"}
    return "\t".join(" ".join(str(cells[column]).split()) for column in COLUMNS)


def each_article(
    sources: Sequence[str], report: Report, result_of: Callable[[BioCDocument], Result], failed: Result
) -> Iterator[Result]:
    """What `result_of` returns for each article, with one article in memory at a time.

    Articles that cannot be read are reported by name; `failed` stands for them. Raises `ConfigurationError` for a path
    without files.
    """
    for item in articles(expand(sources), report):
        result = failed
        if not isinstance(item, Fault):
            try:
                result = result_of(item.document)
            except ArticleError as error:
                item = Fault(item.place, error)
        if isinstance(item, Fault):
            report(str(item))
        yield result
