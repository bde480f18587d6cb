"""Index terms from MEDLINE, and documents that get them by PMID."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike

from bioc import BioCDocument

from corpora.errors import ArticleError, InputError
from corpora.formats import medline
from corpora.model.document import IndexTerm, add_index_term, index_terms
from corpora.model.metadata import article_ids
from corpora.parsing.safe_xml import parse_fragment
from corpora.reading import sources
from corpora.reporting import Report, log, prefixed
from corpora.storage.inputs import expand
from corpora.words.quantities import quantity


def index_of(
    files: Sequence[str | PathLike[str]],
    wanted: frozenset[str] | None = None,
    report: Report = log,
) -> dict[str, tuple[IndexTerm, ...]]:
    """Index terms by PMID from MEDLINE/PubMed XML files, folders or archives.

    Only citations in `wanted` are kept (None: all). If a citation occurs several times, as in NLM's update files, the
    last one counts. Terms are its substances. A citation without
    substances is kept with no terms, because that is gold, too. Raises `InputError`.
    """
    index: dict[str, tuple[IndexTerm, ...]] = {}
    for source in sources(expand([str(name) for name in files])):
        try:
            for article in source.raw_articles(prefixed(report, source.member), medline.READER):
                element = parse_fragment(article.raw)
                pmid = (element.findtext(".//MedlineCitation/PMID") or "").strip()
                if pmid and (wanted is None or pmid in wanted):
                    index[pmid] = tuple(medline.index_terms_of(element))
        except InputError as error:
            raise InputError(f"{source.member}: {error}") from error
    return index


def pmid_of(document: BioCDocument) -> str:
    """The id that joins a document with MEDLINE: its PMID, else its own id."""
    return article_ids(document).get("pmid") or str(document.id)


def add_index(
    documents: Iterable[BioCDocument], index: Mapping[str, Sequence[IndexTerm]], report: Report = log
) -> Iterator[BioCDocument]:
    """The same documents with the index terms of MEDLINE, as the NLM-Chem track did for CDR and CHEMDNER.

    A document that has index terms keeps them. One that MEDLINE does not have is passed on unchanged. The number of
    each is reported at the end.
    """
    kept = unknown = joined = 0
    for document in documents:
        terms = index.get(pmid_of(document))
        if any(True for _ in index_terms(document)):
            kept += 1
        elif terms is None:
            unknown += 1
        elif not document.passages:
            raise ArticleError(f"document {document.id!r} has no passage that could hold its index terms")
        else:
            joined += 1
            for term in terms:
                add_index_term(document, term)
        yield document
    if kept:
        report(f"{quantity(kept, 'document')} had index terms and kept them")
    if unknown:
        report(
            f"{quantity(unknown, 'document is', 'documents are')} not in the MEDLINE files and got no "
            f"index terms ({joined} did)"
        )
