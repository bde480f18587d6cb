"""Writes the outputs of a run: results of small inputs are held in memory, those of large ones in a part file.

A killed run loses nothing because of the order of writing: first the bytes (flushed to the disk), then the rows of the
ledger, then, when a source is complete, the name and sha256 of its output (`corpora.storage.owned_files`), the output
by renaming, the state of the source, and the removal of its part file. Each step is on the disk before the next one
begins, so this holds for a power failure too.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from corpora import writing
from corpora.errors import DAMAGE, ConfigurationError, damage
from corpora.formats import registry
from corpora.formats.format import Folder, Header, Table, Writer
from corpora.reporting import Report
from corpora.storage import atomic, spool
from corpora.storage.owned_files import FileState, OwnedFolder
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.stop import KEPT, RunStopped
from nlmchem.engine.tasks import Source, TaskResult
from nlmchem.run.observers import Recorder
from nlmchem.run.plan import Plan

RECORDS = ".records"

FLUSH_BYTES = 8 << 20
FLUSH_NUMBER = 500
"""Results (and sources without results) are held in memory up to this size and number, then written to the disk."""


@dataclass(slots=True)
class _Open:
    """A source that is not finished."""

    source: Source
    awaited: int = 0
    """The number of its articles that the workers have."""
    is_read: bool = False
    stamp: str | None = None
    header: Header = field(default_factory=Header)
    results: list[TaskResult] = field(default_factory=list)
    end: int | None = None
    """The end of its part file; None before it was read from the ledger."""

    @property
    def in_order(self) -> list[TaskResult]:
        """The results in the order of the input."""
        return sorted(self.results, key=lambda result: result.position)


class OpenSources:
    """Receives results in any order: the sources that are not finished, with the results that are in memory."""

    def __init__(self, files: OwnedFolder, parts: Path, ledger: Ledger) -> None:
        self._files = files
        self._folder = files.path
        self._parts = parts
        self._ledger = ledger
        self._open: dict[int, _Open] = {}
        self._held = 0
        self._number = 0

    def begin(self, source: Source) -> None:
        self._number += 1
        self._open[source.id] = _Open(source)

    def awaiting(self, source_id: int) -> None:
        """Count one more article of a source that the workers have."""
        self._open[source_id].awaited += 1

    def read(self, source: Source, stamp: str | None, header: Header) -> None:
        """Note that a source was read to its end. `stamp` identifies the state of its input."""
        state = self._open[source.id]
        state.is_read, state.stamp, state.header = True, stamp, header

    def add(self, result: TaskResult) -> None:
        """Store the result of an article in memory; the next `flush` writes it to the disk."""
        state = self._open[result.source]
        state.results.append(result)
        state.awaited -= 1
        self._held += len(result.fragment or b"")
        self._number += 1

    def full(self) -> bool:
        """Whether so many results are in memory that they should be flushed."""
        return self._held > FLUSH_BYTES or self._number > FLUSH_NUMBER

    def _complete(self) -> list[_Open]:
        """The sources that are read, and have all results."""
        return [state for state in self._open.values() if state.is_read and state.awaited == 0]

    def _forget_results(self, complete: Iterable[_Open]) -> None:
        """The results are on the disk, and some sources are finished."""
        for state in self._open.values():
            state.results.clear()
        for state in complete:
            del self._open[state.source.id]
        self._held = self._number = 0

    def finish(self) -> None:
        """Write what is written at the end of the run."""

    def tidy(self) -> None:
        """Remove what the next run does not need."""

    def forget_parts(self, source_id: int) -> None:
        """Remove the stored text of a source whose articles are all done again."""

    def close(self) -> None:
        """Close what is open beside the ledger."""


class Outputs(OpenSources):
    """Writes the output of a source when it has all results of the source, and passes notes to their recorders."""

    def __init__(
        self, files: OwnedFolder, parts: Path, ledger: Ledger, writer: Writer, recorders: Mapping[str, Recorder]
    ) -> None:
        """`recorders`: those of the observers of the run, by name."""
        super().__init__(files, parts, ledger)
        self._writer = writer
        self._recorders = recorders

    def exists(self, source: Source) -> bool:
        return (self._folder / source.output).exists()

    def close(self) -> None:
        """Close the recorders."""
        for recorder in self._recorders.values():
            recorder.close()

    def flush(self) -> None:
        """Write all results to the disk, then to the ledger; finish the sources that are complete."""
        complete = self._complete()
        # A source needs no part file if it has none yet, and no article failed that may be tried again later.
        direct = {
            state.source.id: state
            for state in complete
            if not any(result.failure for result in state.results) and not any(self._ledger.tally(state.source.id))
        }
        self._write_directly(direct.values())
        self._sync(direct.values())
        places = {number: self._append(state) for number, state in self._open.items() if number not in direct}
        with self._ledger.durable(), self._ledger.transaction():
            for state in direct.values():
                for result in state.results:
                    self._ledger.finish(result, None)
                self._ledger.finish_source(state.source.id, state.stamp, dump_header(state.header))
            for placed in places.values():
                for result, place in placed:
                    self._ledger.finish(result, place)
        # What observers note of articles of part files is not passed on.
        for name, recorder in self._recorders.items():
            for state in direct.values():
                notes = [result.observed[name] for result in state.in_order if name in result.observed]
                if notes:
                    recorder.record(str(state.source.output), self._folder / state.source.output, notes)
            recorder.commit()
        for number, placed in places.items():
            ends = [place[0] + place[1] for _, place in placed if place is not None]
            self._open[number].end = ends[-1] if ends else self._open[number].end
        self._forget_results(())
        self._assemble([state for state in complete if state.source.id not in direct])
        self._forget_results(complete)

    def _write_directly(self, states: Iterable[_Open]) -> None:
        contents: dict[PurePosixPath, bytes] = {}
        for state in states:
            fragments = [result.fragment or b"" for result in state.in_order]
            if isinstance(self._writer, Folder):
                self._write(state, fragments)
            else:
                stream = io.BytesIO()
                self._writer.write(fragments, state.header, stream)
                contents[state.source.output] = stream.getvalue()
        with changed_meanwhile():
            self._files.write_all(contents)

    def _sync(self, states: Iterable[_Open]) -> None:
        """Flush the folders of the outputs of sources: one time for each folder, because it takes milliseconds."""
        for folder in sorted({(self._folder / state.source.output).parent for state in states}):
            if folder.exists():
                atomic.sync_folder(folder)

    def _write(self, state: _Open, fragments: Iterable[bytes]) -> None:
        output = state.source.output
        with changed_meanwhile():
            self._files.check(str(output))
            target, record = self._folder / output, partial(self._files.add, output)
            writing.write_articles(self._writer, fragments, state.header, target, sync=False, before=record)

    # -- one output for all sources -------------------------------------------------------------

    def join(self, writer: Writer, target: Path, report: Report) -> None:
        """Write the articles of all sources to one output, in the order of the input files."""

        def sources() -> Iterator[Source]:
            for file in self._ledger.inputs.files():
                yield from self._ledger.sources_of(file.path)

        def articles() -> Iterator[bytes]:
            for source in sources():
                path = self._folder / source.output
                # A source without output is one whose articles all failed.
                if path.exists():
                    # A run that continues reads what an earlier one has written.
                    if self._ledger.run > 1 and self._files.state_of(source.output) is not FileState.OURS:
                        raise RunStopped(f"{path} is damaged; remove it, and run the same command again")
                    with path.open("rb") as stream:
                        yield from spool.records(stream)

        first, others = Header(), 0
        for source in sources():
            header = load_header(self._ledger.source_state(source)[2])
            first = header if first == Header() else first
            others += header not in (first, Header())
        if others:
            report(f"{others} collections have another header than the first one; the first header was kept")
        writing.write_articles(writer, articles(), first, target)

    # -- part files -----------------------------------------------------------------------------

    def has_parts(self, source_id: int) -> bool:
        """Whether the part file of a source has the text of all its done articles."""
        end, part = self._ledger.part_end(source_id), self._part(source_id)
        return end is not None and (part.stat().st_size if part.exists() else 0) >= end

    def forget_parts(self, source_id: int) -> None:
        """Remove the part file of a source whose articles are all done again."""
        self._part(source_id).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove part files of finished sources, which a killed run may leave."""
        for part in self._parts.glob("*.part"):
            if part.stem.isdecimal() and self._ledger.is_whole(int(part.stem)):
                part.unlink()

    def _part(self, source_id: int) -> Path:
        return self._parts / f"{source_id}.part"

    def _append(self, state: _Open) -> list[tuple[TaskResult, tuple[int, int] | None]]:
        """Append done articles to the part file, flushed to the disk. Returns start and length of each result."""
        done = [result for result in state.results if result.fragment is not None]
        placed: list[tuple[TaskResult, tuple[int, int] | None]] = []
        if done:
            atomic.make_folder(self._parts)
            part = self._part(state.source.id)
            atomic.unshare(part)
            is_new = not part.exists()
            if state.end is None:
                state.end = self._ledger.part_end(state.source.id) or 0
            with part.open("ab") as stream:
                if stream.tell() < state.end:
                    raise _damaged(part)
                # A killed run may have appended text for which the ledger has no row: it is cut off.
                stream.truncate(state.end)
                start = state.end
                for result in done:
                    fragment = result.fragment or b""
                    stored = fragment + _checksum(fragment)
                    stream.write(stored)
                    placed.append((result, (start, len(stored))))
                    start += len(stored)
                stream.flush()
                os.fsync(stream.fileno())
            if is_new:
                atomic.sync_folder(self._parts)
        return placed + [(result, None) for result in state.results if result.fragment is None]

    def _assemble(self, states: Sequence[_Open]) -> None:
        """Write the outputs of sources from their part files. The part file of a source with failures stays."""
        if not states:
            return
        whole = [state for state in states if self._write_from_part(state)]
        self._sync(states)
        with self._ledger.durable(), self._ledger.transaction():
            for state in states:
                self._ledger.finish_source(state.source.id, state.stamp, dump_header(state.header))
        for state in whole:
            self._part(state.source.id).unlink(missing_ok=True)

    def _write_from_part(self, state: _Open) -> bool:
        """Write the output of a source. Returns whether none of its articles failed."""
        source = state.source
        done, failed = self._ledger.tally(source.id)
        part = self._part(source.id)
        if done or not failed:

            def articles() -> Iterator[bytes]:
                for start, length in self._ledger.places(source.id):
                    stream.seek(start)
                    stored = stream.read(length)
                    fragment = stored[:-_CHECKSUM]
                    if len(stored) < length or stored[-_CHECKSUM:] != _checksum(fragment):
                        raise _damaged(part)
                    yield fragment

            with part.open("rb") if part.exists() else open(os.devnull, "rb") as stream:  # noqa: PTH123
                self._write(state, articles())
        else:
            self._files.remove(source.output)
        return not failed


