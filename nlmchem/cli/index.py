"""`nlmchem index list|suggest|explain`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nlmchem.cli.old_groups import group
from nlmchem.cli.shared import AsOfOption, JsonLinesOption, LexiconOption
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bioc import BioCDocument

app = group("List the index terms of annotated articles, suggest others, or explain them.", default="list")

LIST_EXAMPLE = "Example: nlmchem index list annotated/ > terms.tsv"
SUGGEST_EXAMPLE = "Example: nlmchem index suggest annotated/ --number 10 > candidates.tsv"
EXPLAIN_EXAMPLE = "Example: nlmchem index explain annotated/guard-cells.xml --lexicon mesh.sqlite"

NO_CONCEPTS = "no mention has a concept; annotate the article with --steps tag,normalize first"

AnnotatedFiles = Annotated[
    list[str],
    typer.Argument(metavar="ANNOTATED...", help="Annotated articles: files, folders, glob patterns or archives."),
]
IndexerOption = Annotated[
    str | None,
    typer.Option(
        "--indexer",
        help="default, title-abstract, rules, tfidf, or the path of a model (.json). [default: the embedded model]",
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option("--index-threshold", help="Lowest score of an index term. [default: the indexer's own]"),
]


@app.command("list", epilog=LIST_EXAMPLE)
def list_terms(annotated: AnnotatedFiles, as_json: JsonLinesOption = False) -> None:
    """List the index terms of annotated articles, best first: a TSV table with one line for each term."""
    from indexing.terms.listing import json_lines, tsv_lines

    documents = _documents(annotated)
    printed = 0
    for line in json_lines(documents) if as_json else tsv_lines(documents):
        print(line)
        printed += 1
    # The table begins with its header.
    if printed == 1 and not as_json:
        warn("no index term was found; annotate the articles first, with the step index")


@app.command("suggest", epilog=SUGGEST_EXAMPLE)
def suggest(
    annotated: AnnotatedFiles,
    number: Annotated[
        int | None, typer.Option("--number", "-n", help="Number of concepts of each article. [default: all]", min=1)
    ] = None,
    indexer: IndexerOption = None,
    index_threshold: ThresholdOption = None,
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """List every concept that could be an index term, best first, with its score and whether the indexer chooses it.

    Scores of the embedded model are close to probabilities. Use the lexicon and the year that the articles were
    annotated with.
    """
    from indexing.terms.listing import SUGGESTED, suggestion_json, suggestion_lines

    if not as_json:
        print("\t".join(SUGGESTED))
    for found in _explained(annotated, indexer, index_threshold, lexicon, as_of):
        for line in [suggestion_json(found, number)] if as_json else suggestion_lines(found, number):
            print(line)


@app.command("explain", epilog=EXPLAIN_EXAMPLE)
def explain(
    article: AnnotatedFiles,
    indexer: IndexerOption = None,
    index_threshold: ThresholdOption = None,
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    reasons: Annotated[int, typer.Option(help="Number of features shown for each concept.", min=0)] = 5,
    as_json: JsonLinesOption = False,
) -> None:
    """Show which concepts of an article become index terms, and what each feature adds to the log-odds.

    Use the lexicon and the year that the article was annotated with.
    """
    for explanation in _explained(article, indexer, index_threshold, lexicon, as_of):
        if as_json:
            print(json.dumps(explanation, ensure_ascii=False))
        else:
            _print(explanation, reasons)


def _explained(
    sources: list[str], indexer: str | None, threshold: float | None, lexicon: Path | None, as_of: int | None
) -> Iterator[dict[str, Any]]:
    """All candidates of each article as plain data. An article whose mentions have no concepts is reported."""
    from corpora.model.document import mentions
    from indexing.terms.listing import explain as explained
    from indexing.terms.registry import open_indexer
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon, as_of) as concepts:
        opened = open_indexer(indexer, concepts, threshold)
        for document in _documents(sources):
            if not any(mention.identifiers for mention in mentions(document)):
                warn(f"document {document.id!r}: {NO_CONCEPTS}")
            yield explained(document, opened)


def _documents(sources: list[str]) -> Iterator[BioCDocument]:
    from corpora.reading import read

    return read(sources, report=warn)


def _print(explanation: dict[str, Any], reasons: int) -> None:
    base = "" if explanation["base"] is None else f", log-odds without features {explanation['base']:.4f}"
    print(f"{explanation['document']}: {explanation['indexer']}, lowest score {explanation['threshold']:.4f}{base}")
    for candidate in explanation["candidates"]:
        mark = "->" if candidate["chosen"] else "  "
        why = "; ".join(map(_reason, candidate["contributions"][:reasons]))
        print(f"{mark} {candidate['score']:.4f}\t{candidate['identifier']}\t{candidate['entry_term']}\t{why}")
    if not explanation["candidates"]:
        print("no concept could be an index term")


def _reason(item: dict[str, Any]) -> str:
    added = "" if item["contribution"] is None else f" ({item['contribution']:+.2f})"
    return f"{item['feature']} {item['value']:g}{added}"
