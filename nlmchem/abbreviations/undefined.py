"""Short forms that articles do not define. Installed packages answer what they mean (entry point `nlmchem.senses`).

The option `undefined` of `nlmchem abbreviations` asks the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from corpora.commands.options import option
from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from corpora.reporting import Report

EMBEDDED_NAME = "default"
"""The name of the embedded dictionary and of the embedded encoder of sentences."""


def encoder_option() -> str | None:
    """The encoder of sentences of commands that choose among senses."""
    return option(
        None,
        "Also compare sentences and long forms by an encoder of sentences: default for the embedded one, or the folder "
        "of a local one such as all-MiniLM-L6-v2.",
        metavar="default|FOLDER",
        default_text="none",
    )


@dataclass(frozen=True, slots=True)
class SenseQuery:
    """What is asked. None: the default of the source.

    `dictionary`: a file or folder with the senses. `threshold`: the lowest probability of a sense (0..1). `encoder`: of
    sentences, a name or a folder.
    """

    dictionary: str | None = None
    threshold: float | None = None
    encoder: str | None = None


@dataclass(frozen=True, slots=True)
class Expanded:
    """The result for one article: the same answers as JSON values and as lines of a table.

    `undefined`, `known`, `answered`: numbers of distinct short forms.
    """

    COUNTS: ClassVar = ("articles", "failed", "undefined", "known", "answered")

    objects: tuple[Mapping[str, Any], ...] = ()
    lines: tuple[str, ...] = ()
    articles: int = 0
    failed: int = 0
    undefined: int = 0
    known: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class SenseSource:
    """`columns`: of the lines. `answers`: an item for each article of the inputs.

    `answers` raises `ResourceError` for a dictionary or an encoder that cannot be opened.
    """

    columns: tuple[str, ...]
    answers: Callable[[Sequence[str], SenseQuery, Report], Iterator[Expanded]]


SOURCES = Registry("nlmchem.senses", SenseSource, {})


def sense_source() -> SenseSource:
    """The first source. Raises `ConfigurationError` if none is installed."""
    for _, source in SOURCES.items():
        return source
    raise ConfigurationError("no installed package has a dictionary of short forms; install nlmchem again")
