"""`nlmchem view`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem view annotated/ --gold gold/ -o report.html"


def view(
    source: Annotated[
        str, typer.Argument(metavar="ANNOTATED", help="An annotated article, or a folder, glob or archive of them.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The page; for several articles the index, their pages beside it.")
    ],
    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold standard of the same articles, shown side by side.")
    ] = None,
    lexicon: Annotated[
        str | None,
        typer.Option("--lexicon", help="Lexicon for names of concepts. [default: the starter lexicon]"),
    ] = None,
) -> None:
    """Show annotated articles as pages for a browser: mentions, concepts, abbreviations, index terms."""
    from nlmchem.report.view import write_views
    from sieves.lexicon.lexicon import Lexicon

    names = Lexicon.open(lexicon)

    def preferred(identifier: str, name: str) -> str | None:
        return next((match.preferred_name for match in names.lookup(name) if match.identifier == identifier), None)

    number = write_views(source, out, gold, preferred, _warn)
    print(f"{number} articles shown in {out}", file=sys.stderr)


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
