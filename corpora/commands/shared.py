"""Options that commands of several rooms have: inputs, outputs, seeds, time."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from corpora.commands.options import COMMON, FILE, FOLDER, REQUIRED, RUNS, argument, group, option
from corpora.errors import OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The articles that a command reads."""

    inputs: tuple[str, ...] = argument(
        "Files, folders, glob patterns, archives, or - for standard input.", metavar="INPUT..."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotated:
    """The annotated articles that a command reads."""

    annotated: tuple[str, ...] = argument(
        "Annotated articles: files, folders, glob patterns or archives.", metavar="ANNOTATED..."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenText:
    """A text in place of files."""

    text: str | None = option(
        None,
        "Take this text in place of files, and print a table; - reads it from standard input.",
        may_be_empty=True,
        in_file=False,
        panel=COMMON,
    )

    def read(self) -> str | None:
        """The text; None if it is missing."""
        return sys.stdin.read() if self.text == "-" else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Overwrite:
    """What happens to a file of the user in the place of the output (`corpora.storage.owned_files`)."""

    overwrite: bool = option(
        False,
        "Replace a file OUT that nlmchem did not write, or that was changed since.",
        in_file=False,
        advanced=True,
    )


@dataclass(frozen=True)
class Licences:
    """Which articles are fetched, read or written, by their licence."""

    licence: tuple[str, ...] = option(
        (),
        "Only articles with one of these licences, such as 'CC BY,CC0'. Articles without a known licence are left out.",
        metavar="CODE,...",
        panel=RUNS,
        advanced=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutFile:
    """The file that a command writes."""

    out: Path = option(REQUIRED, "Output file.", short="o", metavar="FILE", place=FILE)
    replacing: Overwrite = group(Overwrite)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutFolder:
    """The folder that a command writes."""

    out: Path = option(REQUIRED, "Output folder.", short="o", metavar="FOLDER", place=FOLDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """The seed of a command that chooses at random."""

    seed: int = option(0, "Random seed. The same seed gives the same result.", minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTime:
    """The time limit of a training that can be continued."""

    minutes: float | None = option(
        None,
        "Stop after this time with exit code 3; the same command continues the training.",
        minimum=0.001,
        default_text="no limit",
    )


def split_pair(text: str, option: str) -> tuple[str, str]:
    """The parts of `NAME=VALUE`. Raises `OptionError`."""
    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise OptionError(option, f"must be NAME=VALUE, not {text!r}")
    return left, right
