"""Short forms that articles do not define. Installed packages answer what they mean (entry point `nlmchem.senses`).

`nlmchem abbreviations --undefined` asks the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from corpora.reporting import Report


@dataclass(frozen=True, slots=True)
class SenseQuery:
    """What is asked. None: the default of the source.

    `dictionary`: a file or folder with the senses. `threshold`: the lowest probability of a sense (0..1). `encoder`: of
    sentences, a name or a folder.
    """

    dictionary: str | None = None
    threshold: float | None = None
    encoder: str | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Expanded:
    """The result for one article. `undefined`, `known`, `answered`: numbers of distinct short forms."""

    lines: tuple[str, ...] = ()
    articles: int = 0
    failed: int = 0
    undefined: int = 0
    known: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class SenseSource:
    """`columns`: of the lines. `lines`: an item for each article of the inputs, with one line for each short form.

    `lines` raises `ResourceError` for a dictionary or an encoder that cannot be opened.
    """

    columns: tuple[str, ...]
    lines: Callable[[Sequence[str], SenseQuery, Report], Iterator[Expanded]]


SOURCES = Registry("nlmchem.senses", SenseSource, {})


def sense_source() -> SenseSource:
    """The first source. Raises `ConfigurationError` if none is installed."""
    for _, source in SOURCES.items():
        return source
    raise ConfigurationError("no installed package has a dictionary of short forms; install nlmchem again")
