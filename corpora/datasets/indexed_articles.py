"""Reader of PMC full text with MeSH index terms of MEDLINE: JATS articles, and JSON lines with the terms."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bioc import BioCDocument

from corpora.datasets.articles import read as read_articles
from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.errors import InputError
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.metadata import join_key
from corpora.reporting import Report

__all__ = ["read"]


def read(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Articles in the order of the archive, with their `chemicals` as index terms.

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
        report(f"{len(terms)} lines of gold terms have no article (the first is PMC{next(iter(terms))})")


def _terms(files: Files) -> dict[str, list[IndexTerm]]:
    found: dict[str, list[IndexTerm]] = {}
    for entry, stream in streams(files["gold"]):
        for number, line in enumerate(read_text(stream, entry).split("\n"), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
                chemicals = [IndexTerm(identifier, name) for identifier, name in value["chemicals"]]
                found[str(value["pmcid"]).removeprefix("PMC")] = chemicals
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{entry}, line {number}: not a line of gold index terms ({error}); correct it"
                ) from error
    return found
