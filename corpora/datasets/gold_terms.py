"""Gold index terms of articles: those of a corpus, and those for training an indexer (JSON lines, or documents)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.datasets.articles import read as read_articles
from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.errors import DAMAGE, InputError, damage
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.mesh_ids import PREFIX, bare_id
from corpora.model.metadata import join_key
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.words.quantities import quantity

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
            except DAMAGE as error:
                raise InputError(
                    f"{path}, line {number}: not a line of gold index terms ({damage(error)}); "
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


def read_indexed(files: Files, report: Report) -> Iterator[BioCDocument]:
    """PMC articles in the order of the archive, with their `chemicals` as index terms.

    `other_substances` (roles, mixtures, proteins) and `unmapped` are not chemicals as in NLM-Chem and are not read. An
    article without a line of gold is left out and reported, because its terms are unknown.
    """
    terms = _terms(files)
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


def _terms(files: Files) -> dict[str, list[IndexTerm]]:
    terms: dict[str, list[IndexTerm]] = {}
    for entry, stream in streams(files["gold"]):
        for number, line in enumerate(read_text(stream, entry).split("\n"), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
                chemicals = [IndexTerm(identifier, name) for identifier, name in value["chemicals"]]
                terms[str(value["pmcid"]).removeprefix("PMC")] = chemicals
            except DAMAGE as error:
                raise InputError(
                    f"{entry}, line {number}: not a line of gold index terms ({damage(error)}); correct it"
                ) from error
    return terms
