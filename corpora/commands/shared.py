"""Options that commands of several rooms have. Each function returns the field: `seed: int = seed_option()`."""

from __future__ import annotations

import sys
from pathlib import Path

from corpora.commands.options import FILE, FOLDER, REQUIRED, argument, option
from corpora.errors import OptionError


def inputs_argument() -> tuple[str, ...]:
    """The articles that a command reads."""
    return argument("Files, folders, glob patterns, archives, or - for standard input.", metavar="INPUT...")


def annotated_argument() -> tuple[str, ...]:
    """The annotated articles that a command reads."""
    return argument("Annotated articles: files, folders, glob patterns or archives.", metavar="ANNOTATED...")


def indexed_argument() -> str:
    """The annotated articles that a command reads by their index (`nlmchem.search`)."""
    return argument("Annotated articles: a folder, a file, a glob pattern or an archive.", metavar="RUN")


def text_option() -> str | None:
    """A text in place of files; `read_text` reads it."""
    return option(
        None,
        "Take this text in place of files, and print a table; - reads it from standard input.",
        may_be_empty=True,
        in_file=False,
    )


def read_text(text: str | None) -> str | None:
    """The text of `text_option`: - is standard input."""
    return sys.stdin.read() if text == "-" else text


def overwrite_option() -> bool:
    """Whether a file of the user in the place of the output is replaced (`corpora.storage.owned_files`)."""
    text = "Replace a file OUT that nlmchem did not write, or that was changed since."
    return option(False, text, in_file=False, advanced=True)


def licence_option() -> tuple[str, ...]:
    """Which articles are fetched, read or written, by their licence."""
    return option(
        (),
        "Only articles with one of these licences, such as 'CC BY,CC0'. Articles without a known licence are left out.",
        metavar="CODE,...",
        advanced=True,
        parse=_licences,
    )


def _licences(text: str) -> tuple[str, ...]:
    codes = tuple(filter(None, map(str.strip, text.split(","))))
    if not codes:
        # As of a variable that is not set: all articles would be taken.
        raise OptionError("licence", "is empty; give a value, or leave the option out")
    return codes


def out_file() -> Path:
    """The file that a command writes. `overwrite_option` stands beside it."""
    field: Path = option(REQUIRED, "Output file.", short="o", metavar="FILE", place=FILE)
    return field


def out_folder() -> Path:
    """The folder that a command writes."""
    field: Path = option(REQUIRED, "Output folder.", short="o", metavar="FOLDER", place=FOLDER)
    return field


def seed_option() -> int:
    """The seed of a command that chooses at random."""
    return option(0, "Random seed. The same seed gives the same result.", minimum=0)


def minutes_option() -> float | None:
    """The time limit of a training that can be continued."""
    return option(
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
