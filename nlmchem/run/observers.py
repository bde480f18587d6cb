"""Observers of finished articles: what a run keeps of each article besides its output, such as the facts for a search.

Packages add observers by the entry point `nlmchem.observers`. The workers note what an observer wants of an article
while they have it in memory; the run passes the notes to the recorder of the observer when the output is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from corpora.plugins import Registry
from nlmchem.run.plan import Plan

if TYPE_CHECKING:
    from bioc import BioCDocument


class Recorder(Protocol):
    """Stores what was noted. A run that is killed, or that continues another one, does not pass all articles."""

    def record(self, output: str, path: Path, articles: Sequence[bytes]) -> None:
        """Store the notes on all articles of an output, in their order. `path`: the file of the output."""
        ...

    def commit(self) -> None:
        """Write what was recorded. It is called after several outputs."""
        ...

    def close(self) -> None:
        """Close what is open. The run has ended."""
        ...


@dataclass(frozen=True, slots=True)
class Observer:
    """What observes a run that writes an output for each input."""

    observes: Callable[[Plan], bool]
    """Whether it observes runs of this plan."""
    note: Callable[[BioCDocument], bytes]
    """In a worker: what it keeps of an article that is annotated and checked."""
    recorder: Callable[[Path], Recorder]
    """In the run: what stores the notes, in a file of its own in the folder of the run's state."""


OBSERVERS = Registry[Observer]("nlmchem.observers", Observer, {})
"""Observers by name."""
