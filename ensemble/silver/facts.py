"""What is known about a silver corpus: the source of its card, its Croissant metadata and its record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpora.storage.inputs import MANIFEST
from ensemble.combine import Rule
from ensemble.runs import EnsembleRun, Poll
from ensemble.silver.about import About
from ensemble.silver.tables import TableFile

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LicenceCount:
    """How many articles have a licence. `url`: its address; empty where the articles do not state it."""

    licence: str
    url: str
    articles: int


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run of the corpus. `configuration`: options and hashes of models of its `annotate`; None if not recorded."""

    run: EnsembleRun
    configuration: Json | None

    @property
    def resources(self) -> dict[str, str]:
        """The models and resources of the run: a name, such as `tag: tagger 1`, and a hash or version."""
        steps = (self.configuration or {}).get("steps")
        if not isinstance(steps, dict):
            return {}
        return {
            f"{step}: {name}": str(value)
            for step, settings in steps.items()
            for name, value in sorted((settings.get("resources") or {}).items())
        }

    def as_dict(self) -> Json:
        """The run as the record lists it. It has no path: another machine has another."""
        facts = self.run.as_dict()
        return facts if self.configuration is None else {**facts, "configuration": self.configuration}


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """All facts. `wanted`: the licences that were asked for; `left_out`: numbers of articles by their licence.

    `format_title`: the format of the shards in words.
    """

    annotator: str
    rule: Rule
    runs: tuple[RunFacts, ...]
    counts: dict[str, int]
    licences: tuple[LicenceCount, ...]
    wanted: tuple[str, ...]
    left_out: dict[str, int]
    format_title: str
    shards: tuple[Json, ...]
    tables: tuple[TableFile, ...]
    shares: Mapping[str, float]
    about: About
    versions: dict[str, str]

    @property
    def splits(self) -> dict[str, int]:
        """The number of articles of each split of the data set."""
        first = [file for file in self.tables if file.schema == self.tables[0].schema]
        return {name: sum(file.documents for file in first if file.split == name) for name in self.shares}

    def as_dict(self) -> Json:
        """The content of the record, without the hashes of files."""
        content: Json = {
            "versions": self.versions,
            "about": self.about.as_dict(),
            "annotator": self.annotator,
            "rule": self.rule.as_dict(),
            "runs": [run.as_dict() for run in self.runs],
            "counts": self.counts,
            "licences": [asdict(licence) for licence in self.licences],
            "only_licences": list(self.wanted),
            "left_out_by_licence": self.left_out,
            "shards": list(self.shards),
        }
        if self.tables:
            content["splits"] = {
                name: {"share": self.shares[name], "documents": number} for name, number in self.splits.items()
            }
        return content


def run_facts(poll: Poll) -> tuple[RunFacts, ...]:
    """The runs of a poll, with what their own records state about models."""
    return tuple(RunFacts(run, _configuration(Path(run.path))) for run in poll.runs)


def _configuration(path: Path) -> Json | None:
    """The configuration in the manifest of a run of `annotate`; None if there is no manifest."""
    for manifest in (path / MANIFEST, *sorted(path.glob("manifest-*-of-*.json"))):
        try:
            content = json.loads(manifest.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(content, dict) and isinstance(content.get("configuration"), dict):
            return dict(content["configuration"])
    return None
