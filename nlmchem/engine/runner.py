"""A run: annotates all inputs, sets failed articles aside, and continues where an earlier run stopped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from corpora import plugins
from corpora.commands.command import Logged, Progress
from corpora.commands.options import check
from corpora.errors import Argument, ConfigurationError, Text, command, shortened
from corpora.reading import RawArticle
from corpora.storage import atomic
from corpora.storage.inputs import STDIN, InputFile, expand
from corpora.storage.owned_files import FileState
from corpora.words.quantities import quantity
from nlmchem.engine.account import LISTED, ArticleCounts
from nlmchem.engine.executors import DaskExecutor, Executor, InlineExecutor, LocalExecutor, require_dask
from nlmchem.engine.ledger import Ledger, open_ledger
from nlmchem.engine.outputs import Outputs, load_header
from nlmchem.engine.parts import PartedOutputs, is_part
from nlmchem.engine.quarantine import QuarantineEntry
from nlmchem.engine.registration import by_full_path, change_fault, register
from nlmchem.engine.run import Run, RunFolder, RunProgress, configuration_in, now, write_manifest
from nlmchem.engine.stop import RunStopped, in_one_sentence, opening, writing
from nlmchem.engine.tasks import ANNOTATED, Setup, Source, Task, TaskResult
from nlmchem.engine.work import Results, TaskReader, places_of, process, require_no_emptied_folder, settle_withdrawn
from nlmchem.run.observers import OBSERVERS
from nlmchem.run.options import RunOptions
from nlmchem.run.plan import Job, Plan


def annotate_folder(job: Job, out: Path, exclude: Path | None = None, one_output: Path | None = None) -> ArticleCounts:
    """Annotate all articles of a job into the folder `out`. Files under `exclude` (default: `out`) are no inputs.

    `one_output`: the file that all articles are written to, instead of one output for each input.

    Raises `ConfigurationError` or `ResourceError` before any work, `RunStopped` if the run cannot continue (full
    disk, lost cluster, Ctrl-C). Failed articles raise nothing: they are counted and stored in `out/quarantine`.
    """
    check(job.options)
    if job.options.dask is not None:
        require_dask(job.options.dask)
    files = _files_of(job, out, exclude)
    if one_output is not None:
        files = map(by_full_path, files)
    with plugins.named(), _opened(RunFolder(out, job.options.shard), job, one_output) as run:
        results = Results(run)
        reader = TaskReader(run, results.flush)
        places = places_of(job.inputs)

        def find() -> int:
            size = register(run, files)
            require_no_emptied_folder(run, places)
            reader.require_source()
            return size

        def settle() -> None:
            settle_withdrawn(run, places)
            run.outputs.finish()
            run.ledger.changes.complete()

        _begin(run, find)
        counts = _process(run, results, reader.tasks(), settle)
        if counts.read != counts.articles:
            raise RunStopped(
                f"{quantity(counts.read, 'article was', 'articles were')} read, but {counts.articles} counted; "
                "this is an error in nlmchem, please report it"
            )
        if one_output is not None:
            with in_one_sentence(run.out), writing(run.out):
                atomic.remove_leftovers(one_output)
                assert isinstance(run.outputs, Outputs)
                run.outputs.join(job.plan.writer(), one_output, run.progress.note)
        return counts


def _files_of(job: Job, out: Path, exclude: Path | None = None) -> Iterable[InputFile]:
    for name in job.inputs:
        if name != STDIN and Path(name).is_dir() and Path(name).resolve() == out.resolve():
            raise ConfigurationError(f"the output folder {out} is the input folder; choose another one")
    return expand(job.inputs, exclude or out, job.options.all_versions)


class _Checked(Exception):
    """Ends the transaction of a check: nothing of it is kept."""


def check_outputs(job: Job, out: Path) -> None:
    """Raise the errors that `annotate_folder` raises before any work, for a run that begins later."""
    files = _files_of(job, out)
    quiet = replace(job, options=replace(job.options, quiet=True))
    with (
        _opened(RunFolder(out, job.options.shard), quiet) as run,
        in_one_sentence(out),
        suppress(_Checked),
        run.ledger.transaction(),
    ):
        _take_over(run)
        register(run, files)
        raise _Checked


def replay(folder: Path, workers: int | None = None, progress: Progress = Logged()) -> ArticleCounts:  # noqa: B008
    """Annotate the articles in the quarantine of a run again, from their copies there.

    Articles that succeed are put into the output. `folder` is the output folder of the run or its `quarantine`.
    Raises the errors of `annotate_folder`.
    """
    out = folder.parent if folder.name == "quarantine" else folder
    runs = RunFolder.runs_in(out)
    if not runs:
        raise ConfigurationError(f"no run at {out}; name the output folder of {command('annotate')}, or its quarantine")
    counts = ArticleCounts()
    for run_folder in runs:
        with opening(run_folder.out):
            ledger = open_ledger(run_folder.ledger, restart=False)
        with in_one_sentence(run_folder.out), closing(ledger):
            plan = Plan.from_json(ledger.plan())
        job = Job((), plan, RunOptions(workers, shard=run_folder.shard), progress)
        with plugins.named(), _opened(run_folder, job) as run:
            counts += _replay(run)
    return counts


# -- setting up ---------------------------------------------------------------------------------


@contextmanager
def _opened(folder: RunFolder, job: Job, one_output: Path | None = None) -> Iterator[Run]:
    """A run in an output folder, which is locked until the run is closed."""
    fingerprint = job.plan.fingerprint()
    observers = tuple(name for name, one in OBSERVERS.items() if one_output is None and one.observes(job.plan))
    setup = Setup(job.plan, fingerprint["sha256"], job.options.timeout, observers=observers)
    with ExitStack() as stack:
        with opening(folder.out):
            # Before anything is written: a refused run must not leave a ledger, which would refuse the next run.
            folder.siblings()
            files = stack.enter_context(folder.opened())
            ledger = open_ledger(folder.ledger, restart=job.options.restart)
        try:
            with in_one_sentence(folder.out), writing(folder.out):
                _sweep(folder, ledger)
            run = Run(folder, job, setup, fingerprint, ledger, files, one_output)
            with closing(run.outputs):
                yield run
        finally:
            # Closing merges the write-ahead log into the database, which needs the disk.
            with in_one_sentence(folder.out):
                ledger.close()


def _sweep(folder: RunFolder, ledger: Ledger) -> None:
    """Delete temporary files of outputs in the ledger, if a run was killed."""
    if ledger.was_killed():
        folder.sweep(lambda output: ledger.contains_output(output) or is_part(output, folder.shard))


def _begin(run: Run, find: Callable[[], int]) -> None:
    """Record the run and its sources in one transaction: a refused run leaves no record.

    `find` registers the sources and returns the size of their files in bytes.
    """
    if isinstance(run.outputs, PartedOutputs):
        run.outputs.check()
    run.job.plan.prepare()
    # Durable: a restart then deletes files, and must not forget after a power failure that it has begun.
    with in_one_sentence(run.out), run.ledger.durable(), run.ledger.transaction():
        _take_over(run)
        size = find()
    with in_one_sentence(run.out), writing(run.out):
        run.files.begin()
        _delete_stale(run)
        write_manifest(run, "running", None)
    run.progress = RunProgress(size, run.job.progress, quiet=run.options.quiet)


def _take_over(run: Run) -> None:
    """Record the run. A restart forgets all earlier runs. Raises `ConfigurationError` for another configuration."""
    if run.options.restart or run.ledger.is_without_results(run.fingerprint):
        run.ledger.forget_everything()
    # All shards in a folder must have the same configuration, and are restarted together.
    for sibling in run.folder.siblings():
        theirs = configuration_in(sibling.manifest)
        if not run.options.restart and theirs is not None and theirs != run.fingerprint:
            raise ConfigurationError(
                f"shard {sibling.shard} in this output folder was made with another configuration; "
                "choose another folder, or use ",
                Argument("restart", True),
                " in all shards",
            )
    run.ledger.begin_run(run.fingerprint, run.job.plan.as_json(), run.begun)


def _delete_stale(run: Run) -> None:
    """After a restart: delete what earlier runs wrote. A later run repeats this if this run is killed."""
    ledger, folder = run.ledger, run.folder
    if not ledger.has_stale():
        return
    folders: set[Path] = set()
    changed: list[Path] = []
    for output in ledger.stale_outputs():
        path = run.out / output
        if ledger.inputs.contains(os.path.realpath(path)):
            continue
        standing = run.files.remove(PurePosixPath(output))
        if standing is FileState.CHANGED:
            changed.append(path)
        elif standing is FileState.OURS:
            folders.add(path.parent)
    for parent in sorted(folders):
        atomic.sync_folder(parent)
    if changed:
        outputs = quantity(
            len(changed),
            "output was changed after nlmchem wrote it, and is",
            "outputs were changed after nlmchem wrote them, and are",
        )
        run.job.progress(f"{outputs} kept; the first is {min(changed)}")
    run.quarantine.keep(lambda output, position: not folder.shard.holds(output))
    if folder.parts.exists():
        shutil.rmtree(folder.parts)
    ledger.clear_stale()


# -- the work of a run ---------------------------------------------------------------------------


def _replay(run: Run) -> ArticleCounts:
    entries: dict[Source, list[QuarantineEntry]] = {}
    lost: list[Source] = []

    def find() -> int:
        # A replay that was killed may have articles in the ledger that are not in the output yet.
        for source in run.ledger.changed_sources():
            entries[source] = []
        for entry in run.quarantine.entries():
            if not run.folder.shard.holds(entry.output):
                continue
            source_of_entry = run.ledger.source(entry.output)
            if source_of_entry is None:
                raise ConfigurationError(f"{entry.folder} does not belong to an input of this run; remove it")
            if run.ledger.has_failed(source_of_entry.id, entry.position):
                entries.setdefault(source_of_entry, []).append(entry)
        for source, of_source in entries.items():
            run.ledger.use_source(source)
            can_be_done = run.outputs.has_parts(source.id) and change_fault(run, source.output) is None
            if any(entry.article for entry in of_source) and can_be_done:
                run.ledger.change_source(source)
        # Articles whose copies were removed are still failed.
        lost.extend(source for source in run.ledger.failed_sources() if source not in entries)
        for source in lost:
            run.ledger.use_source(source)
        return 0

    _begin(run, find)
    if lost:
        what = (
            f"the failed articles of {quantity(len(lost), 'input')} have no copy in "
            f"{run.folder.quarantine}; annotate them with "
        )
        run.progress.message(Text(what, Argument("retry_failed", True)))
    return _process(run, Results(run), _tasks_of(run, entries), run.outputs.finish)


def _tasks_of(run: Run, entries: dict[Source, list[QuarantineEntry]]) -> Iterator[Task]:
    outputs, message = run.outputs, run.progress.message
    for source, of_source in entries.items():
        if (fault := change_fault(run, source.output)) is not None:
            message(f"{source}: {fault}")
            continue
        if not outputs.has_parts(source.id):
            stored = f"{source}: the text of its finished articles is no longer stored; annotate it with "
            message(Text(stored, Argument("retry_failed", True)))
            continue
        state, stamp, header = run.ledger.source_state(source)
        outputs.begin(source)
        for entry in of_source:
            if entry.article is None:
                message(f"{source}: it could not be read, so it has no copy; repair it and annotate again")
                continue
            outputs.awaiting(source.id)
            raw = entry.article.read_bytes()
            run.quarantine.use(entry, raw)
            article = RawArticle(entry.format, raw, entry.fallback_id, entry.infons)
            yield source.task(entry.position, entry.hash, article)
        # A source that a killed run did not finish stays unfinished; the next run continues it.
        if state != "open":
            outputs.read(source, stamp, load_header(header))


def _process(
    run: Run, results: Results, work: Iterator[Task | TaskResult], settle: Callable[[], None]
) -> ArticleCounts:
    """Process all work. `settle` is called when all of it is stored."""
    state = "stopped"
    try:
        with in_one_sentence(run.out), _executor(run) as executor:
            process(run, executor, results, work)
            results.check_limit(at_end=True)
            with writing(run.out):
                settle()
                # A power failure can undo the row of a source whose output was being written: now its name is known.
                _sweep(run.folder, run.ledger)
                run.outputs.tidy()
                # Articles that have succeeded since, or that their inputs no longer contain, leave the quarantine.
                run.quarantine.keep(
                    lambda output, position: (
                        (source := run.ledger.source(output)) is None or run.ledger.has_failed(source.id, position)
                    )
                )
        run.require_folder()
        state = "finished"
    finally:
        run.progress.close()
        with in_one_sentence(run.out), writing(run.out):
            # The end of the run is recorded last: the next run then removes what a kill before it has left.
            if run.ledger.is_in_place():
                write_manifest(run, state, now())
            run.ledger.end_run(now(), run.seconds)
    with in_one_sentence(run.out):
        # Large queries of the ledger need temporary space on the disk.
        _report_notes(run)
        return replace(run.ledger.account.counts(), files_skipped=run.unclaimed.number, unread=run.unread)


def _executor(run: Run) -> Executor:
    options = run.options
    if options.dask is not None:
        return DaskExecutor(options.dask)
    # A worker protects the run from a time limit and from models, and takes a second to start.
    if not run.job.plan.steps and options.workers is None and options.timeout is None:
        return InlineExecutor()
    return LocalExecutor(options.number_of_workers)


def _report_notes(run: Run) -> None:
    """Report what was noticed about articles that were annotated."""
    note, account = run.progress.note, run.ledger.account
    if copies := run.quarantine.kept:
        number_of_copies = f"{len(copies)} copies" if len(copies) > 1 else "1 copy"
        run.progress.message(
            f"{number_of_copies} in the quarantine with changes by hand, not replayed, and therefore kept; the first "
            f"is {min(copies)}"
        )
    if (annotated := account.failed_in(ANNOTATED)) is not None:
        counts = account.counts()
        where = " and another output folder" if counts.done or counts.skipped else ""
        what = f"{annotated[0]} of {quantity(counts.articles, 'article')} already have mentions and failed"
        run.progress.message(
            Text(
                f"{what} (the first: {annotated[1]}); annotate them with ",
                Argument("existing", "keep"),
                f"{where} (the mentions stay, and new ones that overlap them are not added), or ",
                Argument("existing", "replace"),
                f"{where} (they are removed first)",
            )
        )
    if run.unclaimed.number:
        note(run.unclaimed.sentence())
    number, names = account.repeated_documents(1)
    if number:
        places = ", ".join(f"{path} (article {at + 1})" for path, at in account.articles_named(names[0], 3))
        ids = quantity(number, "document id occurs", "document ids occur")
        note(
            f"{ids} in several articles, for example {shortened(names[0])!r} in {places}; all of them are in the "
            "output, but give them different ids before files are joined by id"
        )
    if not run.job.plan.steps:
        # A conversion reports what the format cannot store.
        for sentence in account.sentences(LISTED):
            note(sentence)
        return
    number, notes = account.notes(1)
    # The manifest of a run into one output is deleted with its run folder.
    listed = f"all notes are in {run.folder.manifest}" if run.one_output is None else "a folder has them all"
    if number:
        note(f"{quantity(number, 'note')} on the inputs, the first on {notes[0]['path']}: {notes[0]['note']}; {listed}")
