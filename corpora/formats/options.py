"""The option that names the format of an output file."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import option
from corpora.formats.registry import aliases_of, writable_names


@dataclass(frozen=True, slots=True, kw_only=True)
class OutFormat:
    """The format of an output."""

    format: str | None = option(
        None,
        f"Output format: {', '.join(writable_names())}; {', '.join(aliases_of(writable_names()))} are other names of "
        "the first two.",
        metavar="NAME",
        default_text="from the suffix of the output",
    )
