"""`nlmchem abbreviations`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem abbreviations articles/ --json > abbreviations.jsonl"


def abbreviations(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="INPUT...", help="Files, folders, globs, archives, or - for standard input."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each definition, one a line.")
    ] = False,
) -> None:
    """List the abbreviations that articles define: short form, long form, strategy, score, offsets; one line each."""
    from nlmchem.abbreviations.article.output import lines

    articles, failed = 0, 0
    for outcome in lines(inputs, as_json, _warn):
        articles += outcome.articles
        failed += outcome.failed
        for line in outcome.lines:
            print(line)
    print(f"{articles} articles read, {failed} failed", file=sys.stderr)
    if failed:
        raise typer.Exit(3)


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
