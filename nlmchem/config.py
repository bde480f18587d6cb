"""What a run is told to do, as far as it decides about the bytes of the output."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError

__all__ = ["EXISTING", "STEPS", "Configuration", "read_config_file"]

STEPS = ("abbreviate", "tag", "normalize")
"""Steps in the order in which they run."""

EXISTING = ("keep", "replace", "error")


@dataclass(frozen=True, slots=True)
class Configuration:
    """Options of a run; equal configurations give equal bytes, whatever the workers or the order of files.

    `existing` is `keep`, `replace`, `error`, or None for the default of the steps (`error` when
    tagging, `keep` otherwise). `lexicon` is a path, or None for the starter lexicon; `as_of` is a MeSH year that it
    has a history of, None for its own.
    """

    steps: tuple[str, ...] = STEPS
    format: str = "biocxml"
    tagger: str | None = None
    device: str = "cpu"
    min_score: float = 0.0
    lexicon: str | None = None
    as_of: int | None = None
    skip_sections: tuple[str, ...] = ()
    existing: str | None = None

    def checked(self) -> Configuration:
        """The same with defaults filled in and lists in a fixed order. Raises `ConfigurationError`."""
        from corpora.formats import writable
        from nlmchem.tagging.embedded import default_tagger
        from nlmchem.tagging.named import split_names

        unknown = [step for step in self.steps if step not in STEPS]
        if unknown:
            raise ConfigurationError(f"unknown step {unknown[0]!r}; this version has {', '.join(STEPS)}")
        if not 0 <= self.min_score <= 1:
            raise ConfigurationError(f"--min-score is {self.min_score:g}; give a number from 0 to 1")
        tagger = ",".join(split_names(self.tagger or default_tagger()))
        if self.existing is not None and self.existing not in EXISTING:
            raise ConfigurationError(f"--existing is {self.existing!r}; choose one of {', '.join(EXISTING)}")
        writable(self.format)
        return replace(
            self,
            tagger=tagger,
            steps=tuple(step for step in STEPS if step in self.steps),
            skip_sections=tuple(sorted({section.upper() for section in self.skip_sections})),
            existing=self.existing or ("error" if "tag" in self.steps else "keep"),
        )

    def fingerprint(self, resources: dict[str, str]) -> dict[str, Any]:
        """What must be equal for two runs to share an output folder.

        `resources` are names and hashes of lexicons and models: a file counts by its content, not
        by where it lies.
        """
        values = {**asdict(self), "version": version("nlmchem"), "resources": resources}
        for by_content in ("lexicon", "tagger"):
            del values[by_content]
        text = json.dumps(values, sort_keys=True)
        # Through JSON and back, as it will be compared with what another run wrote down.
        return {**json.loads(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def read_config_file(path: Path) -> dict[str, Any]:
    """The options in the table `[annotate]` of a TOML file, by their names on the command line.

    Raises `ConfigurationError` for a file that is missing, broken, or without that table.
    """
    try:
        with path.open("rb") as stream:
            table = tomllib.load(stream).get("annotate")
    except OSError as error:
        raise ConfigurationError(f"the configuration {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the configuration {path} is no TOML: {error}") from error
    if not isinstance(table, dict):
        raise ConfigurationError(f"the configuration {path} has no table [annotate]; put the options there")
    return {key.replace("_", "-"): value for key, value in table.items()}
