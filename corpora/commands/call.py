"""The example of a command: values of its options, which the command line and Python spell in their own ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a command.

    Args:
        values: The values by the names of options, as Python gives them. Arguments come first.
        form: The form in which the result is printed: `json` or `tsv`; None: text.
        into: The file into which the shell writes what is printed; None: the terminal.
    """

    values: Mapping[str, Any]
    form: str | None = None
    into: str | None = None
