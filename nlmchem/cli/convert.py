"""`nlmchem convert`."""

from __future__ import annotations

from typing import Annotated

import typer

from corpora.errors import ConfigurationError, OptionError
from nlmchem.cli.annotate import finish_output
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import FormatOption, JsonOption, LinesOption, WithAbbreviationsOption
from nlmchem.engine.options import RunOptions

EXAMPLE = "Example: nlmchem convert article.nxml -o article.json"


@expand_options
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
    *,
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="OUT", help="OUT, by its flag.")] = None,
    format: FormatOption = None,
    lines: LinesOption = False,
    with_abbreviations: WithAbbreviationsOption = False,
    run: RunOptions,
    as_json: JsonOption = False,
) -> None:
    """Convert articles to another format.

    OUT is a folder if it exists as one, ends with /, or has no suffix of a format while IN is a folder. If the command
    is stopped, run it again: it continues where it stopped.
    """
    from nlmchem.engine.targets import run_into, select_conversion
    from nlmchem.run.plan import Plan

    if (target is None) == (out is None):
        problem = "must be given: the output, by its place or by the flag"
        if target is not None:
            problem = f"is given twice: {target} and {out}; leave out one of them"
        raise OptionError("out", problem)
    output = select_conversion(source, target or out or "-", format)
    if as_json and output.path is None:
        raise ConfigurationError("--json prints on standard output, where the articles are written; name a file")
    plan = Plan.of_conversion(output.format, lines, with_abbreviations)
    finish_output(output, run_into([source], output, plan, run), as_json, run.quiet)
