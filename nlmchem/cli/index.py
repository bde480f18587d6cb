"""`nlmchem index list|explain`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nlmchem.cli.groups import group
from nlmchem.cli.shared import AsOfOption, JsonLinesOption, LexiconOption
from nlmchem.progress import warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bioc import BioCDocument

app = group("List the index terms of annotated articles, or explain them.", default="list")

LIST_EXAMPLE = "Example: nlmchem index list annotated/ > terms.tsv"
EXPLAIN_EXAMPLE = "Example: nlmchem index explain annotated/guard-cells.xml --lexicon mesh.sqlite"

AnnotatedFiles = Annotated[
    list[str],
    typer.Argument(metavar="ANNOTATED...", help="Annotated articles: files, folders, glob patterns or archives."),
]


@app.command("list", epilog=LIST_EXAMPLE)
def list_terms(annotated: AnnotatedFiles, as_json: JsonLinesOption = False) -> None:
    """List the index terms of annotated articles, best first: a TSV table with one line for each term."""
    from indexing.terms.listing import json_lines, tsv_lines

    documents = _documents(annotated)
    for line in json_lines(documents) if as_json else tsv_lines(documents):
        print(line)


@app.command("explain", epilog=EXPLAIN_EXAMPLE)
def explain(
    article: AnnotatedFiles,
    indexer: Annotated[
        str | None,
        typer.Option(
            help="default, title-abstract, rules, tfidf, or the path of a model (.json). [default: the embedded model]"
        ),
    ] = None,
    index_threshold: Annotated[
        float | None, typer.Option(help="Lowest score of an index term. [default: the indexer's own]")
    ] = None,
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    reasons: Annotated[int, typer.Option(help="Number of features shown for each concept.", min=0)] = 5,
    as_json: JsonLinesOption = False,
) -> None:
    """Show which concepts of an article become index terms, and what each feature adds to the log-odds.

    Use the lexicon and the year that the article was annotated with.
    """
    from indexing.terms.listing import explain as explained
    from indexing.terms.registry import open_indexer
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon, as_of) as concepts:
        opened = open_indexer(indexer, concepts, index_threshold)
        for document in _documents(article):
            explanation = explained(document, opened)
            if as_json:
                print(json.dumps(explanation, ensure_ascii=False))
            else:
                _print(explanation, reasons)


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
        print("no mention has a concept; annotate the article with --steps tag,normalize first")


def _reason(item: dict[str, Any]) -> str:
    added = "" if item["contribution"] is None else f" ({item['contribution']:+.2f})"
    return f"{item['feature']} {item['value']:g}{added}"
