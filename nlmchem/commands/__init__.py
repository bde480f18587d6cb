"""The commands as functions: `nlmchem.commands.evaluate_spans("gold/", ["run/"])`.

The functions have the names, options, defaults and checks of the command line, and return a `Result`. Paths, lists and
tuples can be given as Python has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.commands.command import Result


def __getattr__(name: str) -> Callable[..., Result]:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nlmchem.commands.functions import function_named

    return function_named(name)


def __dir__() -> list[str]:
    from nlmchem.commands.functions import names

    return list(names())
