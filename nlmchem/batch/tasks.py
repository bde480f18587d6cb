"""What travels between the run and its workers: plain, small, picklable."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from nlmchem.configuration import Configuration

__all__ = ["Failure", "Result", "Setup", "Source", "Task"]


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or one member of an archive, that becomes one output file.

    `output` is its place under the output folder, with the suffix of the format written.
    """

    id: int
    path: str
    member: str | None
    output: PurePosixPath

    def __str__(self) -> str:
        return self.path if self.member is None else f"{self.path}, member {self.member}"


@dataclass(frozen=True, slots=True)
class Task:
    """One article, as it stands in its file: `position` counts the file's articles from 0."""

    source: int
    position: int
    hash: str
    format: str
    raw: bytes
    fallback_id: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker must know besides the articles.

    `timeout` in seconds an article, None for no limit. `fingerprint` is the sha256 of the configuration's
    fingerprint: a worker whose lexicon or version of nlmchem is another one must not take part.
    """

    configuration: Configuration
    fingerprint: str
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an article has no output: `stage` is read, a stage's name, check, write, worker, or time."""

    stage: str
    message: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one article: its text in the output format, or a failure."""

    source: int
    position: int
    hash: str
    document: str = ""
    fragment: bytes | None = None
    failure: Failure | None = None
    mentions: int = 0
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
