"""`nlmchem convert`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem convert article.nxml article.json"


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, folder, glob, archive, or -.")],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="A file (for brat: a folder), or - for standard output.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            help="biocxml, biocjson, jsonl, pubtator, tsv, brat, parquet or conll. [default: by OUT's suffix]"
        ),
    ] = None,
) -> None:
    """Convert articles from any format that is read to any that is written, into one file."""
    from corpora.conversion import convert_into
    from corpora.formats.registry import format_of_suffix

    name = format or format_of_suffix(target)
    done, failed = convert_into(source, Path(target) if target != "-" else None, name, _warn)
    print(f"converted {done} articles, {failed} failed", file=sys.stderr)
    if failed:
        raise typer.Exit(3)


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
