"""`nlmchem convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corpora.reporting import warn
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import FormatOption

EXAMPLE = "Example: nlmchem convert article.nxml article.json"


def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A file, folder, glob pattern or archive, or - for standard input."),
    ],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="A file (for brat: a folder), or - for standard output.")
    ],
    format: FormatOption = None,
) -> None:
    """Convert articles to another format. All articles are written into one file."""
    from corpora.conversion import convert_into
    from corpora.formats.registry import format_of_suffix

    name = format or format_of_suffix(target)
    done, failed = convert_into(source, Path(target) if target != "-" else None, name, warn)
    warn(f"{done} articles converted, {failed} failed")
    if failed:
        raise typer.Exit(INCOMPLETE)
