"""From files to tasks: one file after another, passing over what the ledger knows as done."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO

from corpora import formats, inputs
from corpora.errors import InputError
from corpora.files import fallback_id
from corpora.header import Header
from corpora.inputs import InputFile, Member
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.outputs import Outputs
from nlmchem.batch.plan import Shard, output_name, stamp
from nlmchem.batch.progress import Progress
from nlmchem.batch.tasks import Failure, Result, Source, Task

__all__ = ["Reader"]


class Reader:
    """Yields the articles that are still to be done, and keeps `Outputs` informed of what it reads."""

    def __init__(
        self,
        ledger: Ledger,
        outputs: Outputs,
        progress: Progress,
        suffix: str,
        shard: Shard,
        retry_failed: bool,
    ) -> None:
        self._ledger = ledger
        self._outputs = outputs
        self._progress = progress
        self._suffix = suffix
        self._shard = shard
        self._retry_failed = retry_failed

    def tasks(self) -> Iterator[Task | Result]:
        """A task for every article to do; a failed result for whatever cannot be read."""
        for file in self._ledger.files():
            yield from self._file(file)
            self._progress.file_read(file.size())

    def _file(self, file: InputFile) -> Iterator[Task | Result]:
        at_file = stamp(file)
        sources = self._ledger.sources_of(file.path)
        if not sources or (file.path != inputs.STDIN and not any(self._must_read(s, at_file) for s in sources)):
            return
        last: Source | None = None
        try:
            for member, stream in inputs.members(file):
                output = output_name(member.relative, self._suffix)
                if self._shard.holds(output):
                    last = self._ledger.add_source(file.path, member.name, output)
                    if self._prepare(file, last, at_file):
                        yield from self._articles(last, member, stream, at_file)
        except InputError as error:
            # The file itself: gone, forbidden, or an archive that breaks off after its last whole member.
            yield from self._unreadable(file, last, error, at_file)

    def _must_read(self, source: Source, at_file: str | None) -> bool:
        """Whether a source is new, unfinished, changed, to be retried, or has lost its output."""
        state, then, _ = self._ledger.source_state(source)
        done, failed = self._ledger.tally(source.id)
        if state != "done" or then != at_file or at_file is None:
            return True
        return bool((failed and self._retry_failed) or (done and not self._outputs.exists(source)))

    def _prepare(self, file: InputFile, source: Source, at_file: str | None) -> bool:
        """Whether a source must be read; brings its rows into a state from which it can be."""
        if not self._must_read(source, at_file):
            return False
        state, _, header = self._ledger.source_state(source)
        done, failed = self._ledger.tally(source.id)
        retry = bool(failed and self._retry_failed)
        if state == "done":
            there = done == 0 or self._outputs.exists(source)
            if there and not retry and self._same_articles(file, source):
                self._ledger.finish_source(source.id, at_file, header or "{}")
                return False
            # Articles that stand in the output alone cannot be told apart once one of them changes.
            in_part = self._ledger.part_end(source.id) > 0
            self._ledger.reopen_source(source.id, forget="failed" if in_part else "all")
        elif retry:
            self._ledger.reopen_source(source.id, forget="failed")
        return True

    def _same_articles(self, file: InputFile, source: Source) -> bool:
        """Whether a changed (touched, copied) input holds the same articles as when its output was written."""
        if file.path == inputs.STDIN:
            return False
        try:
            for member, stream in inputs.members(file):
                if member.name == source.member and member.fault is None:
                    raws = formats.split(stream, Header(), lambda sentence: None)
                    digests = [hashlib.sha256(raw).hexdigest() for _, raw in raws]
                    return digests == self._ledger.hashes(source.id)
        except InputError:
            return False
        return False

    def _articles(
        self, source: Source, member: Member, stream: BinaryIO, at_file: str | None
    ) -> Iterator[Task | Result]:
        self._outputs.begin(source)
        header = Header()
        notes: list[str] = []
        position = 0
        try:
            if member.fault is not None:
                raise InputError(member.fault)
            for format, raw in formats.split(stream, header, notes.append):
                digest = hashlib.sha256(raw).hexdigest()
                if not self._is_settled(source, position, digest):
                    self._outputs.awaiting(source.id)
                    yield Task(source.id, position, digest, format, raw, fallback_id(member.relative))
                position += 1
        except InputError as error:
            yield from self._failed(source, position, error)
            position += 1
        self._ledger.end_of_source(source.id, position, notes)
        self._outputs.read(source, at_file, header)

    def _is_settled(self, source: Source, position: int, digest: str) -> bool:
        """Whether an article was done, or failed and is not to be retried, in an earlier run."""
        return self._ledger.hash_at(source.id, position) == digest

    def _failed(self, source: Source, position: int, error: InputError) -> Iterator[Result]:
        message = str(error)
        if position:
            message += f" (the {position} articles before that place were read)"
        digest = hashlib.sha256(message.encode()).hexdigest()
        if not self._is_settled(source, position, digest):
            self._outputs.awaiting(source.id)
            yield Result(source.id, position, digest, failure=Failure("read", message))

    def _unreadable(
        self, file: InputFile, last: Source | None, error: InputError, at_file: str | None
    ) -> Iterator[Task | Result]:
        """A failed result under the name that the file's own output would have."""
        output = output_name(file.relative, self._suffix)
        if last is not None:
            output = output.with_name(output.name + ".rest")
        elif not self._shard.holds(output):
            return
        source = self._ledger.add_source(file.path, None, output)
        if self._prepare(file, source, at_file):
            self._outputs.begin(source)
            yield from self._failed(source, 0, error)
            self._outputs.read(source, at_file, Header())
