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

__all__ = ["EXISTING", "OFF", "STEPS", "Configuration", "read_config_file"]

STEPS = ("abbreviate", "tag", "normalize", "index")
"""Steps in the order in which they run; all of them by default."""

EXISTING = ("keep", "replace", "error")
OFF = "off"


@dataclass(frozen=True, slots=True)
class Configuration:
    """Options of a run; equal configurations give equal bytes, whatever the workers or the order of files.

    `existing` is `keep`, `replace`, `error`, or None for the default of the steps (mentions: `error` when
    tagging, `keep` otherwise; index terms: `keep`). `lexicon` is a path, or None for the starter lexicon; `as_of` is
    a MeSH year that it has a history of, None for its own. `dense` names the encoder of the dense fallback, None for
    none; `indexer` the indexer, None for the default. Thresholds are theirs where None. `arithmetic` of models is
    `int8`, `float32` or `auto` (`checked` replaces `auto` by what the processor has). `rules`: those that run after a
    model, as `nlmchem.tagging.rules.post_processing.PostProcessing.parse` reads them.
    """

    steps: tuple[str, ...] = STEPS
    format: str = "biocxml"
    tagger: str | None = None
    device: str = "cpu"
    arithmetic: str = "auto"
    min_score: float = 0.0
    rules: str = "default"
    lexicon: str | None = None
    as_of: int | None = None
    skip_sections: tuple[str, ...] = ()
    existing: str | None = None
    dense: str | None = None
    dense_threshold: float | None = None
    indexer: str | None = None
    index_threshold: float | None = None

    @property
    def existing_mentions(self) -> str:
        """What becomes of chemical mentions on input."""
        return self.existing or ("error" if "tag" in self.steps else "keep")

    @property
    def existing_terms(self) -> str:
        """What becomes of index terms on input."""
        return self.existing or "keep"

    def checked(self) -> Configuration:
        """The same with defaults filled in and lists in a fixed order. Raises `ConfigurationError`."""
        from corpora.formats.registry import writable
        from nlmchem.tagging.models.arithmetic import FLOAT32, chosen
        from nlmchem.tagging.models.embedded import LEXICON, default_tagger
        from nlmchem.tagging.registry import split_names
        from nlmchem.tagging.rules.post_processing import PostProcessing

        unknown = [step for step in self.steps if step not in STEPS]
        if unknown:
            raise ConfigurationError(f"unknown step {unknown[0]!r}; this version has {', '.join(STEPS)}")
        if not 0 <= self.min_score <= 1:
            raise ConfigurationError(f"--min-score is {self.min_score:g}; give a number from 0 to 1")
        tagger = ",".join(split_names(self.tagger or default_tagger()))
        arithmetic = chosen(self.arithmetic, self.device)
        computes = "tag" in self.steps and tagger != LEXICON
        if self.existing is not None and self.existing not in EXISTING:
            raise ConfigurationError(f"--existing is {self.existing!r}; choose one of {', '.join(EXISTING)}")
        writable(self.format)
        PostProcessing.parse(self.rules)
        dense = None if self.dense == OFF else self.dense
        self._check_fallback(dense)
        self._check_indexing()
        return replace(
            self,
            tagger=tagger,
            # Where no model is computed, all machines have the same configuration.
            arithmetic=arithmetic if computes else FLOAT32,
            steps=tuple(step for step in STEPS if step in self.steps),
            skip_sections=tuple(sorted({section.upper() for section in self.skip_sections})),
            # Where articles are indexed, its default means two things: see the properties above.
            existing=self.existing if "index" in self.steps else self.existing_mentions,
            dense=_absolute(dense),
            indexer=_absolute(self.indexer),
        )

    def _check_fallback(self, dense: str | None) -> None:
        _require_share("--dense-threshold", self.dense_threshold)
        if dense is not None and "normalize" not in self.steps:
            raise ConfigurationError(
                f"--dense {dense} works in the step normalize, which is not among the steps; add it"
            )
        if dense is None and self.dense_threshold is not None:
            raise ConfigurationError(
                "--dense-threshold is given, but no --dense; say --dense default, or leave both out"
            )

    def _check_indexing(self) -> None:
        _require_share("--index-threshold", self.index_threshold)
        given = "--indexer" if self.indexer is not None else "--index-threshold"
        if "index" not in self.steps and (self.indexer, self.index_threshold) != (None, None):
            raise ConfigurationError(f"{given} works in the step index, which is not among the steps; add it")

    def fingerprint(self, resources: dict[str, str]) -> dict[str, Any]:
        """What must be equal for two runs to share an output folder.

        `resources` are names and hashes of lexicons and models: a file counts by its content, not
        by where it lies.
        """
        values = {**asdict(self), "version": version("nlmchem"), "resources": resources}
        for by_content in ("lexicon", "tagger", "dense", "indexer"):
            del values[by_content]
        text = json.dumps(values, sort_keys=True)
        # Through JSON and back, as it will be compared with what another run wrote down.
        return {**json.loads(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _require_share(option: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise ConfigurationError(f"{option} is {value:g}; give a number from 0 to 1")


def _absolute(name: str | None) -> str | None:
    """A path that is right from everywhere, for replays and for workers elsewhere; a name of ours as it is."""
    is_path = name is not None and (Path(name).suffix or "/" in name or Path(name).is_dir())
    return str(Path(str(name)).absolute()) if is_path else name


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
