"""The table of articles: a row for each, with its passages, its mentions and its index terms.

The names are as in the tables of mentions and of index terms (`corpora.formats.columns`), in the plural for lists.
"""

from __future__ import annotations

from typing import Any

from bioc import BioCDocument

from corpora.model.document import ABBREVIATION, Mention, index_terms, mentions
from corpora.model.licences import licence_of
from corpora.model.metadata import article_ids, pmcid, pmid, publication_year
from corpora.model.passages import passage_text, section_type
from corpora.model.votes import voters
from ensemble.silver.fields import FieldType, TableField, TableSchema, as_row

_INTEGER, _NUMBER = FieldType.INTEGER, FieldType.NUMBER

PASSAGE = (
    TableField("section", "`TITLE`, `ABSTRACT`, `METHODS` ..., if the article states it"),
    TableField("offset", "the place of its first code point in the document", _INTEGER),
    TableField("text", "the text of the passage"),
)
ENTITY = (
    TableField("id", "unique in the article"),
    TableField("passage", "the position of its passage in `passages`, from 0", _INTEGER),
    TableField("type", "`Chemical`, or another type that the runs had before the vote"),
    TableField("start", "the first code point of the mention, from the start of the document", _INTEGER),
    TableField("end", "the code point after the last one", _INTEGER),
    TableField("offsets", "start and end of each of its pieces; most mentions have one", _INTEGER, lists=2),
    TableField("text", "the text of the mention"),
    TableField("identifiers", "its concepts in MeSH, `MESH:D014867`; empty if the runs found none", lists=1),
    TableField("score", "the share of the runs that have it, by weight, 0 to 1", _NUMBER),
    TableField("voters", "the names of these runs", lists=1),
)
TERM = (
    TableField("identifier", "the concept in MeSH"),
    TableField("name", "the entry term of MeSH that the article is indexed with"),
    TableField("score", "the share of the runs that have it, by weight, 0 to 1", _NUMBER),
)
ARTICLES = TableSchema(
    "default",
    "data",
    "articles with mentions and index terms",
    (
        TableField("document", "the id of the article"),
        TableField("pmid", "its PMID, if the article states it"),
        TableField("pmcid", "its PMCID with the prefix `PMC`, if the article states it"),
        TableField("doi", "its DOI, if the article states it"),
        TableField("year", "its year of publication, if the article states it", _INTEGER),
        TableField("license", "the licence of text and annotations, such as `CC BY`"),
        TableField("license_url", "the address of the licence with its version, if the article states it"),
        TableField("passages", "its text in parts", parts=PASSAGE, lists=1),
        TableField("entities", "its mentions", parts=ENTITY, lists=1),
        TableField("index_terms", "the chemicals that it is about", parts=TERM, lists=1),
    ),
)


def article_row(document: BioCDocument) -> dict[str, Any]:
    """The row of an article."""
    licence = licence_of(document)
    places = {id(passage): number for number, passage in enumerate(document.passages)}
    values = (
        str(document.id),
        pmid(document),
        pmcid(document),
        article_ids(document).get("doi"),
        publication_year(document),
        licence.code,
        licence.url or None,
        [
            as_row(PASSAGE, (section_type(passage), passage.offset, passage_text(passage)))
            for passage in document.passages
        ],
        [_entity(mention, places[id(mention.passage)]) for mention in entities_of(document)],
        [as_row(TERM, (term.identifier, term.entry_term, term.score)) for term in index_terms(document)],
    )
    return as_row(ARTICLES.columns, values)


def entities_of(document: BioCDocument) -> list[Mention]:
    """The mentions of an article, without the annotations of abbreviations."""
    return [mention for mention in mentions(document, None) if mention.type != ABBREVIATION]


def _entity(mention: Mention, passage: int) -> dict[str, Any]:
    spans = mention.spans
    values = (
        str(mention.annotation.id or ""),
        passage,
        mention.type,
        min(start for start, _ in spans),
        max(end for _, end in spans),
        [list(span) for span in spans],
        mention.text,
        list(mention.identifiers),
        mention.evidence.score,
        list(voters(mention.annotation)),
    )
    return as_row(ENTITY, values)
