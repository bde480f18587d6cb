"""Registers the input files of a run before any work, and gives the sources in them the names of their outputs.

Before the work, names are compared as the listing has them, and only files that would have one output are opened.
Each file is opened when its turn comes; a member of an archive whose name cannot be used then fails alone. A file that
an earlier run has done, and that is as it was, need not be opened.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from corpora import output_names, reading
from corpora.errors import Argument, ConfigurationError, shortened
from corpora.formats import registry
from corpora.reading import Unclaimed
from corpora.storage import inputs, pmc_files, standoff
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member
from corpora.storage.owned_files import FileState
from corpora.storage.pmc_files import Beside
from corpora.words.quantities import quantity
from nlmchem.engine.database import FileRow
from nlmchem.engine.run import Run
from nlmchem.engine.tasks import Source

_RESERVED = re.compile(r"quarantine|manifest(-\d+-of-\d+)?\.json|\.nlmchem(-\d+-of-\d+)?")

LONGEST_NAME = 230
"""Bytes of a file name. File systems allow 255; temporary files and the quarantine add a suffix."""
LONGEST_PATH = 4000
"""Bytes of the path of an output. Systems allow 4,096; temporary files and the quarantine add folders and suffixes."""
CHUNK = 500
"""Files that are looked at together for earlier results; what is found is recorded in one transaction."""


def stamp(file: InputFile) -> str | None:
    """Size and times of an input file; None where it is missing or, like a pipe, can be read only once.

    The time of the last change of the inode is included: a copy with an old date is a change, and so are new
    permissions. An input that consists of several files has the sizes and times of all.
    """
    try:
        others = (*standoff.annotations_of(file.path), *pmc_files.metadata_files(file.path))
        facts = [path.stat() for path in (Path(file.path), *others)]
    except OSError:
        return None
    if file.path == inputs.STDIN or not all(stat.S_ISREG(fact.st_mode) for fact in facts):
        return None
    return ":".join(f"{fact.st_size}:{fact.st_mtime_ns}:{fact.st_ctime_ns}" for fact in facts)


def output_of(member: Member, suffix: str) -> PurePosixPath:
    """The output path of a file or member. The rest of a broken archive has a name beside its members' outputs."""
    output = output_names.output_of(member, suffix)
    return output.with_name(output.name + ".rest") if member.is_rest else output


class OutputNames:
    """The output names of the sources of one input, in the order of its members.

    A file or member whose name cannot be used gets a name in a folder `*.refused` of its input, and a fault: the input
    may come from others, so it must not end the run. Only digests are kept, for archives of many members.
    """

    def __init__(self, run: Run, file: InputFile) -> None:
        self._run = run
        self._file = file
        self._outputs: set[bytes] = set()
        self._folders: set[bytes] = set()
        self._refused = 0

    def of(self, member: Member) -> tuple[PurePosixPath, str | None]:
        """The output path of a member, and why its name cannot be used (None: it can)."""
        output = output_of(member, self._run.suffix)
        is_one = self._run.one_output is not None
        if is_one:
            # Of two members `a.xml` and `a.json`, both are read.
            output = member.relative.with_name(member.relative.name + self._run.suffix)
        is_file = member.is_rest or (output, False) == output_names.expected_output(self._file, self._run.suffix)
        fault = self._file.fault or name_fault(self._run, output)
        if fault is None and not is_file:
            # `register` has compared the names of files.
            fault = self._fault(output)
        if fault is None:
            if not is_file:
                self._outputs.add(_digest(output))
                self._folders.update(map(_digest, output.parents))
            return output, None
        self._refused += 1
        name = f"{self._refused}-{output.name.encode()[:100].decode(errors='ignore')}"
        # Of the same length for every input: its own path may be too long.
        place = PurePosixPath(f"{_digest(self._file.relative).hex()}.refused") / name
        # Where all inputs have one output, the user does not see these names.
        return place, self._file.fault if is_one else fault

    def _fault(self, output: PurePosixPath) -> str | None:
        again = "so it was not read; pack the archive again"
        digest = _digest(output)
        if digest in self._outputs:
            return f"another member has the same name (or the same output, {output}), {again} without duplicates"
        if digest in self._folders or any(_digest(folder) in self._outputs for folder in output.parents):
            return f"its output {output} would be a file and a folder, {again} with other names"
        if self._run.ledger.has_other(self._file.path, output):
            return f"another input has the same output, {output}, so it was not read; rename the file"
        return None if self._run.writes_parts else place_fault(self._run, output)


