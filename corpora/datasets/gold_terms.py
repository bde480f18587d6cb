"""The gold index terms for training an indexer: JSON lines of ids and chemicals, or documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.errors import InputError
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.mesh_ids import PREFIX, bare_id
from corpora.reading import read
from corpora.reporting import Report, log

__all__ = ["read_gold_terms"]

_IDS = ("pmcid", "pmid", "id")


def read_gold_terms(source: str, report: Report = log) -> Iterator[BioCDocument]:
    """Documents with the gold index terms. Documents from JSON lines have no text.

    A JSON line is `{"pmcid" or "pmid" or "id": ..., "chemicals": [...]}`. A chemical is a MeSH id (`D014867`,
    `MESH:D014867`) or a list of id and name. All other sources are read as documents with their
    `MeSH_Indexing_Chemical` annotations. Raises `InputError` for a line of another form.
    """
    path = Path(source)
    if path.suffix == ".jsonl" and path.is_file() and _is_list(path):
        return _lines(path)
    return read(source, report=report)


def _is_list(path: Path) -> bool:
    """Whether the first line has gold terms. Documents can also be JSON lines."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        first = next((line for line in lines if line.strip()), "")
    return '"passages"' not in first


def _lines(path: Path) -> Iterator[BioCDocument]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                document = _document(json.loads(line))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise InputError(
                    f"{path}, line {number}: not a line of gold index terms ({error!r}); "
                    'write {"pmcid": ..., "chemicals": [...]}'
                ) from error
            yield document


def _document(value: dict[str, Any]) -> BioCDocument:
    ids = {key: str(value[key]) for key in _IDS if value.get(key)}
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
