"""Index terms: gold terms of a corpus or for training an indexer, and those of MEDLINE, which join by PMID."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.datasets.articles import read as read_articles
from corpora.datasets.registry import Files, json_lines, read_text, streams
from corpora.errors import ArticleError, InputError
from corpora.formats import pubmed
from corpora.model.document import IndexTerm, add_index_term, index_terms
from corpora.model.mesh_ids import PREFIX, bare_id
from corpora.model.metadata import article_ids, join_key
from corpora.parsing.safe_xml import parse_fragment
from corpora.reading import read, sources
from corpora.reporting import Report, log, prefixed
from corpora.storage.inputs import expand
from corpora.words.quantities import quantity

_A_LINE = "a line of gold index terms"


def read_gold_terms(source: str, report: Report = log) -> Iterator[BioCDocument]:
    """Documents with the gold index terms. Documents from JSON lines have no text.

    A JSON line is `{"pmcid" or "pmid" or "id": ..., "chemicals": [...]}`. A chemical is a MeSH id (`D014867`,
    `MESH:D014867`) or a list of id and name. All other sources are read as documents with their
    `MeSH_Indexing_Chemical` annotations. Raises `InputError` for a line of another form.
    """
    path = Path(source)
    if path.suffix == ".jsonl" and path.is_file():
        # Documents can also be JSON lines.
        with path.open(encoding="utf-8", errors="replace") as lines:
            first = next((line for line in lines if line.strip()), "")
        if '"passages"' not in first:
            return _gold_lines(path)
    return read(source, report=report)


def _gold_lines(path: Path) -> Iterator[BioCDocument]:
    with path.open(encoding="utf-8") as lines:
        yield from json_lines(lines, path, _gold_document, _A_LINE, 'write {"pmcid": ..., "chemicals": [...]}')


def _gold_document(value: dict[str, Any]) -> BioCDocument:
    ids = {key: str(value[key]) for key in ("pmcid", "pmid", "id") if value.get(key)}
    document = BioCDocument()
    document.id = ids.get("id") or ids.get("pmcid") or ids["pmid"]
    document.infons = {
        f"article-id_{kind}": ids[key].removeprefix("PMC")
        for key, kind in (("pmcid", "pmc"), ("pmid", "pmid"))
        if key in ids
    }
    document.passages = [BioCPassage.of_text("")]
    for chemical in value["chemicals"]:
        identifier, name = (chemical, None) if isinstance(chemical, str) else (chemical[0], chemical[1])
        add_index_term(document, IndexTerm(f"{PREFIX}{bare_id(identifier)}", name))
    return document


def read_indexed(files: Files, report: Report) -> Iterator[BioCDocument]:
    """PMC articles in the order of the archive, with their `chemicals` as index terms.

    `other_substances` (roles, mixtures, proteins) and `unmapped` are not chemicals as in NLM-Chem and are not read. An
    article without a line of gold is left out and reported, because its terms are unknown.
    """

    def terms_of(value: dict[str, Any]) -> tuple[str, list[IndexTerm]]:
        chemicals = [IndexTerm(identifier, name) for identifier, name in value["chemicals"]]
        return str(value["pmcid"]).removeprefix("PMC"), chemicals

    terms: dict[str, list[IndexTerm]] = {}
    for entry, stream in streams(files["gold"]):
        terms.update(json_lines(read_text(stream, entry).split("\n"), entry, terms_of, _A_LINE, "correct it"))
    for document in read_articles(files, report):
        key = join_key(document)
        if key not in terms:
            report(f"article PMC{key} has no line of gold terms and was left out")
            continue
        for term in terms.pop(key):
            add_index_term(document, term)
        yield document
    if terms:
        report(f"{quantity(len(terms), 'line')} of gold terms without an article (the first is PMC{next(iter(terms))})")


# -- MEDLINE ------------------------------------------------------------------------------------


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
            for article in source.raw_articles(prefixed(report, source.member), pubmed.INDEX_READER):
                element = parse_fragment(article.raw)
                pmid = (element.findtext(".//MedlineCitation/PMID") or "").strip()
                if pmid and (wanted is None or pmid in wanted):
                    index[pmid] = tuple(pubmed.index_terms_of(element))
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