def name_fault(run: Run, output: PurePosixPath) -> str | None:
    """Why an output cannot have a name; None if it can."""
    would = f"the output would be {shortened(str(output), 300)}, "
    if _RESERVED.fullmatch(output.parts[0]):
        return f"{would}a name that is reserved for the run; rename the input"
    if any(len(part.encode("utf-8", "surrogateescape")) > LONGEST_NAME for part in output.parts):
        return f"{would}which is longer than {LONGEST_NAME} bytes; rename the input"
    if len(os.fsencode(run.out / output)) + len(output.parts) > LONGEST_PATH:
        return f"{would}and its path is longer than {LONGEST_PATH} bytes; use shorter names of folders"
    return None


def place_fault(run: Run, output: PurePosixPath) -> str | None:
    """Why nothing must be written at the place of an output; None if it may be."""
    for folder in output.parents[:-1]:
        if (run.out / folder).is_symlink():
            return f"{run.out / folder} is a link, and no output is written to links; remove it"
    if run.ledger.inputs.contains(os.path.realpath(run.out / output)):
        return f"the output {run.out / output} would overwrite an input; choose another output folder"
    if run.files.is_foreign(output):
        return f"the output {run.out / output} exists, and nlmchem did not write it; {_AWAY}"
    return None


_AWAY = "move it away, or choose another output folder"


def change_fault(run: Run, output: PurePosixPath) -> str | None:
    """Why the output of an earlier run must not be written again: it was changed by hand. None if it may be."""
    if run.files.state_of(output) is not FileState.CHANGED:
        return None
    return f"its output {run.out / output} was changed after nlmchem wrote it, and is kept; {_AWAY}"


def _check_run_files(run: Run) -> None:
    """Raise `ConfigurationError` where the folder has a manifest or a quarantine that this run did not write."""
    manifest = PurePosixPath(run.folder.manifest.name)
    if run.files.state_of(manifest) in (FileState.FOREIGN, FileState.CHANGED):
        what = "and nlmchem did not write it" if run.files.is_foreign(manifest) else "and was changed by hand"
        raise ConfigurationError(f"{run.folder.manifest} exists, {what}; {_AWAY}")
    quarantine = run.folder.quarantine
    # Shards share one quarantine.
    is_first = run.files.is_new() and not run.folder.siblings()
    if os.path.lexists(quarantine) and (not quarantine.is_dir() or (is_first and any(quarantine.iterdir()))):
        raise ConfigurationError(f"{quarantine} exists, and nlmchem did not write it; {_AWAY}")


def _digest(path: PurePosixPath) -> bytes:
    return hashlib.blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=12).digest()


def by_full_path(file: InputFile) -> InputFile:
    """The same input with its whole path as place under the output, so that no two inputs share an output name."""
    if inputs.is_pipe(file.path):
        return file
    return replace(file, relative=PurePosixPath(*Path(os.path.abspath(file.path)).parts[1:]))  # noqa: PTH100


def opened_sources(
    run: Run, file: InputFile, unclaimed: Unclaimed | None = None
) -> Iterator[tuple[PurePosixPath, reading.OpenInput]]:
    """The sources of a file that a format claims, each open, with their outputs.

    An archive that is broken after some members has one more source, its rest. `unclaimed` receives the others, as far
    as they belong to this shard.
    """
    if file.path in run.clashes.forms:
        return
    file = run.clashes.apply(file)
    names = OutputNames(run, file)
    for opened in reading.sources([file], run.selection):
        if (reason := opened.unclaimed()) is not None:
            if unclaimed is not None and run.options.shard.holds(output_of(opened.member, run.suffix)):
                # A file without a known format, such as a PDF, with the name of an article in the inputs.
                path = Path(opened.member.file.path)
                others = (path.with_suffix(suffix) for suffix in registry.suffixes() if suffix != path.suffix)
                if opened.member.name is None and any(
                    other.exists() and run.ledger.inputs.contains(os.path.realpath(other)) for other in others
                ):
                    run.unread.add(Beside(1))
                else:
                    unclaimed.add(str(opened.member), reason)
            continue
        output, fault = names.of(opened.member)
        yield output, opened if fault is None else replace(opened, member=replace(opened.member, fault=fault))


