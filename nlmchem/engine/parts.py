"""Outputs as numbered parts: a file for many articles, in the order of their inputs.

The articles are stored first (`SegmentStore`). A part is written when all articles up to its end are
stored, atomically, and then recorded in the ledger with a hash of what it contains. After the run all parts are
compared with that hash, so an increment writes only parts that contain other articles than before. A part holds a fixed
number of articles, so that any number of workers gives the same parts, and so does a run that was killed.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path, PurePosixPath

from corpora.formats.format import Parted
from corpora.storage import atomic
from corpora.storage.owned_files import OwnedFolder
from nlmchem.engine.database import START, Cursor, Extent
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.outputs import OpenSources, changed_meanwhile, dump_header
from nlmchem.engine.stop import RunStopped
from nlmchem.engine.tasks import Source
from nlmchem.run.options import Shard

STORE = "articles"
SEGMENT_BYTES = 1 << 30
"""A segment ends when it is larger than this."""

_NAME = re.compile(r"part-(?:(\d+)-of-(\d+)-)?\d{5,}\.\w+")


def part_name(shard: Shard, number: int, table: str, suffix: str) -> PurePosixPath:
    """The name of a part: `part-00001.jsonl`; `mentions/part-00001.parquet`; of a shard `part-2-of-9-00001.jsonl`."""
    of_shard = "" if shard.of == 1 else f"{shard}-"
    return PurePosixPath(table) / f"part-{of_shard}{number:05}{suffix}"


def is_part(output: PurePosixPath, shard: Shard) -> bool:
    """Whether a name is that of a part of a shard."""
    match = _NAME.fullmatch(output.name)
    return match is not None and Shard(int(match[1] or 1), int(match[2] or 1)) == shard


class PartedOutputs(OpenSources):
    """Writes the results of a run as numbered parts. `size`: the articles of a part.

    The store is kept for the next increment, with the text of articles that are done again.
    """

    def __init__(
        self, files: OwnedFolder, parts: Path, ledger: Ledger, parted: Parted, size: int, shard: Shard
    ) -> None:
        super().__init__(files, parts, ledger)
        self._parted = parted
        self._size = size
        self._shard = shard
        self._cursor: Cursor = START
        self._written = 0
        self._since = 0

    @cached_property
    def _store(self) -> SegmentStore:
        # When it is first used, a restart has emptied the ledger.
        return SegmentStore(self._parts / STORE, self._ledger.parts.store_end())

    def check(self) -> None:
        """Raise `ConfigurationError` for a part that is not as it was written, or is one of the user, before any work.

        How many parts there will be is not known yet.
        """
        for table in self._parted.tables:
            for path in sorted((self._folder / table).glob("part-*")):
                name = PurePosixPath(table, path.name)
                if is_part(name, self._shard):
                    self._files.check(str(name))

    def exists(self, source: Source) -> bool:
        """Whether the store has all done articles of a source."""
        return self.has_parts(source.id)

    def has_parts(self, source_id: int) -> bool:
        """As `exists`."""
        return all(map(self._store.has, self._ledger.parts.extents(source_id)))

    def flush(self) -> None:
        """Store all results, then record them; write the parts that are complete."""
        complete = self._complete()
        results = [result for state in self._open.values() for result in state.results]
        done = [result for result in results if result.fragment is not None]
        extents: Sequence[Extent] = self._store.append(r.fragment or b"" for r in done) if done else ()
        by_article = {(r.source, r.position): extent for r, extent in zip(done, extents, strict=True)}
        with self._ledger.durable(), self._ledger.transaction():
            for result in results:
                self._ledger.finish(result, by_article.get((result.source, result.position)))
            self._ledger.parts.set_store_end(self._store.end)
            for state in complete:
                self._ledger.finish_source(state.source.id, state.stamp, dump_header(state.header))
        self._forget_results(complete)
        self._since += len(results)
        # An increment moves articles between parts, so it writes them at its end, once.
        if self._since >= self._size and self._open and not self._ledger.changes.is_increment():
            self._write_parts(next(iter(self._open)))

    def finish(self) -> None:
        """Write all parts that are not as they should be, and remove those that are too many. Raises `OSError`."""
        self._cursor, self._written = START, 0
        self._write_parts(None)
        folders = set()
        for number, names in self._ledger.parts.after(self._written):
            for name in names:
                self._files.remove(name)
                folders.add((self._folder / name).parent)
            self._ledger.parts.forget(number)
        for folder in sorted(folders):
            atomic.sync_folder(folder)

    def _write_parts(self, before: int | None) -> None:
        """Write the parts from the cursor on, as far as all articles are before a source (None: to the end)."""
        while slots := self._ledger.parts.slots(self._cursor, self._size, before):
            if before is not None and len(slots) < self._size:
                self._since = len(slots)
                return
            self._written += 1
            number = self._written
            names = [part_name(self._shard, number, table, self._parted.suffix) for table in self._parted.tables]
            # What decides about the bytes of a part: its articles in order. Failed articles are missing in it.
            digest = hashlib.sha256()
            for cursor, hash, extent in slots:
                facts = cursor.output, cursor.position, hash, extent is not None
                digest.update("\n".join(map(str, (*facts, ""))).encode())
            content = digest.hexdigest()
            is_there = all((self._folder / name).is_file() for name in names)
            if not is_there or self._ledger.parts.content(number) != content:
                articles = self._store.read(extent for _, _, extent in slots if extent is not None)
                with changed_meanwhile(), ExitStack() as stack:
                    streams = [stack.enter_context(self._files.writing(name)) for name in names]
                    self._parted.write(articles, streams)
                self._ledger.parts.record(number, names, content)
            self._cursor = slots[-1][0]


class SegmentStore:
    """The serialised articles of a run with numbered parts, one after another in a few large files (segments).

    They are compressed by the workers (`nlmchem.engine.tasks.packed`). A killed run can leave bytes at the end of a
    segment for which the ledger has no row: they are cut off. Text of an article that was done again stays in its
    segment, unused, until `restart`. `end`: segment and size that the ledger knows of.
    """

    def __init__(self, folder: Path, end: tuple[int, int]) -> None:
        self._folder = folder
        self._segment, self._end = end
        self._sizes: dict[int, int] = {}

    @property
    def end(self) -> tuple[int, int]:
        """Segment and size after the last article."""
        return self._segment, self._end

    def append(self, articles: Iterable[bytes]) -> list[Extent]:
        """Append articles, flushed to the disk. Raises `OSError`."""
        atomic.make_folder(self._folder)
        if self._end > SEGMENT_BYTES:
            self._segment, self._end = self._segment + 1, 0
        path = self._path(self._segment)
        if _size(path) < self._end:
            # A part of it is lost. The ledger has places in it, so it is not written to any more.
            self._segment, self._end = self._segment + 1, 0
            path = self._path(self._segment)
        atomic.unshare(path)
        is_new = not path.exists()
        extents: list[Extent] = []
        with path.open("ab") as stream:
            stream.truncate(self._end)
            for article in articles:
                stream.write(article)
                extents.append((self._segment, self._end, len(article)))
                self._end += len(article)
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            atomic.sync_folder(self._folder)
        self._sizes.pop(self._segment, None)
        return extents

    def has(self, extent: Extent) -> bool:
        """Whether the bytes of an article are there."""
        segment, start, length = extent
        if segment not in self._sizes:
            self._sizes[segment] = _size(self._path(segment))
        return start + length <= self._sizes[segment]

    def read(self, extents: Iterable[Extent]) -> Iterator[bytes]:
        """The articles at some places, in this order. Raises `RunStopped` where the store is damaged."""
        opened = -1
        stream = open(os.devnull, "rb")  # noqa: PTH123 (it is replaced by a segment)
        try:
            for segment, start, length in extents:
                path = self._path(segment)
                try:
                    if segment != opened:
                        stream.close()
                        stream, opened = path.open("rb"), segment
                    stream.seek(start)
                    yield zlib.decompress(stream.read(length))
                except (zlib.error, FileNotFoundError) as error:
                    raise RunStopped(
                        f"{path} is damaged or shorter than recorded in the ledger; remove it, and run the command "
                        "again for all inputs of this folder"
                    ) from error
        finally:
            stream.close()

    def _path(self, segment: int) -> Path:
        return self._folder / f"{segment:05}.articles"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
