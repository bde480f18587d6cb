"""From files to tasks: one file after another, passing over what the ledger knows as done."""

from __future__ import annotations

import hashlib
import sqlite3
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from corpora import reading
from corpora.errors import InputError
from corpora.formats import registry
from corpora.storage import inputs
from corpora.storage.inputs import InputFile
from corpora.storage.selection import Selection
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.outputs import Outputs
from nlmchem.batch.plan import OutputNames, stamp
from nlmchem.batch.progress import Progress
from nlmchem.batch.shard import Shard
from nlmchem.batch.tasks import Failure, Result, Source, Task

__all__ = ["Reader"]


@dataclass(frozen=True, slots=True)
class _Piece:
    """One article of a file, raw; or, as the last one, why the file cannot be read (further)."""

    digest: str
    format: str = ""
    raw: bytes = b""
    failure: Failure | None = None


class Reader:
    """Yields the articles that are still to be done, and keeps `Outputs` informed of what it reads.

    `flush` writes all results that are in memory to the disk.
    """

    def __init__(
        self,
        ledger: Ledger,
        outputs: Outputs,
        flush: Callable[[], None],
        progress: Progress,
        format: str,
        suffix: str,
        shard: Shard,
        retry_failed: bool,
        selection: Selection,
    ) -> None:
        self._ledger = ledger
        self._outputs = outputs
        self._flush = flush
        self._progress = progress
        self._format = format
        self._suffix = suffix
        self._shard = shard
        self._retry_failed = retry_failed
        self._selection = selection

    def tasks(self) -> Iterator[Task | Result]:
        """A task for every article to do; a failed result for whatever cannot be read."""
        for file in self._ledger.files():
            sources = self._ledger.sources_of(file.path)
            if sources:
                yield from self._file(file, sources)
                self._progress.file_read(file.size())
            elif self._shard.of == 1 and any(True for _ in self._opened(file)):
                raise sqlite3.DatabaseError(f"it has no source for {file.path}")

    def _file(self, file: InputFile, sources: Sequence[Source]) -> Iterator[Task | Result]:
        now = stamp(file)
        # What members a pipe has is not known before it is read.
        if not inputs.is_pipe(file.path) and not any(self._must_read(source, now) for source in sources):
            return
        same = self._unchanged(file, sources, now)
        for output, opened in self._opened(file):
            if self._shard.holds(output):
                source = self._ledger.add_source(file.path, opened.member.name, output)
                if self._prepare(source, now, output in same):
                    yield from self._articles(source, opened, now)

    def _opened(self, file: InputFile) -> Iterator[tuple[PurePosixPath, reading.Source]]:
        """The sources of a file that a format claims, with their outputs."""
        names = OutputNames(self._suffix)
        for opened in reading.sources([file], self._selection):
            if opened.unclaimed() is not None:
                continue
            output, fault = names.of(opened.member)
            yield output, opened if fault is None else replace(opened, member=replace(opened.member, fault=fault))

    # -- what an earlier run left ---------------------------------------------------------------

    def _must_read(self, source: Source, now: str | None) -> bool:
        """Whether a source is new, unfinished, changed, to be retried, or has lost its output."""
        state, then, _ = self._ledger.source_state(source)
        return state != "done" or now is None or then != now or not self._is_complete(source)

    def _is_complete(self, source: Source) -> bool:
        """Whether the output is there, and no failed article is to be tried again."""
        done, failed = self._ledger.tally(source.id)
        return not (failed and self._retry_failed) and (not done or self._outputs.exists(source))

    def _unchanged(self, file: InputFile, sources: Sequence[Source], now: str | None) -> set[PurePosixPath]:
        """The outputs of a changed (touched, copied, repacked) file whose members hold the same articles as before.

        One pass over the file tells it for all of them. An article that failed is the same if it would
        fail in the same way.
        """
        done = {s.output: s for s in sources if self._ledger.source_state(s)[0] == "done"}
        if now is None or all(self._ledger.source_state(source)[1] == now for source in done.values()):
            return set()
        return {
            output
            for output, opened in self._opened(file)
            if output in done and self._holds_the_same(done[output], opened)
        }

    def _holds_the_same(self, source: Source, opened: reading.Source) -> bool:
        position = 0
        for piece in _pieces(opened, []):
            if not self._is_settled(source, position, piece.digest):
                return False
            position += 1
        return position == sum(self._ledger.tally(source.id))

    def _prepare(self, source: Source, now: str | None, same: bool) -> bool:
        """Whether a source must be read; brings its rows into a state from which it can be."""
        state, then, header = self._ledger.source_state(source)
        if state == "done" and self._is_complete(source) and now is not None and (then == now or same):
            self._ledger.finish_source(source.id, now, header or "{}")
            return False
        if not self._outputs.has_parts(source.id):
            # Articles that stand in the output alone are done again, once one of them has changed.
            self._outputs.forget_parts(source.id)
            self._ledger.reopen_source(source.id, "all")
        else:
            self._ledger.reopen_source(source.id, "failed" if self._retry_failed else "none")
        return True

    # -- reading --------------------------------------------------------------------------------

    def _articles(self, source: Source, opened: reading.Source, now: str | None) -> Iterator[Task | Result]:
        self._outputs.begin(source)
        self._progress.file_begun(opened.member.position)
        notes: list[str] = []
        position = 0
        for piece in _pieces(opened, notes):
            if not self._is_settled(source, position, piece.digest):
                self._outputs.awaiting(source.id)
                if piece.failure is not None:
                    yield Result(source.id, position, piece.digest, failure=piece.failure)
                else:
                    name = opened.member.fallback_id
                    yield Task(source.id, position, piece.digest, piece.format, piece.raw, name)
            position += 1
        self._outputs.read(source, now, opened.header)
        registry.report_header_losses(opened.header, self._format, notes.append)
        self._ledger.end_of_source(source.id, position, notes)
        # Sources without articles give no result after which the outputs are flushed.
        if self._outputs.full():
            self._flush()

    def _is_settled(self, source: Source, position: int, digest: str) -> bool:
        """Whether an article was done, or failed and is not to be retried, in an earlier run."""
        return self._ledger.hash_at(source.id, position) == digest


def _pieces(opened: reading.Source, notes: list[str]) -> Iterator[_Piece]:
    """The articles of a file or member in order. The last piece may be the reason why it cannot be read further."""
    number = 0
    try:
        for article in opened.raw_articles(notes.append):
            yield _Piece(hashlib.sha256(article.raw).hexdigest(), article.format, article.raw)
            number += 1
    except InputError as error:
        yield _broken(str(error), "")
    except Exception as error:
        message = f"unexpected {type(error).__name__}: {error}; please report it with the file"
        message += f" (the {number} articles before that place were read)" if number else ""
        yield _broken(message, "".join(traceback.format_exception(error)))


def _broken(message: str, trace: str) -> _Piece:
    digest = hashlib.sha256(message.encode("utf-8", "backslashreplace")).hexdigest()
    return _Piece(digest, failure=Failure("read", message, trace))