def register(run: Run, files: Iterable[InputFile]) -> int:
    """Write the input files of this run to the ledger. Returns their size in bytes.

    Raises `ConfigurationError` where there are none, where two inputs have the same output although their suffixes are
    kept, or where nothing must be written at the output of a file of this shard. A file that cannot have its name fails
    when its turn comes. Call within a transaction.
    """
    if not run.ledger.inputs.replace(map(row_of, files)):
        raise ConfigurationError("there are no files in the inputs; name files, folders, globs or archives")
    for name in dict.fromkeys(run.job.inputs) if not run.options.quiet else ():
        if Path(name).is_dir() and not run.ledger.inputs.has_below(os.path.realpath(name)):
            run.job.progress(f"the folder {name} has no file that is read; if it is on another disk, connect that disk")
    number, example = run.ledger.inputs.repeated()
    if number:
        run.job.progress(
            f"{quantity(number, 'input is a link to a file that is', 'inputs are links to files that are')} "
            f"read anyway, for example {example}; each is read once"
        )
    run.clashes = output_names.find_clashes(run.ledger.inputs.files, run.suffix, run.selection)
    if run.clashes.left is not None:
        output, (first, *others) = run.clashes.left
        names = " and ".join(file.path for file in (first, *others))
        raise ConfigurationError(
            f"{names} would both be written to {output}; rename one, or annotate them into different folders"
            if others
            else f"{first.path}: {output} would be the name of an output and of a folder; rename one input"
        )
    if run.clashes.sentence and run.one_output is None and not run.options.quiet:
        run.job.progress(run.clashes.sentence)
    _check_run_files(run)
    size = 0
    for file in run.clashes.of(run.ledger.inputs.files()):
        size += file.size()
        output, is_archive = output_names.expected_output(file, run.suffix)
        if not is_archive and run.options.shard.holds(output):
            is_written = not file.fault and not run.writes_parts and not name_fault(run, output)
            fault = place_fault(run, output) if is_written else None
            if fault is not None and output_names.is_read(file, run.selection):
                raise ConfigurationError(f"{file.path}: {fault}")
    return size


def no_sources(run: Run) -> ConfigurationError | None:
    """The error for inputs without any source; None where all of them belong to other shards."""
    if (skipped := run.unclaimed).number:
        first = f"no input has a format that is read; the first, {skipped.first[0]}: "
        return ConfigurationError(first, skipped.reason)
    if run.selection.include or run.selection.exclude:
        select = " select none of the files in the inputs; check the patterns"
        return ConfigurationError(Argument("include"), " and ", Argument("exclude"), select)
    return None


def row_of(file: InputFile) -> FileRow:
    """The row of a file in the ledger, which stores UTF-8."""
    place = file.path if file.path == inputs.STDIN else os.path.realpath(file.path)
    row = place, file.path, str(file.relative)
    beside = file.beside.forms, file.beside.versions, file.beside.json
    try:
        "".join(row).encode()
    except UnicodeEncodeError:
        fault = f"the file name {os.fsencode(file.path)!r} is not UTF-8; rename the file"
        escaped = tuple(os.fsencode(text).decode(errors="backslashreplace") for text in row)
        return escaped[0], escaped[1], escaped[2], fault, *beside
    return *row, file.fault, *beside


# -- what earlier runs have done ----------------------------------------------------------------


def kept_files(run: Run, files: Sequence[InputFile]) -> frozenset[str]:
    """The paths of the files that need not be opened; their sources become those of this run. Counts what is beside.

    An increment finds out about millions of files whether they changed, so this takes one look at each: its size and
    times and the rows of the ledger. All other files are opened, and their articles compared.
    """
    options = run.options
    # These decide by names of members or by metadata: the file must be opened.
    is_selective = options.include or options.exclude or options.licence or options.exclude_retracted
    if is_selective or options.retry_failed:
        return frozenset()
    done: dict[str, Source] = {}
    ledger = run.ledger
    for file in run.clashes.of(files):
        if (row := ledger.done_source(file.path)) is None:
            continue
        source, then = row
        output, is_archive = output_names.expected_output(file, run.suffix)
        if is_archive or source.output != output or then is None or then != stamp(file):
            continue
        if ledger.tally(source.id)[0] and not run.outputs.exists(source):
            continue
        done[file.path] = source
        beside = file.beside
        if beside.json:
            # Metadata of the file itself is no other form of it.
            own = pmc_files.has_own_metadata(file.path)
            beside = Beside(0 if own else beside.json) + replace(beside, json=0)
        run.unread.add(beside)
    ledger.use_sources(done.values())
    return frozenset(done)
