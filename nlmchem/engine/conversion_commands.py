"""`nlmchem convert`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from corpora.commands.call import Call
from corpora.commands.command import STANDARD_OUTPUT, Command, execute
from corpora.commands.options import argument, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result
from corpora.commands.shared import overwrite_option
from corpora.errors import OptionError
from corpora.formats.options import format_option
from nlmchem.engine.commands import answer
from nlmchem.engine.options import RunOptions
from nlmchem.run.files import FileOptions
from nlmchem.run.step import COMMON


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    """The options of `nlmchem convert`."""

    source: str = argument("A file, folder, glob pattern or archive, or - for standard input.", metavar="IN")
    target: str | None = argument(
        "One file for all articles (for brat: a folder); a folder with one output for each input file, which needs "
        "`format`; or - for standard output.",
        default=None,
        metavar="OUT",
    )
    out: str | None = option(None, "OUT, by its flag.", short="o", metavar="OUT", panel=COMMON)
    format: str | None = format_option()
    files: FileOptions = group(FileOptions)
    run: RunOptions = group(RunOptions)
    overwrite: bool = overwrite_option()


def convert(options: ConvertOptions, progress: Progress) -> Result:
    """Convert articles to another format.

    OUT is a folder if it exists as one, ends with /, or has no suffix of a format while IN is a folder. If the command
    is stopped, run it again: it continues where it stopped.
    """
    from nlmchem.engine.targets import run_into, select_conversion
    from nlmchem.run.plan import Plan

    if (options.target is None) == (options.out is None):
        problem = "must be given: the output, by its place or by the flag"
        if options.target is not None:
            problem = f"is given twice: {options.target} and {options.out}; leave out one of them"
        raise OptionError("out", problem)
    if options.out is None:
        # With the checks of an output that is given by its flag.
        return execute(CONVERT, replace(options, target=None, out=options.target), progress)
    output = select_conversion(options.source, options.out, options.format)
    plan = Plan.of_conversion(output.format, options.files)
    counts = run_into([options.source], output, plan, options.run)
    out = STANDARD_OUTPUT if output.path is None or output.is_stream else output.path
    return answer({out: counts}, options.run.quiet, output.run_folder)


CONVERT = Command(
    "convert", ConvertOptions, convert, Call({"source": "article.nxml", "out": "article.json"}), has_panels=True
)
