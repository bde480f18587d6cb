"""Runs as commands ask for them: into a folder, into one output for all inputs, or a run for each of several taggers.

A run into one output works in a run folder, so that a killed run continues where it stopped. For a file this folder is
beside it (`.NAME.run`); it is removed when every article is done. For standard output it is temporary.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from corpora import writing
from corpora.commands.command import Logged, Progress
from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.formats import registry
from corpora.formats.format import Folder
from corpora.output_names import run_names
from corpora.reporting import for_terminal
from corpora.storage import inputs as storage
from corpora.storage import locks
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.run import RunFolder
from nlmchem.engine.runner import annotate_folder, check_outputs
from nlmchem.run.options import RunOptions
from nlmchem.run.plan import DEFAULT_FORMAT, Configuration, Job, Plan
from nlmchem.steps.shared import CPU, without_use
from nlmchem.steps.tag import OF_MODELS, TagOptions
from nlmchem.tagging.models.folders import LEXICON

STDOUT = "-"
MODEL = "model"
"""The last folder of a trained model's path. The folder above it identifies the model."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where the results go: a folder with an output for each input, one file, or standard output (`path` None)."""

    path: Path | None
    format: str
    is_one: bool

    @property
    def is_stream(self) -> bool:
        """Whether it is standard output, a pipe or a device, such as /dev/stdout."""
        return self.path is None or (self.path.exists() and not self.path.is_file() and not self.path.is_dir())

    @property
    def run_folder(self) -> Path | None:
        """The folder of a run into one file; None for a folder, and for a stream, where it is temporary."""
        if self.path is None or self.is_stream or not self.is_one:
            return None
        return self.path.with_name(f".{self.path.name}.run")


def select_output(out: Path, format: str | None) -> Output:
    """The output that `out` and `format` (None: not given) name.

    `-` is standard output. A name with the suffix of a format is one file in this format. Any other name is a folder.
    Raises `ConfigurationError` for an unknown format, a suffix and a format that contradict each other, a file where a
    folder is needed or the reverse, and a new name with the suffix of another kind of file (`DOCUMENTS`).
    """
    if os.fsencode(out).decode(errors="replace") != str(out):
        raise ConfigurationError(f"the name of the output, {os.fsencode(out)!r}, is not UTF-8; use another name")
    format = None if format is None else registry.canonical(format)
    if str(out) == STDOUT:
        output = Output(None, format or DEFAULT_FORMAT, True)
    elif _is_file_name(out):
        try:
            selected = registry.format_of_suffix(out.name)
        except ConfigurationError:
            # A suffix such as .txt, which no format is written with.
            if format is None:
                raise
            selected = format
        if format is not None and out.name.lower().removesuffix(".gz").endswith(registry.named(format).suffixes):
            selected = format
        elif format not in (None, selected):
            what = f"is {out}, which selects the format {selected}, but "
            raise OptionError("out", what, Argument("format"), f" is {format}; leave out one of them")
        output = Output(out, selected, True)
    else:
        writing.refuse_documents(out)
        output = Output(out, format or DEFAULT_FORMAT, False)
        if out.exists() and not out.is_dir():
            raise ConfigurationError(f"{out} is a file; name a folder, or a new file with the suffix of a format")
    kind = registry.named(output.format)
    if not kind.stores_mentions:
        raise ConfigurationError(f"{out} selects {kind.title}, which stores no annotations; name another format")
    return _checked(output)


def select_conversion(source: str, out: str, format: str | None) -> Output:
    """The output of a conversion: a folder if `out` exists as one, ends in `/`, or has no suffix of a format while
    `source` is a folder. Formats that write a folder, such as brat, write all articles into one.

    Raises `ConfigurationError` as `select_output` does, and for a folder without a format.
    """
    path = Path(out)
    if out == STDOUT:
        return _checked(Output(None, registry.format_of_suffix(out) if format is None else format, True))
    is_folder_format = format is not None and isinstance(registry.writable(format), Folder)
    if is_folder_format or _is_file_name(path):
        return _checked(Output(path, format or registry.format_of_suffix(out), True))
    if not path.is_dir() and not out.endswith("/"):
        writing.refuse_documents(path)
    if not (path.is_dir() or out.endswith("/") or Path(source).is_dir()):
        return _checked(Output(path, format or registry.format_of_suffix(out), True))
    if format is None:
        raise ConfigurationError(f"{out} is a folder; name the format of its files with ", Argument("format"))
    return Output(path, format, False)


def _checked(output: Output) -> Output:
    """Raises `ConfigurationError` for a format that cannot be written, or not to this output."""
    writer = registry.writable(output.format)
    if output.is_one:
        writing.check_target(writer, output.path)
    return output


