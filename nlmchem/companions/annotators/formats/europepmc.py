"""The lines that Europe PMC takes from providers of annotations: JSON lines, one article a line. It is only written.

    {"src": "MED", "id": "123", "provider": "nlmchem", "anns": [{"position": "1.1", "prefix": "", "exact": "Zinc",
     "postfix": " was given.", "section": "Title", "type": "Chemicals",
     "tags": [{"name": "Zinc", "uri": "http://id.nlm.nih.gov/mesh/D015032"}]}]}

It has no text and no offsets: Europe PMC finds a mention by the characters around it. A mention without an identifier
has no page to link to, and is left out. `provider` is the name that Europe PMC gave you: change it before you submit.

Source: https://europepmc.org/AnnotationsSubmission
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.formats.format import Joined
from corpora.formats.losses import Losses, encoded
from corpora.model.chemical import CHEMICAL
from corpora.model.document import every_annotation, mentions, mentions_of
from corpora.model.mesh_ids import bare_id, is_mesh_id
from corpora.model.metadata import article_ids
from corpora.model.passages import passage_text, section_type
from corpora.reporting import Report

PROVIDER = "nlmchem"
AROUND = 20
"""Characters before and after a mention."""
TYPE = "Chemicals"
MESH_PAGES = "http://id.nlm.nih.gov/mesh/"
_SOURCES = (("pmid", "MED"), ("pmc", "PMC"))
_SECTIONS = {
    "TITLE": "Title", "ABSTRACT": "Abstract", "INTRO": "Introduction", "METHODS": "Methods", "RESULTS": "Results",
    "DISCUSS": "Discussion", "CONCL": "Conclusion", "CASE": "Case study", "ACK_FUND": "Acknowledgments",
    "AUTH_CONT": "Author Contributions", "COMP_INT": "Competing Interests", "SUPPL": "Supplementary material",
    "FIG": "Figure", "TABLE": "Table", "REF": "References", "APPENDIX": "Appendix", "ABBR": "Abbreviations",
}  # fmt: skip
"""Section types of PMC's BioC and their names at Europe PMC; others are `Article`."""


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One article as a line; reports what is left out. Raises `ArticleError` for an article without PMID and PMCID."""
    losses = Losses()
    source, number = _source(document)
    annotations = list(_annotations(document, losses))
    located = sum(1 for _ in mentions(document, None))
    losses.add("mentions of other types", located - sum(1 for _ in mentions(document)))
    losses.add("annotations without location", sum(not a.locations for a, _ in every_annotation(document)))
    outside = sum(passage is None and bool(a.locations) for a, passage in every_annotation(document))
    losses.add("annotations of the document", outside)
    losses.relations(document)
    losses.infons_of_mentions(document, stored={"type", "identifier", "matched_name"})
    losses.report(report, "Europe PMC")
    line = {"src": source, "id": number, "provider": PROVIDER, "anns": annotations}
    return encoded(json.dumps(line, ensure_ascii=False) + "\n", document)


def _source(document: BioCDocument) -> tuple[str, str]:
    ids = article_ids(document)
    for kind, source in _SOURCES:
        if kind in ids:
            return source, ids[kind] if source == "MED" else f"PMC{ids[kind].removeprefix('PMC')}"
    raise ArticleError(
        f"document {document.id!r} has no PMID and no PMCID, which Europe PMC needs; read it from a format that states "
        "them, such as JATS or BioC"
    )


def _annotations(document: BioCDocument, losses: Losses) -> Iterator[dict[str, Any]]:
    for number, passage in enumerate(document.passages, 1):
        text = passage_text(passage)
        stated = section_type(passage) or str(passage.infons.get("type") or "").upper()
        section = _SECTIONS.get(stated, "Article")
        written = 0
        for mention in mentions_of(passage):
            name = mention.evidence.matched_name or mention.text
            uris = (f"{MESH_PAGES}{bare_id(one)}" if is_mesh_id(one) else one for one in mention.identifiers)
            tags = [{"name": name, "uri": uri} for uri in uris]
            if mention.type != CHEMICAL or not tags or len(mention.spans) > 1:
                losses.add("mentions without identifier", mention.type == CHEMICAL and not tags)
                losses.add("mentions in several pieces", bool(mention.type == CHEMICAL and tags))
                continue
            written += 1
            start, end = (place - passage.offset for place in mention.spans[0])
            yield {
                "position": f"{number}.{written}",
                "prefix": text[max(0, start - AROUND) : start],
                "exact": mention.text,
                "postfix": text[end : end + AROUND],
                "section": section,
                "type": TYPE,
                "tags": tags,
            }


WRITER = Joined(dumps)
