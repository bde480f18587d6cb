"""Options of plugins that collide with those of a run or of another step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from corpora.commands.options import Option, options_of
from nlmchem.run.step import Step

OF_CONFIGURATION = (
    "steps",
    "format",
    "lines",
    "with_abbreviations",
    "offsets",
    "identifiers",
    "text_column",
    "id_column",
    "per_file",
    "of",
    "but",
    "parse",
)
"""The options of a run without its steps, and the methods of a configuration."""
OF_FINGERPRINT = ("version", "plugins", "resources", "options", "sha256")
OF_COMMAND = (
    "inputs", "out", "text", "runs", "config", "as_json", "json", "help", "debug", "workers", "timeout", "max_failures",
    "shard", "dask", "include", "exclude", "quiet", "restart", "retry_failed", "overwrite", "set",
    "all_versions", "licence", "exclude_retracted", "prune",
)  # fmt: skip
"""The options of `nlmchem annotate` that no step has."""
OF_COMPONENT = ("nlp", "name", "spans_key", "set_ents")
"""The parameters of the spaCy component."""
RESERVED = frozenset((*OF_CONFIGURATION, *OF_FINGERPRINT, *OF_COMMAND, *OF_COMPONENT))
"""Names that no option of a step can have."""
_TYPES = {bool, int, float, str, tuple}
"""Types of values that a plan stores as JSON."""


def fault_of(step: Step[Any], others: Iterable[Step[Any]]) -> str | None:
    """Why a step cannot be used together with others, as part of a sentence; None if it can be."""
    try:
        options = options_of(step.options)
    except (AttributeError, KeyError, NameError, TypeError):
        return "its options are not a dataclass of option fields"
    stated: dict[str, tuple[Option, str]] = {}
    for other in others:
        for option in options_of(other.options):
            stated.setdefault(option.name, (option, f"the step {other.name}"))
    taken = {flag: owner for option, owner in stated.values() for flag in option.all_flags}
    taken |= {"--" + name.replace("_", "-"): "a run" for name in RESERVED} | {"-o": "a run", "-q": "a run"}
    return next((fault for option in options if (fault := _fault(option, stated, taken)) is not None), None)


def _fault(option: Option, stated: dict[str, tuple[Option, str]], taken: dict[str, str]) -> str | None:
    what = f"its option {option.name!r}"
    if option.name in RESERVED or option.name.startswith("_"):
        return f"{what} has a name that every run has"
    if option.groups or option.positional or option.required:
        return f"{what} is an argument, part of a group, or without a default"
    if not _TYPES.issuperset(option.types):
        return f"{what} is neither text, a number, true or false, nor a list of these"
    if option.name in stated:
        other, owner = stated[option.name]
        return None if option == other else f"{what} has another type, default or help text than that of {owner}"
    return next((f"{what} has the flag {flag} of {taken[flag]}" for flag in option.all_flags if flag in taken), None)
