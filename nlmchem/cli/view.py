"""`nlmchem view`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corpora.reporting import warn
from nlmchem.cli.shared import LexiconOption

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
) -> None:
    """Show annotated articles in a browser: mentions, concepts, abbreviations and index terms."""
    from nlmchem.report.view import write_views
    from sieves.lexicon.lexicon import Lexicon

    names = Lexicon.open(lexicon)

    def preferred(identifier: str, name: str) -> str | None:
        return next((match.preferred_name for match in names.lookup(name) if match.identifier == identifier), None)

    number = write_views(source, out, gold, preferred, warn)
    warn(f"{number} articles shown in {out}")
