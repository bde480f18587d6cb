"""What a corpus lacks and other sources have: index terms, sections, ids of another MeSH year."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike

from bioc import BioCDocument

from corpora.errors import ArticleError, InputError
from corpora.formats import medline
from corpora.formats.header import Header
from corpora.model.document import (
    IndexTerm,
    add_index_term,
    article_ids,
    index_terms,
    mentions,
    passage_text,
    section_type,
    set_identifiers,
)
from corpora.model.sections import ABSTRACT, TITLE, section_of_heading
from corpora.parsing.safe_xml import parse_fragment
from corpora.reporting import Report, log
from corpora.storage import inputs

__all__ = ["IdentifierCheck", "add_index", "add_sections", "check_identifiers", "index_of", "pmid_of", "sections_of"]

HEADING = 120
"""Characters up to which a passage may be a heading."""


# -- index terms --------------------------------------------------------------------------------


def index_of(
    sources: Sequence[str | PathLike[str]],
    wanted: frozenset[str] | None = None,
    chemical: Callable[[str], bool] | None = None,
    report: Report = log,
) -> dict[str, tuple[IndexTerm, ...]]:
    """Index terms by PMID from MEDLINE/PubMed XML files, folders or archives.

    Only citations in `wanted` are kept (None: all). Of a citation that stands there several times, as in NLM's
    update files, the last counts. Terms are its substances, and the headings for which `chemical` is true. A
    citation without substances is kept with no terms: that is gold too. Raises `InputError`.
    """
    found: dict[str, tuple[IndexTerm, ...]] = {}
    for file in inputs.expand([str(source) for source in sources]):
        try:
            for _, stream in inputs.members(file):
                for raw in medline.split(stream, Header(), report):
                    element = parse_fragment(raw)
                    pmid = (element.findtext(".//MedlineCitation/PMID") or "").strip()
                    if pmid and (wanted is None or pmid in wanted):
                        found[pmid] = tuple(medline.index_terms_of(element, chemical))
        except InputError as error:
            raise InputError(f"{file.path}: {error}") from error
    return found


def pmid_of(document: BioCDocument) -> str:
    """What a document is joined with MEDLINE by: its PMID, else its own id."""
    return article_ids(document).get("pmid") or str(document.id)


def add_index(
    documents: Iterable[BioCDocument], index: Mapping[str, Sequence[IndexTerm]], report: Report = log
) -> Iterator[BioCDocument]:
    """The same documents with the index terms of MEDLINE, as the NLM-Chem track did for CDR and CHEMDNER.

    A document that has index terms keeps them; one that MEDLINE does not have is passed on as it is. Both are
    told, in one sentence each, at the end.
    """
    kept = unknown = joined = 0
    for document in documents:
        terms = index.get(pmid_of(document))
        if any(True for _ in index_terms(document)):
            kept += 1
        elif terms is None:
            unknown += 1
        elif not document.passages:
            raise ArticleError(f"document {document.id!r} has no passage to hold its index terms")
        else:
            joined += 1
            for term in terms:
                add_index_term(document, term)
        yield document
    if kept:
        report(f"{kept} documents had index terms and kept them")
    if unknown:
        report(f"{unknown} documents are not in the MEDLINE files and got no index terms ({joined} did)")


# -- sections -----------------------------------------------------------------------------------


def add_sections(document: BioCDocument) -> int:
    """Give every passage without a section one, by the headings before it; says how many got one.

    A heading is a short passage without a full stop that names a section. The first passage is the title, what
    follows the abstract, up to the first heading. An abstract that begins with a heading is a structured one: it
    ends where a heading comes for the second time (Background, Methods, Results; Background ...).
    """
    given = 0
    for passage, section in zip(document.passages, sections_of(document), strict=True):
        if section_type(passage) is None:
            passage.infons["section_type"] = section
            given += 1
    return given


def sections_of(document: BioCDocument) -> list[str]:
    """The section of every passage: as the file states it, else as `add_sections` would have it."""
    reader = _SectionReader()
    return [
        reader.follow(section_type(passage), passage_text(passage), first=place == 0)
        for place, passage in enumerate(document.passages)
    ]


class _SectionReader:
    """Where in an article a reader is who sees one passage after another."""

    def __init__(self) -> None:
        self._section = TITLE
        self._seen: set[str] = set()
        self._abstract_has_text = False

    def follow(self, stated: str | None, text: str, first: bool) -> str:
        """The section of the next passage."""
        if stated is not None or first:
            self._section = stated or TITLE
            return self._section
        named = _named(text)
        in_abstract = self._section in (TITLE, ABSTRACT)
        if named is None or named == ABSTRACT:
            self._abstract_has_text |= in_abstract and named is None and not self._seen
            self._section = ABSTRACT if in_abstract or named == ABSTRACT else self._section
        elif in_abstract and not self._abstract_has_text and named not in self._seen:
            self._seen.add(named)
            self._section = ABSTRACT
        else:
            self._section = named
        return self._section


def _named(text: str) -> str | None:
    text = text.strip()
    if not text or len(text) > HEADING or text.endswith((".", ",", ";")):
        return None
    return section_of_heading(text)


# -- ids ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class IdentifierCheck:
    """How the ids of a corpus fare with a lexicon: known, replaced by another id, unknown; each with its count."""

    known: int = 0
    replaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def sentences(self) -> list[str]:
        """What was found, one plain sentence a kind."""
        found: list[str] = []
        if self.replaced:
            (old, new), number = self.replaced.most_common(1)[0]
            found.append(
                f"{sum(self.replaced.values())} of its ids ({len(self.replaced)} distinct) have been replaced, "
                f"such as {old} by {new} ({number} times)"
            )
        if self.unknown:
            example, number = self.unknown.most_common(1)[0]
            found.append(
                f"{sum(self.unknown.values())} of its ids ({len(self.unknown)} distinct) are not in the lexicon, "
                f"such as {example} ({number} times); is it of another MeSH year?"
            )
        return found


def check_identifiers(
    document: BioCDocument,
    known: Callable[[str], bool],
    replaced: Mapping[str, str],
    found: IdentifierCheck,
    rewrite: bool = False,
) -> None:
    """Count in `found` how a document's ids of mentions and index terms fare.

    `replaced` maps ids of other MeSH years to those of the lexicon's; an id in it counts as replaced even where
    the lexicon has it still. With `rewrite`, mentions get the new ids.
    """
    for mention in mentions(document, None):
        new = [_checked(identifier, known, replaced, found) for identifier in mention.identifiers]
        if rewrite and tuple(new) != mention.identifiers:
            set_identifiers(mention, new)
    for term in index_terms(document):
        _checked(term.identifier, known, replaced, found)


def _checked(identifier: str, known: Callable[[str], bool], replaced: Mapping[str, str], found: IdentifierCheck) -> str:
    new = replaced.get(identifier)
    if new is not None:
        found.replaced[identifier, new] += 1
        return new
    if known(identifier):
        found.known += 1
    else:
        found.unknown[identifier] += 1
    return identifier