def _is_file_name(out: Path) -> bool:
    plain = Path(out.name[:-3]) if out.name.lower().endswith(".gz") else out
    return plain.suffix.lower() in registry.suffixes()


def run_into(job: Job, output: Output) -> ArticleCounts:
    """Annotate all inputs into an output, as `annotate_folder` does for a folder; raises as it does.

    One output has all articles in the order of their paths; failed articles are missing in it. Where articles failed,
    the run folder stays with their quarantine.
    """
    path = output.path
    if not output.is_one:
        assert path is not None
        return annotate_folder(job, path)
    if job.plan.files.per_file is not None:
        raise OptionError("per_file", "writes numbered parts into a folder; name a folder with ", Argument("out"))
    if job.options.shard.of > 1:
        raise OptionError("shard", "divides the files of a folder; name a folder with ", Argument("out"))
    if path is None or output.is_stream:
        with tempfile.TemporaryDirectory(prefix="nlmchem-") as name:
            result = Path(name) / "result"
            counts = annotate_folder(job, Path(name) / "run", one_output=result)
            standard = nullcontext(sys.stdout.buffer)
            with result.open("rb") as written, standard if path is None else path.open("wb") as opened:
                stream = for_terminal(opened)
                shutil.copyfileobj(written, stream, 1 << 20)
                stream.flush()
        return counts
    if path.is_file():
        place = os.path.realpath(path)
        files = (file.path for file in storage.expand(job.inputs) if file.path != storage.STDIN)
        if any(os.path.realpath(file) == place for file in files):
            raise ConfigurationError(f"{path} is the output and one of the inputs; choose another name for the output")
    folder = output.run_folder
    assert folder is not None
    with locks.hold(path), locks.hold(folder):
        run_folder = RunFolder(folder, job.options.shard)
        if not run_folder.state.exists() and run_folder.has_files_of_others():
            raise ConfigurationError(f"{folder} exists, and nlmchem did not write it; move it away")
        counts = annotate_folder(job, folder, path if path.is_dir() else folder, path)
        if not counts.failed and not run_folder.has_files_of_others():
            shutil.rmtree(folder)
    return counts


# -- a run for each tagger ----------------------------------------------------------------------


def plan_runs(configuration: Configuration) -> dict[str, Plan]:
    """A plan for each tagger of a configuration, by the name of its folder. Raises as `Configuration.parse` does."""
    plan = configuration.parse()
    tag = plan.options(TagOptions)
    if tag is None:
        what = "makes one run for each tagger, but the steps do not contain tag; add tag to "
        raise OptionError("runs", what, Argument("steps"))
    names = tag.tagger.split(",")
    others = [chosen for chosen in plan.chosen if chosen.options is not tag]
    device = CPU if without_use(tag.device, others) else tag.device
    plans: dict[str, Plan] = {}
    for name, tagger in zip(folder_names(names), names, strict=True):
        # The lexicon tagger gets no options of models, and the device of the steps without the tagger.
        more = {"device": device, **{one.name: one.default for one in OF_MODELS}} if tagger == LEXICON else {}
        plans[name] = configuration.but(tagger=tagger, **more).parse()
    for run in plans.values():
        run.resources()
    return plans


def annotate_runs(
    inputs: Sequence[str],
    out: Path,
    plans: Mapping[str, Plan],
    options: RunOptions | None = None,
    progress: Progress = Logged(),  # noqa: B008 (it has no state)
) -> dict[str, ArticleCounts]:
    """Annotate the same inputs by each plan, one after another, into OUT/NAME.

    Returns the counts by name. Raises the errors of `annotate_folder`; those of all runs before the first one begins.
    """
    jobs = {out / name: Job(inputs, plan, options or RunOptions(), progress) for name, plan in plans.items()}
    for folder, job in jobs.items():
        check_outputs(job, folder)
    return {folder.name: annotate_folder(job, folder, exclude=out) for folder, job in jobs.items()}


def folder_names(taggers: Sequence[str]) -> list[str]:
    """The name of the output folder of each tagger, such as `seed-1-fold-0` (see `corpora.output_names`).

    Raises `ConfigurationError` if a tagger is given twice or two would have the same folder.
    """
    folders = []
    for tagger in taggers:
        path = Path(tagger)
        folders.append(str(path.parent) if path.name == MODEL and len(path.parts) > 1 else tagger)
    names = [name.replace("/", "-") for name in run_names(folders)]
    if len(set(names)) < len(names):
        raise ConfigurationError("two taggers would write to the same folder; rename the folder of one")
    return names
