"""PMC full text with the MeSH indexing of MEDLINE: JATS articles, and JSON lines with their index terms."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bioc import BioCDocument

from corpora.datasets.articles import read as read_articles
from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.errors import InputError
from corpora.model.document import IndexTerm, add_index_term, join_key
from corpora.reporting import Report

__all__ = ["read"]


def read(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Articles in the order of the archive, with their `chemicals` as index terms.

    `other_substances` (roles, mixtures, proteins) and `unmapped` are not chemicals of NLM-Chem's kinds and stay in
    the JSON lines. An article without a line of gold is left out, and told: no line is not no term.
    """
    terms = _terms(files)
    for document in read_articles(files, report):
        key = join_key(document)
        if key not in terms:
            report(f"article PMC{key} has no line of gold and was left out")
            continue
        for term in terms.pop(key):
            add_index_term(document, term)
        yield document
    if terms:
        report(f"{len(terms)} lines of gold have no article (the first is PMC{next(iter(terms))})")


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
                raise InputError(f"{entry}, line {number}: no line of index gold ({error}); mend it") from error
    return found
