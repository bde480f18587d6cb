"""`nlmchem convert`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from corpora.errors import ConfigurationError, OptionError
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import (
    ExcludeOption,
    FormatOption,
    IncludeOption,
    JsonOption,
    LinesOption,
    OffsetsOption,
    QuietOption,
    WithAbbreviationsOption,
)
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem convert article.nxml -o article.json"


def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A file, folder, glob pattern or archive, or - for standard input."),
    ],
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="OUT",
            help="One file for all articles (for brat: a folder); a folder with one output for each input file, which "
            "needs --format; or - for standard output.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="OUT", help="OUT, by its flag.")] = None,
    format: FormatOption = None,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    lines: LinesOption = False,
    offsets: OffsetsOption = None,
    with_abbreviations: WithAbbreviationsOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Convert articles to another format.

    OUT is a folder if it exists as one, ends with /, or has no suffix of a format while IN is a folder.
    """
    from corpora.conversion import convert_each, convert_into, is_folder
    from corpora.formats.registry import format_of_suffix
    from corpora.storage.selection import Selection

    if (target is None) == (out is None):
        problem = "must be given: the output, by its place or by the flag"
        if target is not None:
            problem = f"is given twice: {target} and {out}; leave out one of them"
        raise OptionError("out", problem)
    target = target or out or "-"
    if as_json and target == "-":
        raise ConfigurationError("--json prints on standard output, where the articles are written; name a file")
    selection = Selection(tuple(include or ()), tuple(exclude or ()), lines, offsets)
    if is_folder(source, target, format):
        if format is None:
            raise ConfigurationError(f"{target} is a folder; name the format of its files with --format")
        done, failed = convert_each(source, Path(target), format, warn, selection, with_abbreviations)
    else:
        name = format or format_of_suffix(target)
        done, failed = convert_into(
            source, Path(target) if target != "-" else None, name, warn, selection, with_abbreviations
        )
    if as_json:
        print(json.dumps({"converted": done, "failed": failed, "out": target}))
    elif failed or not quiet:
        warn(f"{done} articles converted, {failed} failed")
    if failed:
        raise typer.Exit(INCOMPLETE)
