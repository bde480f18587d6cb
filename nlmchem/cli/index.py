"""`nlmchem index list|explain`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bioc import BioCDocument

__all__ = ["app"]

app = typer.Typer(
    help="Index terms: list those of annotated articles, explain those of one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

LIST_EXAMPLE = "Example: nlmchem index list annotated/ > terms.tsv"
EXPLAIN_EXAMPLE = "Example: nlmchem index explain annotated/guard-cells.xml --lexicon mesh.sqlite"

AnnotatedFiles = Annotated[
    list[str], typer.Argument(metavar="ANNOTATED...", help="Annotated articles: files, folders, globs, archives.")
]


@app.command("list", epilog=LIST_EXAMPLE)
def list_terms(
    annotated: AnnotatedFiles,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each article, one a line.")] = False,
) -> None:
    """List the index terms of annotated articles, ranked: a table with a line for each, and nothing else."""
    from indexing.listing import json_lines, tsv_lines

    documents = _documents(annotated)
    for line in json_lines(documents) if as_json else tsv_lines(documents):
        print(line)


@app.command("explain", epilog=EXPLAIN_EXAMPLE)
def explain(
    article: AnnotatedFiles,
    indexer: Annotated[
        str | None, typer.Option(help="default, title-abstract, rules, tfidf, or the path of a model (.json).")
    ] = None,
    index_threshold: Annotated[
        float | None, typer.Option(help="Least score of an index term. [default: the indexer's own]")
    ] = None,
    lexicon: Annotated[
        Path | None, typer.Option("--lexicon", help="The lexicon that the article was annotated with.")
    ] = None,
    as_of: Annotated[int | None, typer.Option("--as-of", help="The MeSH year that it was annotated with.")] = None,
    reasons: Annotated[int, typer.Option(help="Features that are told for each candidate.", min=0)] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each article, one a line.")] = False,
) -> None:
    """Say of every concept of an article whether it is an index term, and what each feature adds to its log-odds."""
    from indexing.explain import explain as explained
    from indexing.registry import open_indexer
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon, as_of) as concepts:
        opened = open_indexer(indexer, concepts, index_threshold)
        for document in _documents(article):
            told = explained(document, opened)
            if as_json:
                print(json.dumps(told, ensure_ascii=False))
            else:
                _print(told, reasons)


def _documents(sources: list[str]) -> Iterator[BioCDocument]:
    from corpora.reading import read

    return read(sources, report=_warn)


def _print(told: dict[str, Any], reasons: int) -> None:
    base = "" if told["base"] is None else f", log-odds before any feature {told['base']:.4f}"
    print(f"{told['document']}: {told['indexer']}, least score {told['threshold']:.4f}{base}")
    for candidate in told["candidates"]:
        mark = "->" if candidate["chosen"] else "  "
        why = "; ".join(map(_reason, candidate["contributions"][:reasons]))
        print(f"{mark} {candidate['score']:.4f}\t{candidate['identifier']}\t{candidate['entry_term']}\t{why}")
    if not told["candidates"]:
        print("no mention has a concept; annotate the article with --steps tag,normalize first")


def _reason(item: dict[str, Any]) -> str:
    added = "" if item["contribution"] is None else f" ({item['contribution']:+.2f})"
    return f"{item['feature']} {item['value']:g}{added}"


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
