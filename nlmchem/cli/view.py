"""`nlmchem view`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nlmchem.cli.shared import JsonOption, LexiconOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem view annotated/ --gold gold/ -o report.html"


def view(
    source: Annotated[
        str,
        typer.Argument(
            metavar="ANNOTATED", help="Annotated articles: a file, or a folder, glob pattern or archive of files."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="HTML file. For several articles it is the index of one page for each."),
    ],
    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold standard of the same articles, shown beside the annotations.")
    ] = None,
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show annotated articles in a browser: mentions, concepts, abbreviations and index terms.

    --json prints the pages with the counts and scores of their articles.
    """
    from nlmchem.report.view.articles import write_views
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as names:

        def preferred(identifier: str, name: str) -> str | None:
            known = any(match.identifier == identifier for match in names.lookup(name))
            return names.preferred_name(identifier) if known else None

        written = write_views(source, out, gold, preferred, warn)
    if as_json:
        print(json.dumps(written.as_dict()))
    else:
        pages = f" and {len(written)} pages in {written.folder}, which belong together" if written.folder else ""
        print(f"wrote {written.index}{pages}; open {written.index} in a browser")