@contextmanager
def changed_meanwhile() -> Iterator[None]:
    """Stop the run where an output was changed by hand after its input was opened. Nothing is lost then."""
    try:
        yield
    except ConfigurationError as error:
        raise RunStopped(error.text, f". {KEPT.capitalize()}") from error


def stored_as(plan: Plan, as_records: bool) -> tuple[Writer, str]:
    """The writer of a source's output and its suffix.

    `as_records`: articles are stored one after another as the format's writer returned them, for `Outputs.join`.
    """
    writer = plan.writer()
    if not as_records:
        return writer, registry.suffix_of(plan.format)

    def write_records(articles: Iterable[bytes], header: Header, stream: BinaryIO) -> None:
        for article in articles:
            spool.write_record(stream, article)

    return Table(writer.dumps, write_records), RECORDS


_CHECKSUM = 4
"""Bytes after each article in a part file."""


def _checksum(fragment: bytes) -> bytes:
    return zlib.crc32(fragment).to_bytes(_CHECKSUM)


def _damaged(part: Path) -> RunStopped:
    return RunStopped(
        f"{part} is damaged or shorter than recorded in the ledger; remove that file and run the same command again"
    )


def dump_header(header: Header) -> str:
    return json.dumps(asdict(header))


def load_header(text: str | None) -> Header:
    """A header from its JSON in the ledger; empty for None. Raises `sqlite3.DatabaseError` if it is damaged."""
    try:
        return Header(**json.loads(text)) if text else Header()
    except DAMAGE as error:
        raise sqlite3.DatabaseError(f"it contains a broken header: {damage(error)}") from error
