"""`nlmchem abbreviations`."""

from __future__ import annotations

import typer

from corpora.reporting import warn
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import InputsArgument, JsonLinesOption

EXAMPLE = "Example: nlmchem abbreviations articles/ --json > abbreviations.jsonl"


def abbreviations(inputs: InputsArgument, as_json: JsonLinesOption = False) -> None:
    """List the abbreviations that articles define.

    Each line contains document, short form, long form, strategy, score and offsets.
    """
    from nlmchem.abbreviations.article.output import COLUMNS, lines

    if not as_json:
        print("\t".join(COLUMNS))
    articles, failed = 0, 0
    for outcome in lines(inputs, as_json, warn):
        articles += outcome.articles
        failed += outcome.failed
        for line in outcome.lines:
            print(line)
    warn(f"{articles} articles read, {failed} failed")
    if failed:
        raise typer.Exit(INCOMPLETE)
