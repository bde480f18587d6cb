"""What only the makers of a corpus can state about it, from a file of theirs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from corpora.errors import ConfigurationError

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class About:
    """What only the makers of a corpus can state. Empty texts are not stated.

    `creator`: an organization, such as a laboratory. `url`: where the corpus is published. `published`: a day, as
    `2026-11-27`.
    """

    title: str = "A silver-standard corpus of chemical mentions"
    creator: str = ""
    url: str = ""
    published: str = ""
    citation: str = ""
    version: str = "1.0.0"

    def as_dict(self) -> dict[str, str]:
        """What is stated."""
        return {name: text for name, text in asdict(self).items() if text}


def read_about(path: Path) -> About:
    """The statements in a TOML file, such as `creator = "Our laboratory"`.

    Raises `ConfigurationError` for a file that cannot be read, other keys, values that are no text, and a day that is
    not written as `2026-11-27`.
    """
    names = [field.name for field in fields(About)]
    try:
        stated = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as TOML ({error}); correct it") from error
    for name, value in stated.items():
        if name not in names:
            raise ConfigurationError(f"{path} has the key {name!r}; the keys are {', '.join(names)}")
        if not isinstance(value, str):
            raise ConfigurationError(f"the value of {name} in {path} is no text; write it in quotes")
    if (day := stated.get("published")) and not _DAY.fullmatch(day):
        raise ConfigurationError(f"published in {path} is {day!r}; write the day as 2026-11-27")
    return About(**stated)
