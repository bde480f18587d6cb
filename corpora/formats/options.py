"""The option that names the format of an output file."""

from __future__ import annotations

from corpora.commands.options import option
from corpora.formats.registry import aliases_of, writable_names


def format_option() -> str | None:
    """The format of an output."""
    return option(
        None,
        f"Output format: {', '.join(writable_names())}; {', '.join(aliases_of(writable_names()))} are other names of "
        "the first two.",
        metavar="NAME",
        default_text="from the suffix of the output",
    )
