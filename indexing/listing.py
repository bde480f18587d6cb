"""Index terms as TSV or JSON lines, without the article."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from bioc import BioCDocument

from corpora.model.document import index_terms
from corpora.model.metadata import article_ids

__all__ = ["COLUMNS", "json_lines", "tsv_lines"]

COLUMNS = ("document", "pmid", "rank", "identifier", "entry_term", "score")

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def tsv_lines(documents: Iterable[BioCDocument], heading: bool = True) -> Iterator[str]:
    """Lines without line breaks: the names of the columns, then one line for each index term, in the order of the file.

    Tabs, line breaks and backslashes in a value are written as `\\t`, `\\n`, `\\r` and `\\\\`. Unknown values are
    empty. An article without index terms has no line here, but has one in `json_lines`.
    """
    if heading:
        yield "\t".join(COLUMNS)
    for document in documents:
        pmid = article_ids(document).get("pmid", "")
        for rank, term in enumerate(index_terms(document), 1):
            score = "" if term.score is None else f"{term.score:.4f}"
            cells = (str(document.id), pmid, str(rank), term.identifier, term.entry_term or "", score)
            yield "\t".join(cell.translate(_ESCAPES) for cell in cells)


def json_lines(documents: Iterable[BioCDocument]) -> Iterator[str]:
    """One object for each article: `{document, pmid, terms: [{identifier, entry_term, score}]}`. Unknown is null."""
    for document in documents:
        terms = [
            {"identifier": term.identifier, "entry_term": term.entry_term, "score": term.score}
            for term in index_terms(document)
        ]
        line = {"document": str(document.id), "pmid": article_ids(document).get("pmid"), "terms": terms}
        yield json.dumps(line, ensure_ascii=False)
