"""Flags that other programs have, and what works in their place: the answer to a flag that a command does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click

from corpora.errors import ConfigurationError, command


@dataclass(frozen=True, slots=True)
class Foreign:
    """Flags of other programs. `flag`: the flag that works, in commands that have it. `otherwise`: a sentence for all
    commands, or for those without the flag.
    """

    names: tuple[str, ...]
    flag: str | None = None
    value: str = ""
    otherwise: str | None = None


FOREIGN = (
    Foreign(
        ("--jobs", "-j", "--n-jobs", "--num-workers", "--threads", "--processes", "--n-process", "--cpus"),
        "--workers",
        " N",
        "leave it out: it has no worker processes",
    ),
    Foreign(
        ("--verbose", "-v", "--progress"),
        otherwise="progress and notes are printed by default, and --quiet leaves them out; "
        "`nlmchem --debug ...` shows the traceback of an error",
    ),
    Foreign(("--silent", "--log-level"), "--quiet"),
    Foreign(
        ("--dry-run",),
        otherwise=f"{command('corpora stats INPUT')} reads an input and writes nothing, and no command replaces files "
        "that it did not write",
    ),
    Foreign(("--output", "--output-dir", "--outdir", "--outfile", "--out-dir", "-O"), "--out", " PATH"),
    Foreign(("--input", "--input-dir", "--in", "-i"), otherwise="write the input without a flag"),
    Foreign(("--model", "-m", "--model-path"), "--tagger", " NAME"),
    Foreign(("--force", "-f", "--yes", "-y"), "--overwrite"),
    Foreign(("--gpu", "--cuda", "--use-gpu", "-g"), "--device", " cuda"),
    Foreign(("--threshold", "--min-confidence", "-t"), "--min-score", " X"),
    Foreign(("--resume", "--continue"), otherwise="the same command continues where it stopped"),
    Foreign(
        ("--batch-size", "-b"),
        otherwise="leave it out: articles are divided by their length, and results do not depend on it",
    ),
    Foreign(("--recursive", "-r", "-R"), otherwise="leave it out: folders are read with the folders in them"),
    Foreign(("--output-format", "--to"), "--format", " NAME"),
    Foreign(("--config-file", "-c"), "--config", " FILE"),
    Foreign(("--dictionary-file", "--mesh", "--kb"), "--lexicon", " PATH"),
    Foreign(("--ids", "--pmcid", "--pmid"), otherwise=f"fetch articles first: {command('fetch pmc --ids FILE')}"),
    Foreign(("--version", "-V"), otherwise="use `nlmchem --version`"),
)
"""All flags of other programs that have an answer."""

_CLOSE = 0.6
"""How similar a mistyped flag is to the flag, from 0 to 1."""


def unknown_flag(name: str, context: click.Context, flags: Sequence[str]) -> ConfigurationError:
    """The error for a flag that a command does not have. `flags`: those that it has."""
    path = context.command_path
    return ConfigurationError(f"`{path}` has no option {name}; {_remedy(name, path, flags)}")


def _remedy(name: str, path: str, flags: Sequence[str]) -> str:
    from difflib import get_close_matches

    foreign = next((entry for entry in FOREIGN if name in entry.names), None)
    if foreign is not None:
        if foreign.flag in flags:
            return f"use {foreign.flag}{foreign.value}"
        if foreign.otherwise is not None:
            return foreign.otherwise
    similar = get_close_matches(name, flags, 1, _CLOSE)
    if similar:
        return f"did you mean {similar[0]}?"
    return f"`{path} {'--help-all' if '--help-all' in flags else '--help'}` lists its options"


@contextmanager
def unknown_flags_explained(context: click.Context) -> Iterator[None]:
    """Raise `ConfigurationError` that names what works, for a flag that the command does not have."""
    try:
        yield
    except click.NoSuchOption as error:
        flags = [flag for parameter in context.command.get_params(context) for flag in parameter.opts]
        raise unknown_flag(error.option_name, context, [flag for flag in flags if flag.startswith("-")]) from None
