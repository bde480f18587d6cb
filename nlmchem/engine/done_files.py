"""Input files that an earlier run has done, and that are as they were: they need not be opened.

An increment finds out about millions of files whether they changed, so this takes one look at each: its size and times
and the rows of the ledger. All other files are opened, and their articles compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpora.output_names import expected_output
from corpora.storage import pmc_files
from corpora.storage.inputs import InputFile
from corpora.storage.pmc_files import Beside
from nlmchem.engine.registration import stamp
from nlmchem.engine.run import Run
from nlmchem.engine.tasks import Source

CHUNK = 500
"""Files that are looked at together; what is found is recorded in one transaction."""


class DoneFiles:
    """Tells which files of a run need not be opened, and makes their sources sources of this run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        options = run.options
        # These decide by names of members or by metadata: the file must be opened.
        is_selective = options.include or options.exclude or options.licence or options.exclude_retracted
        self._may_keep = not is_selective and not options.retry_failed and run.ledger.has_sources()

    def kept(self, files: Sequence[InputFile]) -> frozenset[str]:
        """The paths of the files that need not be opened. Counts what is beside them."""
        if not self._may_keep:
            return frozenset()
        done: dict[str, Source] = {}
        for file in self._run.clashes.of(files):
            if (source := self._done(file)) is not None:
                done[file.path] = source
                self._run.apart.add(_beside(file))
        self._run.ledger.use_sources(done.values())
        return frozenset(done)

    def _done(self, file: InputFile) -> Source | None:
        """The only source of a file, if it is done and the file did not change."""
        row = self._run.ledger.done_source(file.path)
        if row is None:
            return None
        source, then = row
        output, is_archive = expected_output(file, self._run.suffix)
        if is_archive or source.output != output or then is None or then != stamp(file):
            return None
        done, _ = self._run.ledger.tally(source.id)
        return source if not done or self._run.outputs.exists(source) else None


def _beside(file: InputFile) -> Beside:
    """What is beside a file, without its metadata."""
    if not file.beside.json:
        return file.beside
    return Beside(0 if pmc_files.has_own_metadata(file.path) else file.beside.json) + replace(file.beside, json=0)
