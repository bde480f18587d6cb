"""`nlmchem annotate`: articles into a folder or a file, or one text on the terminal."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import ANNOTATING, Call, Command, Progress, Result, ResultTable
from corpora.commands.options import argument, group, option
from corpora.commands.shared import overwrite_option, read_text, text_option
from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.storage.inputs import STDIN, names_in
from nlmchem.deciding import DECISION_RULES
from nlmchem.engine.commands import answer
from nlmchem.run.options import RunOptions
from nlmchem.run.plan import Configuration, Job
from nlmchem.run.registry import settings_of
from nlmchem.run.step import COMMON, RUNS
from nlmchem.steps.tag import TagOptions

if TYPE_CHECKING:
    from nlmchem.api.results import Article

_PIPED = "`... | nlmchem annotate - -o OUT`"
_PLAIN = "text"
_TEXT_COLUMNS = ("mention", "identifier", "name", "why")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateOptions:
    """The options of `nlmchem annotate`."""

    inputs: tuple[str, ...] | None = argument(
        "Files, folders, glob patterns, archives, or - for standard input.", default=None, metavar="INPUT..."
    )
    files_from: str | None = option(
        None,
        "A file with the names of inputs, one a line or ended by NUL; - for standard input.",
        metavar="FILE",
        in_file=False,
        panel=RUNS,
    )
    out: Path | None = option(
        None,
        "A folder, one file (by the suffix of a format), or - for standard output.",
        short="o",
        in_file=False,
        panel=COMMON,
    )
    overwrite: bool = overwrite_option()
    text: str | None = text_option()
    configuration: Configuration = group(Configuration)
    set: tuple[str, ...] = option(
        (),
        "An option of one step, as tag.min_score=0.9.",
        short="s",
        metavar="STEP.OPTION=VALUE",
        repeat=True,
        in_file=False,
        advanced=True,
    )
    run: RunOptions = group(RunOptions)
    runs: bool = option(False, "Write a run for each tagger, into OUT/NAME.", in_file=False, panel=RUNS, advanced=True)


def annotate(options: AnnotateOptions, progress: Progress) -> Result:
    """Mark chemicals in articles, link them to MeSH, and add index terms.

    If the command is stopped, run it again: it continues where it stopped.
    """
    configuration = options.configuration.but(**settings_of(options.set, options.configuration.steps))
    if options.text is not None:
        return _annotated_text(options, read_text(options.text) or "", configuration, progress)
    given, out = options.inputs or (), options.out
    if given == (STDIN,) and out is None and options.files_from is None:
        return _annotated_text(replace(options, inputs=None), _piped_text(), configuration, progress)
    if STDIN in given and options.files_from == STDIN:
        raise OptionError("files_from", f"is {STDIN}, and an input too; standard input is read once")
    inputs = given if options.files_from is None else (*given, *names_in(options.files_from))
    if not inputs:
        raise ConfigurationError(
            "name the articles (files, folders, - for standard input), or give a ", Argument("text")
        )
    for name in given:
        # Words, or a word.
        is_text = any(map(str.isspace, name)) or name.isalpha()
        if is_text and not os.path.lexists(name) and not next(glob.iglob(name, recursive=True), None):  # noqa: PTH207
            problem = f"no file or folder at {name}; check the path, or give a text with "
            raise ConfigurationError(problem, Argument("text"))
    if out is None:
        raise OptionError("out", "must be given: a folder, a file such as all.json, or - for standard output")
    from nlmchem.engine.runs import annotate_runs, plan_runs, run_into, select_output

    output = select_output(out, configuration.format)
    configuration = configuration.but(format=output.format)
    if output.is_one and options.runs:
        raise OptionError("runs", "writes a folder for each tagger; name a folder with ", Argument("out"))
    if not output.is_one and not out.exists() and out.suffix[1:].isalpha():
        progress(f"{out} becomes a folder, because no format that is written has the suffix {out.suffix}")
    if not options.runs:
        counts = run_into(Job(inputs, configuration.parse(), options.run, progress), output)
        return answer({out: counts}, options.run.quiet, output.run_folder)
    by_name = annotate_runs(inputs, out, plan_runs(configuration), options.run, progress)
    return answer({out / name: counts for name, counts in by_name.items()}, options.run.quiet)


def _annotated_text(options: AnnotateOptions, text: str, configuration: Configuration, progress: Progress) -> Result:
    """The mentions of a text, each once; or its article as JSON or in another format."""
    from nlmchem.api.pipeline import build_pipeline

    if options.inputs:
        raise ConfigurationError("articles are named, and a text is given with ", Argument("text"), "; leave out one")
    # What has no effect on one text is refused: no option is ignored.
    defaults = asdict(RunOptions(quiet=options.run.quiet))
    given = {
        "out": options.out,
        "files_from": options.files_from,
        "runs": options.runs,
    }
    given |= {name: value for name, value in asdict(options.run).items() if value != defaults[name]}
    for name, value in given.items():
        if value:
            rest = f", which prints a table of one text; for a file, pipe the text: {_PIPED}"
            raise OptionError(name, "cannot be used with ", Argument("text"), rest)
    plan, format = configuration.parse(), configuration.format
    pipe = build_pipeline(plan, progress)
    article = pipe(text)
    if format is not None:
        return Result(objects=(article.to_dict(),), lines=_written(article, format, progress), value=article)
    tagging = plan.options(TagOptions)
    has_reasons = tagging is not None and tagging.decision != DECISION_RULES
    reasons = {row.text: row.why for row in pipe.explain(text)} if has_reasons else {}
    mentions = dict.fromkeys((mention.text, mention.identifiers, mention.sieve) for mention in article.mentions)
    rows = []
    for mention, identifiers, sieve in mentions:
        names = " | ".join(article.name_of(identifier) or "-" for identifier in identifiers)
        rows.append((mention, ",".join(identifiers) or "-", names or "-", reasons.get(mention) or sieve or "-"))
    notes = [] if rows else ["no chemical was found"]
    return Result(objects=(article.to_dict(),), table=ResultTable(_TEXT_COLUMNS, rows), notes=notes, value=article)


def _piped_text() -> str:
    """The text of standard input. Raises `OptionError` where it has articles of a format."""
    from corpora.formats.detection import PIPE, sniff
    from corpora.formats.streams import HEAD

    text = sys.stdin.read()
    found = sniff(text[:HEAD].encode("utf-8", "surrogatepass"), PIPE) if text.strip() else _PLAIN
    if found != _PLAIN:
        what = f"must be given, because standard input is {found}: a folder, a file, or - for standard output"
        raise OptionError("out", what)
    return text


def _written(article: Article, format: str, progress: Progress) -> Iterator[str]:
    """The lines of the article in a format. Raises `OptionError` for a format that is no text."""
    from corpora.formats.format import Folder, Header
    from corpora.formats.registry import writable

    writer, stream = writable(format), BytesIO()
    if not isinstance(writer, Folder):
        writer.write([writer.dumps(article, progress)], Header(), stream)
        with suppress(UnicodeDecodeError):
            return iter(stream.getvalue().decode().removesuffix("\n").split("\n"))
    raise OptionError("format", f"is {format}, which is not printed; for a file, pipe the text: {_PIPED}")


ANNOTATE = Command(
    "annotate",
    AnnotateOptions,
    annotate,
    Call({"inputs": ["articles/"], "out": "annotated/", "workers": 4}),
    config="annotate",
    writes_folder_without_suffix=True,
    has_panels=True,
    heading=ANNOTATING,
)
